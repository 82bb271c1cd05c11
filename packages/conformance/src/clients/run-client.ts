import type { Api, ApiRequest } from '@callspec/apis'
import { APIS, writeRequest } from '@callspec/apis'
import { fromPlain, isDict } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'
import { openSession } from '../drivers/session.ts'
import type { Implementation } from '../implementation.ts'
import { BrokenImplementation } from '../implementation.ts'
import type { Claim, Declaration, Omitted } from '../protocol/declaration.ts'
import { matches, STRICT } from '../protocol/declaration.ts'
import type { ClientCase } from './client-cases.ts'
import { clientCases } from './client-cases.ts'
import { randomOf, streamPieces } from './client-stream.ts'
import type { ClientVerdict } from './judge-client.ts'
import { judgeClient } from './judge-client.ts'
import type { AskClient, FailingCase, SmallestStream } from './shrink-stream.ts'
import { smallestStream } from './shrink-stream.ts'
import type { StreamServer } from './stream-server.ts'
import { startStreamServer } from './stream-server.ts'

/** The operation of clients in the protocol. */
export const CLIENT = 'client'

/** What is asked, and of whom. */
export interface ClientRequest {
  /** Run by `sh -c` in the current folder. */
  readonly command: string
  /** Empty: all that the client declares. */
  readonly apis: readonly Api[]
  /** The built-in streams are drawn from it. */
  readonly seed: number
  /** Ids of built-in streams, with `*` for any text. Empty: all. */
  readonly ids: readonly string[]
  /** Recorded streams in place of the built-in ones; null for these. */
  readonly recorded: readonly ClientCase[] | null
  /** Milliseconds for one stream. */
  readonly timeLimit: number
  /** The version of callspec. */
  readonly version: string
  readonly onProgress?: (done: number, all: number) => void
}

/** One stream, and how it was read. */
export interface ClientResult {
  readonly item: ClientCase
  readonly verdict: ClientVerdict
}

/** Streams that fail alike under one change. */
export interface ClientFinding extends SmallestStream {
  readonly streams: number
  /** The stream that was made smaller. */
  readonly first: ClientCase
}

/** The results of a run. */
export interface ClientRun {
  readonly about: Declaration
  readonly apis: readonly Api[]
  readonly omits: Readonly<Record<Api, readonly Omitted[]>>
  readonly results: readonly ClientResult[]
  readonly findings: readonly ClientFinding[]
}

/** So many streams are offered at a time; a client may read them one by one. */
const AT_A_TIME = 8

/**
 * Lets a client read streams from a server on 127.0.0.1, and judges what it understood.
 *
 * @throws BrokenImplementation where the program does not speak the protocol, or does not read the first stream of an API at all
 */
export async function runClient(request: ClientRequest): Promise<ClientRun> {
  const { command, timeLimit, version } = request
  const server = await startStreamServer()
  let implementation: Implementation | null = null
  try {
    implementation = await openSession(command, { timeLimit, version })
    return await askAll(implementation, server, request)
  } finally {
    await server.close()
    await implementation?.close?.()
  }
}

async function askAll(
  implementation: Implementation,
  server: StreamServer,
  request: ClientRequest,
): Promise<ClientRun> {
  const { about } = implementation
  const declared = new Map(
    about.supports.filter(isOfClients).flatMap(({ apis = APIS, omits = [] }) => apis.map((api) => [api, omits])),
  )
  if (declared.size === 0) throw new BrokenImplementation(`${about.name} does not declare the operation "${CLIENT}"`)
  const apis = (request.apis.length === 0 ? APIS : request.apis).filter((api) => declared.has(api))
  const omitsOf = (api: Api): readonly Omitted[] => declared.get(api) ?? []
  const ask: AskPart = async (item, open = []) => {
    const offer = server.offer({
      ...{ api: item.api, isReset: item.stream.isReset },
      pieces: streamPieces(item.stream, randomOf(item.seed)),
    })
    const input = fromPlain({ api: item.api, base_url: offer.url, api_key: 'callspec' }) as PyDict
    const question = new Map<string, PyValue>([...input, ['request', requestBody(item.api)]])
    const reply = await implementation.answer({ id: item.id, op: CLIENT, profile: STRICT, input: question })
    return judgeClient(item, { reply, requests: offer.withdraw(), omits: [...omitsOf(item.api), ...open] })
  }
  const cases = (request.recorded ?? apis.flatMap((api) => clientCases(api, request.seed))).filter(
    ({ id, api }) => apis.includes(api) && (request.ids.length === 0 || matches(request.ids, id)),
  )
  const judged = await judgeAll(cases, ask, request)
  const findings = await findingsOf(judged.results, judged.openOf, ask)
  return {
    ...{ about, apis, findings, results: judged.results },
    omits: { chat: omitsOf('chat'), messages: omitsOf('messages'), responses: omitsOf('responses') },
  }
}

function isOfClients({ operations }: Claim): boolean {
  return matches(operations, CLIENT)
}

/** Asks the client; `open` is not compared. */
type AskPart = (item: ClientCase, open?: readonly Omitted[]) => Promise<ClientVerdict>

interface Judged {
  readonly results: readonly ClientResult[]
  /** What is read wrong of a stream's reply without a change. */
  readonly openOf: (item: ClientCase) => readonly Omitted[]
}

