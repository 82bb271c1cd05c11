import { finishOf } from '../trace/finish-reason.ts'
import { isRecord, textOf } from '../text/json.ts'
import type { JsonRecord } from '../text/json.ts'

/** What a chat stream may do wrong: the clients of OpenAI add deltas up by these rules. */
export const STREAM_LAWS = {
  'is-json': 'every event is a JSON map',
  'one-finish': 'exactly one finish reason ends a choice',
  'nothing-after': 'nothing is said after the finish reason',
  'finish-names-calls': 'the finish reason is tool_calls exactly where there are calls',
  'call-index': 'every call has an index of its own, counted from 0, and its deltas bear it',
  'call-id': 'the first delta of a call has its id, which no other call has and no later delta changes',
  'call-name': 'the first delta of a call has its name, and no later one another',
  'arguments-text': 'arguments come as pieces of a text',
  'whole-characters': 'no delta cuts a character in half',
  'reply-id': 'all events of a reply have the same id',
} as const

/** One of `STREAM_LAWS`. */
export type StreamLaw = keyof typeof STREAM_LAWS

/** A law that was broken: where first, and how often. */
export interface Breach {
  readonly law: StreamLaw
  /** `odd`: the clients in use bear it. `broken`: they lose or mix up something. */
  readonly weight: 'odd' | 'broken'
  /** Number of the first event that broke it, from 1; 0 for what only the end shows. */
  readonly event: number
  /** On one line; quotes nothing that is long. */
  readonly evidence: string
  readonly times: number
}

/** Follows one stream. Linear in it; holds some words per call. */
export interface StreamWatch {
  /** Takes the next event; undefined for one that is no JSON. The end mark is none. */
  add(event: unknown): void
  /** Says once, when the stream is over, which laws were broken, in the order in which they stand above. */
  end(): readonly Breach[]
}

interface Call {
  readonly id: string
  name: string
}

interface Choice {
  readonly calls: Map<number, Call>
  readonly ids: Set<string>
  /** Whether any delta was one of a call, with an index or without. */
  hasCalls: boolean
  finish: string | null
}

type Tell = (law: StreamLaw, evidence: string, weight?: Breach['weight']) => void

/** Watches whether the deltas of a chat stream can be added up as clients do. */
export function createStreamWatch(): StreamWatch {
  const found = new Map<StreamLaw, Breach>()
  const choices = new Map<number, Choice>()
  let [event, id] = [0, '']
  const tell: Tell = (law, evidence, weight = 'broken') => {
    const first = found.get(law) ?? { law, weight, event, evidence, times: 0 }
    found.set(law, { ...first, weight: weight === 'broken' ? weight : first.weight, times: first.times + 1 })
  }
  return {
    add: (value) => {
      event += 1
      if (!isRecord(value)) return tell('is-json', 'it is none')
      const own = textOf(value['id'])
      if (id === '') id = own
      else if (own !== '' && own !== id) tell('reply-id', 'another one than before', 'odd')
      const given = value['choices']
      for (const each of Array.isArray(given) ? given : []) {
        if (isRecord(each)) addChoice(each, choiceAt(choices, each['index']), tell)
      }
    },
    end: () => {
      event = 0
      for (const each of choices.values()) judgeEnd(each, tell)
      return ORDER.flatMap((law) => found.get(law) ?? [])
    },
  }
}

const ORDER = Object.keys(STREAM_LAWS) as readonly StreamLaw[]

function choiceAt(choices: Map<number, Choice>, index: unknown): Choice {
  const at = typeof index === 'number' ? index : 0
  const choice = choices.get(at) ?? { calls: new Map(), ids: new Set(), hasCalls: false, finish: null }
  choices.set(at, choice)
  return choice
}

function addChoice(given: JsonRecord, choice: Choice, tell: Tell): void {
  const delta = isRecord(given['delta']) ? given['delta'] : {}
  const calls: readonly unknown[] = Array.isArray(delta['tool_calls']) ? delta['tool_calls'] : []
  const texts = [
    ['content', textOf(delta['content'])],
    ['reasoning', textOf(delta['reasoning_content']) || textOf(delta['reasoning'])],
  ] as const
  const says = calls.length > 0 || texts.some(([, text]) => text !== '')
  if (choice.finish !== null && says) tell('nothing-after', `more after ${JSON.stringify(choice.finish.slice(0, 40))}`)
  for (const [name, text] of texts) watchHalves(name, text, tell)
  choice.hasCalls ||= calls.length > 0
  for (const call of calls) addCall(isRecord(call) ? call : {}, choice, tell)
  const finish = given['finish_reason']
  if (typeof finish !== 'string' || finish === '') return
  if (choice.finish !== null) tell('one-finish', 'more than one')
  choice.finish = finish
}

function addCall(given: JsonRecord, choice: Choice, tell: Tell): void {
  const index = given['index']
  if (!Number.isSafeInteger(index)) return tell('call-index', 'a delta of a call has none')
  const at = index as number
  const called = isRecord(given['function']) ? given['function'] : {}
  const [id, name] = [textOf(given['id']), textOf(called['name'])]
  const open = choice.calls.get(at)
  if (open === undefined) openCall(choice, { at, id, name }, tell)
  else continueCall(open, { id, name }, tell)
  const args = called['arguments']
  if (args !== undefined && args !== null && typeof args !== 'string')
    tell('arguments-text', `they come as ${Array.isArray(args) ? 'a list' : `a value of type ${typeof args}`}`)
  watchHalves('arguments', textOf(args), tell)
}

interface Head {
  readonly id: string
  readonly name: string
}

function openCall(choice: Choice, { at, id, name }: Head & { readonly at: number }, tell: Tell): void {
  if (at !== choice.calls.size) tell('call-index', `call ${choice.calls.size + 1} has the index ${at}`)
  if (id === '') tell('call-id', 'the first delta of a call has none')
  else if (choice.ids.has(id)) tell('call-id', 'two calls have the same')
  if (name === '') tell('call-name', 'the first delta of a call has none')
  choice.ids.add(id)
  choice.calls.set(at, { id, name })
}

function continueCall(open: Call, { id, name }: Head, tell: Tell): void {
  // Some servers say both in every delta, which clients that only take the first bear.
  if (id !== '' && id !== open.id) tell('call-id', 'it changes within a call')
  if (name === '') return
  if (open.name === '') open.name = name
  else tell('call-name', 'it comes again', name === open.name ? 'odd' : 'broken')
}

/** JavaScript puts the halves together again; Python cannot even write them down. */
function watchHalves(name: string, text: string, tell: Tell): void {
  const last = text.charCodeAt(text.length - 1)
  if (isLow(text.charCodeAt(0)) || (last >= 0xd800 && last <= 0xdbff))
    tell('whole-characters', `${name} is cut inside a character`)
  // Whoever decodes the bytes of each token by itself writes this in place of what it cannot decode yet.
  else if (text.includes('\ufffd')) tell('whole-characters', `${name} holds U+FFFD`, 'odd')
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff
}

function judgeEnd({ hasCalls, finish }: Choice, tell: Tell): void {
  if (finish === null) return tell('one-finish', 'there is none', 'odd')
  const says = finishOf(finish)
  if (says === 'tool_calls' && !hasCalls) tell('finish-names-calls', `it is ${finish.slice(0, 40)} without a call`)
  // A call that was forced by its name ends in "stop" at OpenAI, too.
  if (says === 'stop' && hasCalls) tell('finish-names-calls', `it is ${finish.slice(0, 40)} behind a call`, 'odd')
}
