import type { PyDict, PyValue } from '@callspec/python'

/**
 * A conversation in the OpenAI shape, read without loss: `1` and `1.0` stay apart, keys keep their order. Messages have
 * `role`, `content`, and perhaps `tool_calls`, `reasoning_content`, `tool_call_id`, `name`.
 */
export interface Conversation {
  readonly messages: readonly PyDict[]
  /** Bare or wrapped as `{type: "function", function: …}`. Absent, null and an empty list differ. */
  readonly tools: readonly PyValue[] | null | undefined
  /** What else a family takes: `add_generation_prompt`, a date, an effort, thinking. */
  readonly options: PyDict
}

/** A piece of a prompt: a special token, or text, which stays text even if it spells a token. */
export interface PromptPart {
  readonly kind: 'token' | 'text'
  readonly text: string
}

/** A prompt in parts; or what the family refuses, and why. */
export type PromptOutcome =
  | { readonly kind: 'prompted'; readonly parts: readonly PromptPart[] }
  | { readonly kind: 'refused'; readonly reason: string }

/** The prompt that parts make. */
export function joinParts(parts: readonly PromptPart[]): string {
  return parts.map(({ text }) => text).join('')
}

/** A conversation that a family does not accept. It never leaves `prompting`. */
export class Refusal extends Error {}

/** Runs what writes a prompt; a refusal is an outcome. */
export function prompting(write: () => readonly PromptPart[]): PromptOutcome {
  try {
    return { kind: 'prompted', parts: write() }
  } catch (error) {
    if (error instanceof Refusal) return { kind: 'refused', reason: error.message }
    throw error
  }
}

/** Gathers the parts of a prompt. */
export interface PartWriter {
  /** Adds special tokens and texts in turn: a token first. Empty ones are left out. */
  readonly add: (...tokensAndTexts: readonly string[]) => void
  readonly text: (text: string) => void
  readonly show: (parts: readonly PromptPart[]) => void
  readonly parts: () => readonly PromptPart[]
}

/** A writer without parts yet. Neighbouring texts become one part. */
export function partWriter(): PartWriter {
  const parts: { readonly kind: PromptPart['kind']; text: string }[] = []
  const push = (kind: PromptPart['kind'], text: string): void => {
    if (text === '') return
    const last = parts.at(-1)
    if (kind === 'text' && last?.kind === 'text') last.text += text
    else parts.push({ kind, text })
  }
  return {
    add: (...given) => {
      let kind: PromptPart['kind'] = 'token'
      for (const text of given) {
        push(kind, text)
        kind = kind === 'token' ? 'text' : 'token'
      }
    },
    text: (text) => push('text', text),
    show: (shown) => {
      for (const { kind, text } of shown) push(kind, text)
    },
    parts: () => parts,
  }
}
