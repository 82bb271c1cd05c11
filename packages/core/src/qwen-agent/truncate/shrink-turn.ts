import type { Message } from '../../message.ts'
import type { Profile } from '../../profile.ts'
import type { Tokenizer } from '../../tokenizer.ts'
import { cutMessage } from './tokens.ts'

/** A message with the tokens that it counts for: those of the beginning, none once it is emptied. Null: cutting failed. */
export interface CountedMessage {
  readonly message: Message | null
  readonly tokens: number
}

interface CutOptions {
  readonly tokenizer: Tokenizer
  readonly profile: Profile
}

interface ShrinkOptions extends CutOptions {
  /** Whether this is the newest turn: then the results of its last step are left alone as long as possible. */
  readonly isLast: boolean
}

/** What has been done so far, and how many tokens are still too many. */
interface Shrunk {
  readonly entries: readonly CountedMessage[]
  readonly excess: number
}

const OMITTED = 'omit'

/**
 * Takes about `excess` tokens out of one turn that has more than that (spec §9.1): first out of tool results, then
 * whole steps in the middle, then out of the results of the last step, then out of everything that is left.
 */
export function shrinkTurn(
  turn: readonly CountedMessage[],
  excess: number,
  options: ShrinkOptions,
): readonly (Message | null)[] {
  const [only, second] = turn
  if (only !== undefined && second === undefined) return [cut(only, excess, options).message]
  const starts = stepStarts(turn)
  const lastStart = starts.at(-1) ?? 0
  const first = shrinkResults(turn, excess, { ...options, end: options.isLast ? lastStart : turn.length })
  if (first.excess <= 0) return messagesOf(first.entries)
  const steps = starts.map((start, index) => first.entries.slice(start, starts[index + 1] ?? turn.length))
  const dropped = dropMiddle(steps, first.excess)
  if (dropped.excess <= 0) return messagesOf(dropped.entries)
  return shrinkEnds(steps, dropped.excess, options)
}

/**
 * Where the steps begin: at a user or assistant message after a message of another role. Tool results belong to the
 * step before them.
 */
function stepStarts(turn: readonly CountedMessage[]): readonly number[] {
  return [...turn.keys()].filter((index) => {
    const role = turn[index]?.message?.role
    return role !== 'function' && role !== turn[index - 1]?.message?.role
  })
}

/** Cuts or empties the tool results before `end`, in order, until the excess is gone. */
function shrinkResults(
  entries: readonly CountedMessage[],
  excess: number,
  options: CutOptions & { readonly end: number },
): Shrunk {
  let left = excess
  const shrunk = entries.map((entry, index) => {
    if (left <= 0 || index >= options.end || entry.message?.role !== 'function') return entry
    const smaller = cut(entry, left, options)
    left -= entry.tokens
    return smaller
  })
  return { entries: shrunk, excess: left }
}

/** Drops steps between the first and the last, from the oldest, until the excess is gone. */
function dropMiddle(steps: readonly (readonly CountedMessage[])[], excess: number): Shrunk {
  let left = excess
  let next = 1
  while (next < steps.length - 1 && left > 0) {
    left -= (steps[next] ?? []).reduce((sum, { tokens }) => sum + tokens, 0)
    next += 1
  }
  return { entries: [...(steps[0] ?? []), ...steps.slice(next).flat()], excess: left }
}

/**
 * Only the first and the last step are left.
 *
 * As in the reference: in a turn of one step they are one and the same list, and it comes out twice (spec Q16).
 */
function shrinkEnds(
  steps: readonly (readonly CountedMessage[])[],
  excess: number,
  options: CutOptions,
): readonly (Message | null)[] {
  const last = steps.at(-1) ?? []
  const results = shrinkResults(last, excess, { ...options, end: last.length })
  const first = steps.length === 1 ? results.entries : (steps[0] ?? [])
  if (results.excess <= 0) return messagesOf([...first, ...results.entries])
  let left = results.excess
  const all = [...first, ...results.entries].map((entry) => {
    if (left <= 0) return entry
    const smaller = cut(entry, left, options)
    left -= entry.tokens
    return smaller
  })
  return messagesOf(all)
}

/** Takes `excess` tokens out of the middle; a message that does not have that many is emptied and keeps its fields. */
function cut(entry: CountedMessage, excess: number, { tokenizer, profile }: CutOptions): CountedMessage {
  const { message, tokens } = entry
  if (message === null) return entry
  if (tokens <= excess) return { message: { ...message, content: OMITTED }, tokens: 0 }
  return { message: cutMessage(message, tokens - excess, { tokenizer, profile, keepBothSides: true }), tokens }
}

function messagesOf(entries: readonly CountedMessage[]): readonly (Message | null)[] {
  return entries.map(({ message }) => message)
}
