import { APIS, projected, readRequest } from '@callspec/apis'
import type { Api as ApiName } from '@callspec/apis'
import { formatNamed } from '@callspec/core'
import { fromPlain, isDict, loads } from '@callspec/python'
import type { PyDict, PyList, PyValue } from '@callspec/python'
import type { Case } from '../../../cases/case.ts'
import { BrokenImplementation } from '../../../implementation.ts'
import type { Question } from '../../../implementation.ts'
import { beginsInThought, questionText, toolsFor } from '../../prepared-question.ts'
import { apiAt, unreachableServer } from '../api.ts'

import { firstModel, serverVersion } from '../prompt-view.ts'
import { findWay, HARMLESS, unaskable, unsayable } from '../say/engine.ts'
import type { FoundWay } from '../say/engine.ts'
import { isSaid, rawText } from '../say/said-answer.ts'
import { FORCED_OTHERWISE } from '../say/say-texts.ts'
import type { SayOptions } from '../say/say-texts.ts'
import { endsOf, WITHOUT_THOUGHT } from '../say/ways.ts'
import type { Reading, ReadingContext } from './ask-reading.ts'
import { askReading } from './ask-reading.ts'
import type { AllowedCalls, ReadingFault } from './compare-readings.ts'
import { compareReadings } from './compare-readings.ts'
import { comparePrompts } from './prompts.ts'
import { findTap } from './tap.ts'

/** How texts are said, and whether readings must agree on white space at the ends. */
type ApiSayOptions = Pick<SayOptions, 'mode' | 'maxTokens'> & { readonly isSpaceStrict: boolean }

/** How a server is asked over several APIs. */
export interface ApiRunOptions {
  readonly apis: readonly ApiName[]
  readonly say: ApiSayOptions
  /** For one request, in milliseconds. */
  readonly timeLimit: number
  readonly model?: string
  readonly apiKey?: string
}

/** What was asked for together with a said text; `prompt`: nothing was said, prompts were compared. */
export type RequestKind =
  'auto' | 'none' | 'required' | 'named' | 'other tool' | 'one call' | 'strict' | 'limit' | 'stop' | 'prompt'

/** One said text with all its readings compared, or one conversation with its prompts. */
export interface ApiResult {
  /** Of the case; of a conversation its name. */
  readonly id: string
  readonly request: RequestKind
  readonly verdict: 'passed' | 'failed' | 'errored' | 'skipped'
  /** Why it is errored or skipped. */
  readonly reason: string | null
  readonly faults: readonly ReadingFault[]
  /** The readings that were made. */
  readonly readings: readonly Pick<Reading, 'api' | 'stream'>[]
}

/** A server that says texts over several APIs. */
export interface ApiServer {
  readonly name: string
  readonly version: string
  /** Those in which it can be made to say a text. */
  readonly apis: readonly ApiName[]
  /** Notes on all results, one line each. */
  readonly remarks: readonly string[]
  /** The texts of `parse` and `stream` of these cases, then prompts. @throws BrokenImplementation when the server is gone */
  results(cases: AsyncIterable<Case>): AsyncIterable<ApiResult>
}

/**
 * Finds out over which APIs a server can be made to say a text, and where it shows its prompts.
 *
 * @throws BrokenImplementation where it says none over any
 */
export async function openApis(url: string, options: ApiRunOptions): Promise<ApiServer> {
  const api = apiAt(url, { apiKey: options.apiKey ?? 'EMPTY', timeLimit: options.timeLimit })
  const model = options.model ?? (await firstModel(api, url))
  const found = await findWay(api, { url, model, mode: options.say.mode })
  const tap = await findTap(api, model)
  const context = { api, model, tap }
  const usable: ApiName[] = []
  const remarks = [`said through "${found.way.name}"`]
  remarks.push(
    tap === null
      ? 'prompts are not shown: only their numbers of tokens are compared'
      : `prompts are seen at ${tap.how}`,
  )
  for (const name of APIS.filter((each) => options.apis.includes(each))) {
    const reason = await whyUnsaid(name, { context, found })
    if (reason === null) usable.push(name)
    else remarks.push(`${name} is left out: ${reason}`)
  }
  if (usable.length === 0) throw new BrokenImplementation(`${url}: ${remarks.join('; ')}.`)
  const server = { url, context, found, apis: usable, say: options.say }
  const version = await serverVersion(api)
  return { name: model, version, apis: usable, remarks, results: (cases) => resultsOf(server, cases) }
}

interface Server {
  readonly url: string
  readonly context: ReadingContext
  readonly found: FoundWay
  readonly apis: readonly ApiName[]
  readonly say: ApiSayOptions
}

