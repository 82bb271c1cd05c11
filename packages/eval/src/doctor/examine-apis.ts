import {
  API_LAWS,
  API_PATHS,
  APIS,
  NoReply,
  projected,
  readReply,
  readRequest,
  TOLERATED,
  writeRequest,
} from '@callspec/apis'
import type { Api, ApiReply } from '@callspec/apis'
import { dumps, fromPlain, isDict, loads } from '@callspec/python'
import type { PlainValue, PyDict } from '@callspec/python'
import { completionErrorOf, infraError } from '../client/failure.ts'
import { withDeadline } from '../client/limiter.ts'
import { secretsOf, withoutCredentials } from '../client/redact.ts'
import { bodyText, openSender } from '../client/sender.ts'
import { leftCallIn } from './ask-calls.ts'
import type { Finding } from './finding.ts'
import { finding } from './finding.ts'
import type { ModelListOptions } from './list-models.ts'
import { PROBE_TOKENS, SEED } from './prober.ts'

/** One of the readings of a question: an API, whole or streamed. */
interface Reading {
  readonly api: Api
  readonly stream: boolean
  readonly result: ApiReply | NoReading
}

/** Why there is no reply. `isMissing`: the server does not have the API. */
interface NoReading {
  readonly missing: string
  readonly isMissing: boolean
}

/** A question with a tool, which a model answers by a call, by text, or both. */
const QUESTION = fromPlain({
  messages: [
    { role: 'system', content: 'Answer in one short sentence. Use a tool if it helps.' },
    { role: 'user', content: 'What time is it in Oslo? 奥斯陆现在几点？' },
  ],
  tools: [
    {
      type: 'function',
      function: {
        name: 'clock',
        description: 'The time in a city.',
        parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
      },
    },
  ],
})

/**
 * Which of the three APIs a server has, and whether it says the same over each: one question, greedy, over each API whole and streamed
 * (`quick`: streamed only). One finding per API. Never throws for what the server does.
 */
export async function examineApis(
  options: ModelListOptions,
  { model, quick, signal }: { readonly model: string; readonly quick: boolean; readonly signal: AbortSignal },
): Promise<readonly Finding[]> {
  const readings: Reading[] = []
  const ask = async (api: Api, stream: boolean): Promise<Reading> => {
    const result = await askOnce(options, { api, stream, model, signal })
    return { api, stream, result }
  }
  for (const api of APIS)
    for (const stream of quick ? [true] : [false, true]) {
      const reading = await ask(api, stream)
      readings.push(reading)
      if ('missing' in reading.result && reading.result.isMissing) break
    }
  const first = replyIn(readings, 'chat', quick)
  const again = first === null ? null : (await ask('chat', quick)).result
  const isRepeatable = first !== null && again !== null && !('missing' in again) && saidIn(first) === saidIn(again)
  return APIS.map((api) => judgeApi(api, { readings, reference: isRepeatable ? first : null }))
}

function replyIn(readings: readonly Reading[], api: Api, stream: boolean): ApiReply | null {
  const found = readings.find((each) => each.api === api && each.stream === stream)?.result
  return found === undefined || 'missing' in found ? null : found
}

interface Asked {
  readonly api: Api
  readonly stream: boolean
  readonly model: string
  readonly signal: AbortSignal
}

async function askOnce(options: ModelListOptions, { api, stream, model, signal }: Asked): Promise<Reading['result']> {
  const { timeoutMs } = options
  const late = (): Error => infraError('the server did not answer in time', true)
  try {
    const sender = await openSender(options)
    return await withDeadline({ timeoutMs, signal }, late, async (deadline) => {
      const body = bodyFor(api, stream, model)
      const text = await bodyText(await sender.post(API_PATHS[api], body, deadline))
      return readReply(text, api, { holdsCall: (said) => leftCallIn(said)?.isWhole === true })
    })
  } catch (error) {
    if (signal.aborted) return { missing: 'no time was left', isMissing: false }
    if (error instanceof NoReply) return { missing: `the answer is no reply: ${error.message}`, isMissing: false }
    const known = completionErrorOf(error)
    if (known === null) throw error
    const message = withoutCredentials(known.failure.message, secretsOf(options))
    return { missing: message, isMissing: MISSING.has(known.failure.status ?? 0) }
  }
}