/** Unchanged streams first: what is read wrong of a reply without a change is not compared again. */
async function judgeAll(cases: readonly ClientCase[], ask: AskPart, request: ClientRequest): Promise<Judged> {
  const verdicts = new Map<ClientCase, ClientVerdict>()
  const open = new Map<string, readonly Omitted[] | null>()
  const [plain, others] = [true, false].map((isPlain) =>
    cases.filter(({ change }) => (change.id === 'plain') === isPlain),
  )
  const each = async (
    items: readonly ClientCase[] = [],
    judge: (item: ClientCase) => Promise<ClientVerdict>,
  ): Promise<void> => {
    for (let from = 0; from < items.length; from += AT_A_TIME) {
      await Promise.all(items.slice(from, from + AT_A_TIME).map(async (item) => verdicts.set(item, await judge(item))))
      request.onProgress?.(verdicts.size, cases.length)
    }
  }
  await each(plain, async (item) => {
    const verdict = await ask(item)
    // Nothing was read of the simplest stream: the script is broken, not the client.
    if (verdict.kind === 'errored' && item.id.endsWith('/text/plain'))
      throw new BrokenImplementation(`${request.command}: broken, not judged. It ${verdict.reason} (${item.id})`)
    open.set(replyOf(item), await openParts(item, verdict, ask))
    return verdict
  })
  await each(others, (item) => {
    const parts = open.get(replyOf(item)) ?? []
    const isMisread = open.get(replyOf(item)) === null
    return isMisread ? Promise.resolve({ kind: 'skipped', reason: MISREAD }) : ask(item, parts)
  })
  return {
    results: cases.map((item) => ({ item, verdict: verdicts.get(item) ?? { kind: 'skipped', reason: MISREAD } })),
    openOf: (item) => (item.change.id === 'plain' ? [] : (open.get(replyOf(item)) ?? [])),
  }
}

const MISREAD = 'this reply is read wrong without a change, too'

/** The parts without which an unchanged stream is read right; null if no part makes the difference. */
async function openParts(item: ClientCase, first: ClientVerdict, ask: AskPart): Promise<readonly Omitted[] | null> {
  let verdict = first
  const open: Omitted[] = []
  while (verdict.kind === 'failed') {
    const { part } = verdict
    const found = PARTS.find((each) => !open.includes(each) && (part === each || part.endsWith(`for ${each}`)))
    if (found === undefined) return null
    open.push(found)
    verdict = await ask(item, open)
  }
  return verdict.kind === 'passed' ? open : null
}

const PARTS: readonly Omitted[] = ['usage', 'finish', 'ids', 'reasoning']

/** `API/REPLY` of an id. */
function replyOf({ id }: ClientCase): string {
  return id.split('/').slice(0, 2).join('/')
}

/** The failures by change and fault, each with its smallest stream. Unchanged streams are told apart by what is read wrong. */
async function findingsOf(
  results: readonly ClientResult[],
  openOf: Judged['openOf'],
  ask: AskPart,
): Promise<readonly ClientFinding[]> {
  const groups = new Map<string, FailingCase[]>()
  for (const { item, verdict } of results) {
    if (verdict.kind !== 'failed') continue
    // What is read wrong without a change has its cause in the reply.
    const cause =
      item.change.id === 'plain' ? [verdict.part, verdict.part === 'arguments' && item.said.finish === 'length'] : []
    const raised = verdict.fault === 'refused' ? verdict.part : ''
    const key = JSON.stringify([item.api, item.change.id, verdict.fault, raised, ...cause])
    groups.set(key, [...(groups.get(key) ?? []), { item, verdict }])
  }
  const findings: ClientFinding[] = []
  for (const group of groups.values()) {
    const [first] = group.toSorted((one, other) => sizeOf(one) - sizeOf(other))
    if (first === undefined) continue
    const open = openOf(first.item)
    const again: AskClient = (item) => ask(item, open)
    findings.push({ ...(await smallestStream(first, again)), streams: group.length, first: first.item })
  }
  return findings
}

function sizeOf({ item }: FailingCase): number {
  return item.stream.events.length
}

const CITY = { type: 'object', properties: { city: { type: 'string' }, note: { type: 'string' } } }
const NOTHING = { type: 'object', properties: {} }
const PLAN = { type: 'object', properties: { days: { type: 'array' }, ok: { type: 'boolean' } } }
const PAY = { type: 'object', properties: { id: { type: 'integer' }, price: { type: 'number' } } }

const TOOLS = Object.entries({ get_weather: CITY, clock: NOTHING, plan: PLAN, pay: PAY })

/** What a client sends: one question, and the tools that replies call. */
const REQUEST: ApiRequest = {
  messages: [{ role: 'user', text: 'What is the weather, and what time is it?', images: [] }],
  tools: TOOLS.map(([name, schema]) => {
    const parameters = fromPlain(schema)
    return { name, description: `The tool ${name}.`, parameters: isDict(parameters) ? parameters : null, strict: false }
  }),
  ...{ choice: null, parallel: null, limit: 1024, stop: [] },
}

function requestBody(api: Api): PyDict {
  const usage = new Map<string, PyValue>([['stream_options', fromPlain({ include_usage: true })]])
  return writeRequest(REQUEST, api, { model: 'callspec', stream: true, others: api === 'chat' ? usage : new Map() })
}
