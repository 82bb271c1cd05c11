import { CLIENT_NOTES, createReplyReader, DONE, NAME_AGAIN, NoReply, readReply } from '@callspec/apis'
import type { ApiBreach, ApiLaw, ReplyOptions, SentEvent } from '@callspec/apis'

/** A broken law of an API. */
export interface LawBreach extends ApiBreach {
  /** `odd`: clients in use tolerate it. `broken`: they lose or mix up something. */
  readonly weight: 'odd' | 'broken'
}

/** Whether a call is left in a text has a check of its own. */
export const UNCHECKED: ReplyOptions = { holdsCall: () => false }

/** These laws have checks of their own. */
const CHECKED: ReadonlySet<ApiLaw> = new Set(['C12', 'M18', 'R18'])

/** Clients pass it on: who stores the text in UTF-8, or returns a result to one of two calls, loses something. */
const BREAKS_MORE: ReadonlySet<ApiLaw> = new Set(['C14', 'C15', 'M16'])

/** Breaches with their weight, without those that have a check of their own. */
export function weighed(breaches: readonly ApiBreach[]): readonly LawBreach[] {
  return breaches.flatMap((breach) => (isCheckedElsewhere(breach) ? [] : { ...breach, weight: weightOf(breach) }))
}

function isCheckedElsewhere({ law, evidence }: ApiBreach): boolean {
  // A missing call, and arguments that are not JSON, are reported with more detail.
  return (
    CHECKED.has(law) ||
    (law === 'C9' && evidence.startsWith('it is tool_calls')) ||
    (law === 'C10' && evidence.endsWith('no JSON object'))
  )
}

/** Clients lose or mix up something where they were seen to read a breach wrongly. */
function weightOf({ law, evidence }: ApiBreach): LawBreach['weight'] {
  if (law === 'C5' && evidence === NAME_AGAIN) return 'odd'
  return CLIENT_NOTES[law] === undefined && !BREAKS_MORE.has(law) ? 'odd' : 'broken'
}

/** Laws of a reply of `/v1/completions`, whose choices have a text and no delta. */
const TEXT_LAWS: ReadonlySet<ApiLaw> = new Set(['C2', 'C7', 'C11', 'C13'])

/** Laws that are about the reply, not about one of its choices. */
const REPLY_LAWS: ReadonlySet<ApiLaw> = new Set(['C2', 'C8', 'C11', 'C13'])

/**
 * The laws that a reply of chat breaks, each of its choices on its own.
 *
 * @param values of the events, as JSON; undefined for one that is not
 */
export function chatBreaches(
  events: readonly SentEvent[],
  values: readonly unknown[],
  isStream: boolean,
): readonly LawBreach[] {
  const seen = choicesIn(values)
  const found = new Map<ApiLaw, ApiBreach>()
  for (const choice of seen.indices) {
    const isFirst = choice === seen.indices[0]
    for (const breach of breachesOf(events, choice, isStream)) {
      if ((seen.isText && !TEXT_LAWS.has(breach.law)) || (!isFirst && REPLY_LAWS.has(breach.law))) continue
      const known = found.get(breach.law)
      found.set(breach.law, known === undefined ? breach : { ...known, times: known.times + breach.times })
    }
  }
  return weighed([...found.values()])
}

function breachesOf(events: readonly SentEvent[], choice: number, isStream: boolean): readonly ApiBreach[] {
  const options = { ...UNCHECKED, choice }
  if (!isStream) return wholeBreaches(events[0]?.data ?? '{}', options)
  const reader = createReplyReader('chat', options)
  for (const event of events) reader.add(event)
  // Where the mark of the end is missing is known above.
  reader.add({ name: '', data: DONE })
  return reader.end().breaches
}

function wholeBreaches(text: string, options: ReplyOptions): readonly ApiBreach[] {
  try {
    return readReply(text, 'chat', options).breaches
  } catch (error) {
    // JSON that is nested too deeply for a reader without loss.
    if (error instanceof NoReply) return []
    throw error
  }
}

/** A server gives few; more are not looked at. */
const MOST_CHOICES = 128

function choicesIn(values: readonly unknown[]): { readonly indices: readonly number[]; readonly isText: boolean } {
  const indices = new Set<number>()
  let isText = false
  for (const value of values) {
    const choices = membersOf(value)['choices']
    for (const [at, given] of (Array.isArray(choices) ? (choices as readonly unknown[]) : []).entries()) {
      const { index, text } = membersOf(given)
      if (typeof text === 'string') isText = true
      if (indices.size < MOST_CHOICES) indices.add(Number.isSafeInteger(index) ? (index as number) : at)
    }
  }
  return { indices: indices.size === 0 ? [0] : [...indices].toSorted((one, other) => one - other), isText }
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {}
}