/** Why a harmless text does not come over an API; null if it does. */
async function whyUnsaid(name: ApiName, { context, found }: Pick<Server, 'context' | 'found'>): Promise<string | null> {
  const isThoughtless = found.thought === 'switched'
  const members = await found.way.members(HARMLESS, isThoughtless)
  if (typeof members === 'string') return members
  const asked = requestOf(members, { isThoughtless, limit: 64 }, {})
  const { reply, problem, isMissing } = await askReading(context, { name, stream: false, ...asked })
  if (isMissing) return `the server does not have it: ${problem ?? ''}`
  if (reply === null || problem !== null) return problem ?? 'there is no reply'
  const { text, reasoning } = projected(reply.items)
  if ([text, reasoning].some((each) => each.trim() === HARMLESS)) return null
  return `"${found.way.name}" has no effect there: it said ${JSON.stringify((text || reasoning).slice(0, 60))}`
}

async function* resultsOf(server: Server, cases: AsyncIterable<Case>): AsyncIterable<ApiResult> {
  const met = new Set<string>()
  const tried = new Set<string>()
  for await (const item of cases) {
    if (item.op !== 'parse' && item.op !== 'stream') continue
    const said = saidOf(item)
    if (met.size === met.add(JSON.stringify([said.text, item.format, [...said.tools].length])).size) continue
    const auto = await askSaid(server, item, { ...said, kind: 'auto', allowed: null })
    yield auto.result
    if (auto.reference === null) continue
    for (const variant of variantsOf(said, auto.reference)) {
      const key = `${item.format ?? ''} ${variant.key}`
      if (tried.size === tried.add(key).size) continue
      yield (await askSaid(server, item, { ...said, ...variant })).result
    }
  }
  const { context, apis, found, say } = server
  const others: PyDict = new Map<string, PyValue>([
    ['temperature', 0n],
    ...(found.thought === 'switched' ? WITHOUT_THOUGHT : []),
  ])
  for await (const { id, refused, faults } of comparePrompts(context, { apis, others }))
    yield {
      ...{ id, request: 'prompt', reason: refused, faults },
      verdict: refused === null ? verdictOf(faults, say.isSpaceStrict) : 'skipped',
      readings: apis.map((api) => ({ api, stream: false })),
    }
}

interface Said {
  readonly text: string
  readonly tools: PyList
}

function saidOf(item: Question): Said {
  const text = questionText(item)
  return { text, tools: toolsFor(item.input, { text, format: formatNamed(item.format ?? '') }) }
}

/** A said text with what the request asks for. */
interface Asked extends Said {
  readonly kind: RequestKind
  readonly allowed: AllowedCalls
  readonly choice?: PyValue
  readonly parallel?: boolean
  readonly strict?: boolean
  readonly limit?: number
  readonly stop?: string
}

/** What else is asked of a text, after its first readings: each once per format and key. */
function variantsOf(
  said: Said,
  reference: Reading,
): readonly (Omit<Asked, keyof Said> & Partial<Said> & { readonly key: string })[] {
  const { calls } = projected(reference.reply?.items ?? [])
  const [first] = calls
  const output = reference.reply?.usage?.output ?? 0
  const limit = output < 4 ? [] : ([{ kind: 'limit', allowed: null, limit: Math.floor(output * CUT_AT) }] as const)
  if (first === undefined) {
    const [, , word = ''] = /^(\S+\s+){3}([\w]{3,})/.exec(said.text) ?? []
    const stop = word === '' ? [] : ([{ kind: 'stop', allowed: null, stop: word }] as const)
    return [...limit, ...stop].map((each) => ({ ...each, key: `${each.kind} prose` }))
  }
  if (calls.length > 1) {
    const single = { kind: 'one call', allowed: 'at most one', parallel: false } as const
    return [single, ...limit].map((each) => ({ ...each, key: `${each.kind} calls` }))
  }
  const variants = [
    { kind: 'none', allowed: 'none', choice: 'none' },
    { kind: 'required', allowed: 'some', choice: 'required' },
    { kind: 'named', allowed: { name: first.name }, choice: named(first.name) },
    { kind: 'other tool', allowed: { name: OTHER }, choice: named(OTHER), tools: [...said.tools, otherTool()] },
    { kind: 'strict', allowed: null, strict: true },
    ...limit,
  ] as const
  return variants.map((each) => ({ ...each, key: `${each.kind} call` }))
}

function named(name: string): PyValue {
  return fromPlain({ type: 'function', function: { name } })
}

/** A tool that the text does not call: a server that honours the choice keeps the model from calling another one. */
const OTHER = 'another_tool'

function otherTool(): PyValue {
  const parameters = { type: 'object', properties: {} }
  return fromPlain({ type: 'function', function: { name: OTHER, description: 'Another tool.', parameters } })
}

/** Where a reply is cut: of a short call, inside its arguments. */
const CUT_AT = 0.7

interface SixReadings {
  readonly result: ApiResult
  /** The first reading; null where it says nothing about the text. */
  readonly reference: Reading | null
}

