import type { PromptPart } from './conversation.ts'

/** What a prompt shows of data: a text, a part, or several of these one after the other. */
export type Shown = string | PromptPart | readonly Shown[]

/** Gathers the parts of a prompt. */
export interface PartWriter {
  /** Adds special tokens and texts in turn: a token first. Empty ones are left out. */
  readonly add: (...tokensAndTexts: readonly string[]) => void
  readonly text: (text: string) => void
  readonly show: (shown: Shown) => void
  readonly parts: () => readonly PromptPart[]
}

/** A writer without parts yet. Neighbouring texts become one part. */
export function partWriter(): PartWriter {
  const parts: PromptPart[] = []
  const push = (kind: PromptPart['kind'], text: string): void => {
    if (text === '') return
    const last = parts.at(-1)
    if (kind === 'text' && last?.kind === 'text') parts[parts.length - 1] = { kind, text: last.text + text }
    else parts.push({ kind, text })
  }
  const show = (shown: Shown): void => {
    if (typeof shown === 'string') push('text', shown)
    else if ('kind' in shown) push(shown.kind, shown.text)
    else for (const each of shown) show(each)
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
    show,
    parts: () => parts,
  }
}
