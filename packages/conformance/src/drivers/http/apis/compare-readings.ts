import { API_LAWS, projected, TOLERATED } from '@callspec/apis'
import type { Api as ApiName, ApiLaw, ApiReply } from '@callspec/apis'
import { dumps, loads } from '@callspec/python'
import { shortened } from '../../../comparison/visible.ts'
import type { Reading } from './ask-reading.ts'

/** What readings of one said text must have in common, whatever the API, and whether whole or streamed. */
export const AGREEMENTS = {
  reply: 'there is a reply',
  calls: 'the same calls, in the same order',
  reasoning: 'the same reasoning',
  text: 'the same text',
  space: 'the same white space at the ends of reasoning and text',
  finish: 'the same end',
  tokens: 'the same numbers of tokens',
  said: 'the model may write the same text',
  choice: 'the calls are those that the request allows',
  prompt: 'one prompt for one conversation',
} as const

/** One of `AGREEMENTS`. */
export type Agreement = keyof typeof AGREEMENTS

/** Where a reading differs from the whole reply of the first API, or breaks a law of its API. */
export interface ReadingFault {
  readonly api: ApiName
  /** Null for a prompt. */
  readonly stream: boolean | null
  readonly rule: Agreement | ApiLaw
  /** On one line. */
  readonly message: string
  /** Number of the first event that breaks the law, from 1; 0 where it is not one event. */
  readonly event: number
  /** The reply as it came; of a prompt, where it begins to differ. */
  readonly transcript: string
}

/** Of what a fault is: a sentence that should be true. */
export function ruleText(rule: ReadingFault['rule']): string {
  return rule in AGREEMENTS ? AGREEMENTS[rule as Agreement] : API_LAWS[rule as ApiLaw]
}

/** Which calls a request allows; null for any. */
export type AllowedCalls = 'none' | 'some' | 'at most one' | { readonly name: string } | null

/**
 * All faults of the readings of one text. The reference is the first reading that has a reply; it has faults as well where it breaks a law of
 * its API, or has calls that the request does not allow.
 */
export function compareReadings(readings: readonly Reading[], allowed: AllowedCalls): readonly ReadingFault[] {
  const reference = readings.find(({ reply, problem }) => reply !== null && problem === null) ?? null
  return readings.flatMap((reading) => {
    const fault = (rule: ReadingFault['rule'], message: string, event = 0): ReadingFault => {
      const { api, stream, transcript } = reading
      return { api, stream, rule, message, event, transcript }
    }
    const { reply, problem } = reading
    if (reply === null || problem !== null) return [fault('reply', problem ?? 'no reply came')]
    const broken = reply.breaches.filter(({ law }) => !TOLERATED.has(law))
    const wrong = choiceFault(reply, allowed)
    return [
      ...broken.map(({ law, evidence, event }) => fault(law, evidence, event)),
      ...(wrong === null ? [] : [fault('choice', wrong)]),
      ...(reference === null || reference === reading || reference.reply === null
        ? []
        : differences(reading, { ...reference, reply: reference.reply }).map(([rule, message]) =>
            fault(rule, message),
          )),
    ]
  })
}

function choiceFault({ items }: ApiReply, allowed: AllowedCalls): string | null {
  const { calls } = projected(items)
  if (allowed === null) return null
  if (allowed === 'none') return calls.length === 0 ? null : `it has ${counted(calls.length)}, and none is allowed`
  if (allowed === 'some') return calls.length > 0 ? null : 'it has no call, and one is required'
  if (allowed === 'at most one') return calls.length <= 1 ? null : `it has ${counted(calls.length)}, and one is allowed`
  const other = calls.find(({ name }) => name !== allowed.name)
  if (other !== undefined) return `it calls ${shown(other.name)}, and only ${shown(allowed.name)} is allowed`
  return calls.length > 0 ? null : `it has no call, and ${shown(allowed.name)} is required`
}

interface WithReply extends Reading {
  readonly reply: ApiReply
}

/** In what a reading differs from the reference. */
function differences(reading: Reading, reference: WithReply): readonly (readonly [Agreement, string])[] {
  const { reply } = reading
  if (reply === null) return []
  const [one, other] = [projected(reply.items), projected(reference.reply.items)]
  const isCut = endOf(reference.reply) === 'length' && reading.api === 'messages'
  const both = [one.calls.map(callText), other.calls.map(callText)] as const
  const [mine, theirs] = isCut ? withoutCutCall(both, reading.stream) : both
  const at = theirs.findIndex((call, index) => call !== mine[index])
  const found: (readonly [Agreement, string])[] = []
  const [said, meant] = [reading.seen?.said ?? null, reference.seen?.said ?? null]
  if (said !== null && meant !== null && said !== meant)
    found.push(['said', `the model wrote ${shown(said)} instead of ${shown(meant)}`])
  if (mine.length !== theirs.length)
    found.push([
      'calls',
      `${counted(mine.length)} instead of ${theirs.length}${at < 0 ? '' : `: ${shown(theirs[at] ?? '')} is missing`}`,
    ])
  else if (at >= 0) found.push(['calls', `${shown(mine[at] ?? '')} instead of ${shown(theirs[at] ?? '')}`])
  for (const kind of ['reasoning', 'text'] as const) {
    if (one[kind] === other[kind]) continue
    const rule = one[kind].trim() === other[kind].trim() ? 'space' : kind
    found.push([rule, `${shown(one[kind])} instead of ${shown(other[kind])}`])
  }
  const [end, wanted] = [endOf(reply), endOf(reference.reply)]
  if (end !== wanted) found.push(['finish', `${end} instead of ${wanted}`])
  const tokens = tokensFault(reply, reference.reply)
  return tokens === null ? found : [...found, ['tokens', tokens]]
}

type Calls = readonly string[]

/** Messages have no place for arguments that were cut, but for pieces in a stream: the call has none then, or is missing. */
function withoutCutCall([mine, theirs]: readonly [Calls, Calls], stream: boolean): readonly [Calls, Calls] {
  const last = theirs.at(-1)
  if (last === undefined || last.endsWith('}') || (stream && !last.endsWith(' '))) return [mine, theirs]
  const isEmpty = mine.length === theirs.length && mine.at(-1)?.endsWith(' {}') === true
  return [isEmpty ? mine.slice(0, -1) : mine, theirs.slice(0, -1)]
}

function counted(calls: number): string {
  return calls === 1 ? '1 call' : `${calls} calls`
}

/** Chat and responses do not say that a stop word ended a reply. */
function endOf({ finish }: ApiReply): string {
  return finish === 'stop_sequence' ? 'stop' : (finish ?? 'nothing')
}

function tokensFault({ usage: one }: ApiReply, { usage: other }: ApiReply): string | null {
  if (one === null || other === null) return null
  const parts = (['input', 'output'] as const).flatMap((part) => {
    const [mine, theirs] = [one[part], other[part]]
    return mine === null || theirs === null || mine === theirs ? [] : [`${part} ${mine} instead of ${theirs}`]
  })
  return parts.length === 0 ? null : parts.join(', ')
}

/** A call without its id; messages keep what arguments mean, not how they are spelled. */
function callText({ name, arguments: args }: { readonly name: string; readonly arguments: string }): string {
  try {
    return `${name} ${dumps(loads(args))}`
  } catch {
    // A call that was cut.
    return `${name} ${args}`
  }
}

const SHOWN = 60

function shown(text: string): string {
  return JSON.stringify(shortened(text, SHOWN))
}