async function askSaid(server: Server, item: Case, asked: Asked): Promise<SixReadings> {
  const { context, found, apis, say } = server
  const format = formatNamed(item.format ?? '')
  const without = (verdict: 'errored' | 'skipped', reason: string): SixReadings => {
    return { result: { id: item.id, request: asked.kind, verdict, reason, faults: [], readings: [] }, reference: null }
  }
  const reason = unsayable(asked.text, endsOf(format)) ?? unaskable(item.input, found.thought)
  if (reason !== null) return without('skipped', reason)
  if (found.toolsRefused !== null && asked.tools.length > 0)
    return without('skipped', `the server refuses ${found.way.name} with tools (${found.toolsRefused})`)
  const isThoughtless = found.thought === 'switched' && !beginsInThought(item.input)
  const members = await found.way.members(asked.text, isThoughtless)
  if (typeof members === 'string') {
    await refuseGone(server, members)
    return without('skipped', members)
  }
  const body = requestOf(members, { isThoughtless, limit: 2 * say.maxTokens }, asked)
  const readings: Reading[] = []
  for (const name of apis)
    for (const stream of [false, true])
      if (asked.stop === undefined || name !== 'responses') {
        const shows = name === 'chat' && !stream && found.showsTokens
        const others = shows ? new Map<string, PyValue>([...body.others, ['logprobs', true]]) : body.others
        readings.push(await askReading(context, { name, stream, request: body.request, others }))
      }
  if (readings.every(({ transcript }) => transcript === '')) await refuseGone(server, readings[0]?.problem ?? '')
  const [reference] = readings
  const raw = reference === undefined ? null : rawOf(reference, endsOf(format))
  if (asked.kind === 'auto' && raw !== null && !isSaid(asked.text, raw)) {
    if (found.way.mode === 'repeat') return without('skipped', FORCED_OTHERWISE)
    return without('errored', `was made to say the text, and said ${JSON.stringify(raw.slice(0, 200))}`)
  }
  const faults = compareReadings(readings, asked.allowed)
  const made = readings.map(({ api, stream }) => ({ api, stream }))
  const verdict = verdictOf(faults, say.isSpaceStrict)
  const result = { id: item.id, request: asked.kind, verdict, reason: null, faults, readings: made }
  return { result, reference: reference?.reply === null ? null : (reference ?? null) }
}

/** White space at the ends is a parser's: it fails only where that is asked for. */
function verdictOf(faults: readonly ReadingFault[], isSpaceStrict: boolean): 'passed' | 'failed' {
  return faults.some(({ rule }) => rule !== 'space' || isSpaceStrict) ? 'failed' : 'passed'
}

/** @throws BrokenImplementation where the server answers nothing any more */
async function refuseGone({ url, context: { api } }: Server, reason: string): Promise<void> {
  const answer = await api.get(`${api.prefix}/models`)
  if (answer.kind === 'none') throw new BrokenImplementation(`${reason}. ${unreachableServer(url, answer.reason)}`)
}

/** The text that the model wrote, if the server shows it. */
function rawOf({ seen, transcript, stream }: Reading, ends: readonly string[]): string | null {
  if (seen !== null && seen.said !== null) return seen.said
  if (stream) return null
  try {
    const value = loads(transcript)
    return isDict(value) ? (rawText(value, ends)?.text ?? null) : null
  } catch {
    // A refusal that is not JSON.
    return null
  }
}

/** The request of a said text in one shape, and the members that no API has. */
function requestOf(
  members: PyDict,
  { isThoughtless, limit }: { readonly isThoughtless: boolean; readonly limit: number },
  asked: Partial<Asked>,
): { readonly request: ReturnType<typeof readRequest>; readonly others: PyDict } {
  const { tools = [], choice = 'auto', parallel = true, strict = false, stop } = asked
  const offered = strict ? tools.map(strictTool) : tools
  const own: readonly (readonly [string, PyValue])[] = [
    ['messages', members.get('messages') ?? [fromPlain({ role: 'user', content: 'Say it.' })]],
    ['max_tokens', BigInt(asked.limit ?? Number(members.get('max_tokens') ?? limit))],
    ...(stop === undefined ? [] : [['stop', [stop]] as const]),
    ...(offered.length === 0
      ? []
      : ([
          ['tools', offered],
          ['tool_choice', choice],
          ['parallel_tool_calls', parallel],
        ] as const)),
  ]
  const others: readonly (readonly [string, PyValue])[] = [
    ['temperature', 0n],
    ...[...members].filter(([name]) => name !== 'messages' && name !== 'max_tokens'),
    ...(isThoughtless ? WITHOUT_THOUGHT : []),
  ]
  return { request: readRequest(new Map(own), 'chat'), others: new Map(others) }
}

function strictTool(tool: PyValue): PyValue {
  const inside = isDict(tool) ? tool.get('function') : null
  return isDict(tool) && isDict(inside) ? new Map(tool).set('function', new Map(inside).set('strict', true)) : tool
}