const MISSING: ReadonlySet<number> = new Set([404, 405, 501])

function bodyFor(api: Api, stream: boolean, model: string): object {
  const greedy: readonly (readonly [string, PlainValue])[] = [
    ['temperature', 0],
    ...(api === 'chat' ? [['seed', SEED] as const] : []),
  ]
  const others: PyDict = new Map(greedy.map(([name, value]) => [name, fromPlain(value)]))
  const request = { ...readRequest(isDict(QUESTION) ? QUESTION : new Map(), 'chat'), limit: PROBE_TOKENS }
  return JSON.parse(dumps(writeRequest(request, api, { model, stream, others }))) as object
}

interface Readings {
  readonly readings: readonly Reading[]
  /** The whole reply of chat; null if chat does not repeat itself, or gives none. */
  readonly reference: ApiReply | null
}

function judgeApi(api: Api, { readings, reference }: Readings): Finding {
  const check = `api-${api}` as const
  const own = readings.filter((each) => each.api === api)
  const faults: string[] = []
  for (const { stream, result } of own) {
    const where = stream ? 'streamed' : 'whole'
    if ('missing' in result) {
      if (result.isMissing) return finding(check, 'unknown', `the server does not have it: ${result.missing}`)
      faults.push(`${where}: ${result.missing}`)
      continue
    }
    const broken = result.breaches.filter(({ law }) => !TOLERATED.has(law))
    if (broken.length > 0) faults.push(`${where} breaks ${lawsText(broken.map(({ law }) => law))}`)
    if (reference !== null && result !== reference && saidIn(result) !== saidIn(reference))
      faults.push(`${where} differs from chat: ${differenceText(result, reference)}`)
  }
  if (faults.length > 0) return finding(check, 'warn', faults.join('; '), adviceFor(api))
  const same = api === 'chat' || reference === null ? '' : ', and it says what chat says'
  return finding(check, 'ok', `${own.length === 2 ? 'whole and streamed' : 'streamed'}: every law holds${same}`)
}

function adviceFor(api: Api): string {
  return `Clients of ${API_PATHS[api]} may lose something. Record it with callspec proxy --record, and look at a reply with callspec reply.`
}

/** Arguments of messages are values: only what they mean is compared. */
function saidIn({ items, finish }: ApiReply): string {
  const { reasoning, text, calls } = projected(items)
  const made = calls.map(({ name, arguments: args }) => [name, valueIn(args)])
  return JSON.stringify([reasoning.trim(), text.trim(), made, finish === 'stop_sequence' ? 'stop' : finish])
}

function valueIn(args: string): string {
  try {
    return dumps(loads(args))
  } catch {
    // A call that was cut.
    return args
  }
}

function differenceText(one: ApiReply, other: ApiReply): string {
  const [left, right] = [projected(one.items), projected(other.items)]
  if (left.calls.length !== right.calls.length) return `${left.calls.length} instead of ${right.calls.length} calls`
  if (left.text.trim() !== right.text.trim()) return 'another text'
  if (left.reasoning.trim() !== right.reasoning.trim()) return 'another reasoning'
  return one.finish === other.finish
    ? 'other calls'
    : `it ends by ${one.finish ?? 'nothing'}, not ${other.finish ?? 'nothing'}`
}

function lawsText(laws: readonly (keyof typeof API_LAWS)[]): string {
  const [first] = laws
  return first === undefined ? '' : `${laws.join(', ')} (${API_LAWS[first]}${laws.length > 1 ? ', …' : ''})`
}
