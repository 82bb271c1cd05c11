import type { Attribution } from '../trace/attribution.ts'
import type { TurnLine } from '../trace/trace.ts'
import type { ToolSpec } from '../trace/task.ts'

/** What a server's count of prompt tokens says of what the model got to read. */
export interface RenderedPrompts {
  /** What shows that messages or tools of the prompt of a turn are missing from it; null where nothing does. */
  readonly lacksPrompt: (turn: number) => string | null
  /** What shows that the results since the first turn of its kind are missing from it; null where nothing does. */
  readonly lacksResults: (turn: number) => string | null
}

/** An episode as it was sent. */
export interface SentEpisode {
  readonly lines: readonly TurnLine[]
  /** Tools that went out beside the messages; none where they are text. */
  readonly besides: readonly ToolSpec[]
  /** The results of all turns before one. */
  readonly resultsBefore: (turn: number) => readonly string[]
}

/**
 * Compares what was sent with what the server counted. No tokenizer is needed: the bounds lie far below what any of them
 * makes of such a text, so a count below them is proof, and one above them proves nothing.
 */
export function renderedPrompts({ lines, besides, resultsBefore }: SentEpisode): RenderedPrompts {
  // Asked for only where something failed.
  let known: number | null = null
  const ofTexts = (): number => (known ??= lines[0] === undefined ? 0 : leastTokens(textOf(lines[0])))
  // Without a record of what was sent nobody knows what ought to have been counted.
  const counted = (turn: number): number | null => {
    const line = lines[turn]
    return line === undefined || ofTexts() === 0 ? null : countOf(line)
  }
  return {
    lacksPrompt: (turn) => {
      const count = counted(turn)
      // The bound is that of the first prompt; one that asks for something else may be shorter.
      if (count === null || firstLike(lines, turn) > 0) return null
      const ofTools = leastOfTools(besides)
      const least = ofTools + ofTexts()
      if (count >= least) return null
      const what = ofTools === 0 ? 'the messages' : `the messages and ${besides.length} tools`
      return `prompt_tokens is ${count}, and ${what} take ${least} at the very least`
    },
    lacksResults: (turn) => {
      const first = firstLike(lines, turn)
      const results = resultsBefore(turn).slice(resultsBefore(first).length)
      const [before, count] = [counted(first), counted(turn)]
      if (before === null || count === null || results.length === 0) return null
      const grown = count - before
      // Some servers leave out what they had in a cache: a count that falls says nothing.
      if (grown < 0 || grown >= leastTokens(results.join('\n'))) return null
      // Different replies that always cost the same: such counts are made up.
      if (grown === 0 && areMadeUp(lines.slice(0, turn + 1))) return null
      const since = grown === 0 ? 'as it was' : `${grown} more than`
      const what = results.length === 1 ? 'a result' : `${results.length} results`
      return `prompt_tokens is ${count}, ${since} before ${what} came in`
    },
  }
}

/** What blames a server whose prompts shrink, and when. */
export const PROMPT_SHRINKS = {
  id: 'prompt-shrinks',
  blames: 'server',
  means:
    'The prompt shrinks from turn to turn in most episodes of a row, and most of these fail: the server cuts it, or its template leaves turns out.',
} as const

/**
 * The cause of a wrong answer to a prompt that shrinks, if the whole row shows the same: one count that falls proves nothing, because
 * some servers leave out what they had in a cache. Null where no count falls, or usage names cached tokens.
 */
export function shrinkingPrompt(lines: readonly TurnLine[]): Attribution | null {
  if (lines.some(({ usage }) => usage?.cached !== undefined)) return null
  for (const [at, line] of lines.entries()) {
    const before = lines.slice(0, at).findLast(({ question }) => question?.kind === line.question?.kind)
    const [was, is] = [before === undefined ? null : countOf(before), countOf(line)]
    if (was === null || is === null || is >= was) continue
    const { id: rule, blames } = PROMPT_SHRINKS
    const evidence = `prompt_tokens is ${is}, after ${was} in the turn before, and usage names no cached tokens`
    return { blames, rule, detail: null, evidence }
  }
  return null
}

/** The first turn with a prompt of the same kind: one that asks for arguments may be shorter than one that asks for a number. */
function firstLike(lines: readonly TurnLine[], turn: number): number {
  const kind = lines[turn]?.question?.kind
  return Math.max(
    0,
    lines.findIndex(({ question }) => question?.kind === kind),
  )
}

/** Whether replies differ, and prompts and replies are always counted alike. */
export function areMadeUp(lines: readonly TurnLine[]): boolean {
  const counts = new Set(lines.map(({ usage }) => `${usage?.prompt} ${usage?.completion}`))
  return counts.size === 1 && new Set(lines.map(saidIn)).size > 1
}

function saidIn({ text, reasoning, toolCalls }: TurnLine): string {
  return JSON.stringify([text, reasoning, toolCalls.map((call) => [call.name, call.arguments])])
}

/** Tokens of the prompt; null where the server does not count, or counts what is not in its cache. */
function countOf({ usage, failure }: TurnLine): number | null {
  return failure !== null || usage === null || usage.prompt === 0 ? null : usage.prompt
}

function textOf({ sent: { kept, added } }: TurnLine): string {
  if (kept > 0) return ''
  return typeof added === 'string' ? added : added.map(({ content }) => contentText(content)).join('\n')
}

function contentText(content: unknown): string {
  if (typeof content === 'string') return content
  return Array.isArray(content) ? content.map((part: unknown) => partText(part)).join('\n') : ''
}

function partText(part: unknown): string {
  const text = typeof part === 'object' && part !== null && 'text' in part ? part.text : ''
  return typeof text === 'string' ? text : ''
}

/** Two words make a token at most, and so do eight characters beyond ASCII. */
function leastTokens(text: string): number {
  let [words, others, before] = [0, 0, OTHER]
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    const kind = isLetter(code) ? LETTER : code >= 48 && code <= 57 ? DIGIT : OTHER
    if (kind !== OTHER && kind !== before) words += 1
    if (code > 127) others += 1
    before = kind
  }
  return Math.ceil(words / 2 + others / 8)
}

const [OTHER, LETTER, DIGIT] = [0, 1, 2]

function isLetter(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90)
}

const sizes = new WeakMap<ToolSpec, number>()

/** A template writes tools as JSON, or shorter with an instruction beside it: five characters of JSON make a token at most. */
function leastOfTools(tools: readonly ToolSpec[]): number {
  return Math.floor(tools.reduce((sum, tool) => sum + sizeOf(tool), 0) / 5)
}

/** Written out once per tool, not once per failure. */
function sizeOf(tool: ToolSpec): number {
  const size = sizes.get(tool) ?? JSON.stringify(tool).length
  sizes.set(tool, size)
  return size
}
