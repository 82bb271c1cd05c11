import { withDeadline } from '../client/limiter.ts'
import { completionErrorOf, infraError } from '../client/failure.ts'
import type { EndpointHeaders } from '../client/redact.ts'
import { secretsOf, withoutCredentials, splitAddress } from '../client/redact.ts'
import { isRecord, parsedJson, stringOrEmpty, objectIn } from '../text/json.ts'
import { openSender, bodyText } from '../client/sender.ts'
import { excerpt, quotedExcerpt } from '../text/excerpt.ts'
import type { Failure } from '../trace/completion.ts'
import { isSameModel } from '../trace/completion.ts'
import type { Finding } from './finding.ts'
import { asksForKey, HANGS, hangs, NEEDS_KEY, redirectAdvice, finding } from './finding.ts'
import type { ChatRequest, TextRequest } from '../client/client.ts'

export interface ModelListOptions {
  readonly baseUrl: string
  readonly apiKey: string
  readonly headers?: EndpointHeaders | undefined
  readonly timeoutMs: number
  readonly fetch: typeof globalThis.fetch | undefined
  /** A question about a misspelt name, or an empty text. */
  readonly didYouMean?: ((name: string, known: readonly string[]) => string) | undefined
  readonly isNameKnown?: boolean | undefined
}

/** Whether the server answers, and the model to examine: the wanted one, or the first of its list. */
export interface ListedModels {
  readonly model: string | null
  readonly findings: readonly Finding[]
}

/** Requests `/models`. Without such a list the wanted model is examined all the same. */
export async function listModels(
  options: ModelListOptions,
  wanted: string | null,
  signal: AbortSignal,
): Promise<ListedModels> {
  const list = await fetchList(options, signal)
  if ('kind' in list) return withoutList(list, wanted)
  const reachable = finding(
    'reachable',
    'ok',
    `${list.ids.length === 1 ? 'one model' : `${list.ids.length} models`} listed`,
  )
  const shown = shownNames(list.ids).join(', ')
  const model = wanted ?? list.ids[0] ?? null
  if (model === null) {
    const none = finding('model', 'fail', 'the server lists no model', 'Name one with --model, or load one.')
    return { model, findings: [reachable, none] }
  }
  if (list.ids.includes(model)) {
    const chosen = wanted === null ? firstOf(model, list.ids) : `${quotedExcerpt(model)} is listed`
    return { model, findings: [reachable, finding('model', 'ok', chosen)] }
  }
  const evidence = `${quotedExcerpt(model)} is not listed${shown === '' ? '' : `; there are ${shown}`}`
  const question = options.didYouMean?.(model, list.ids.slice(0, MOST_LISTED)).trim() || 'Is the name right?'
  const verdict = options.isNameKnown === true || list.ids.length === 0 || isVariant(model, list.ids) ? 'warn' : 'fail'
  return { model, findings: [reachable, finding('model', verdict, evidence, `${question} It is asked all the same.`)] }
}

/** That no model was named, and which others could be. */
function firstOf(model: string, ids: readonly string[]): string {
  const others = [...new Set(ids)].filter((id) => id !== model)
  if (others.length === 0) return `${quotedExcerpt(model)} is listed, and no other`
  return `${quotedExcerpt(model)} is the first one listed; --model takes another: ${shownNames(others, MOST_OTHERS).join(', ')}`
}

/** Some servers list hundreds of models. */
const MOST_OTHERS = 12

/** Whether the model is a listed name with parameters or a tag: `sim/oracle?seed=1`, `llama3:free`. Not every server lists these. */
function isVariant(model: string, listed: readonly string[]): boolean {
  const name = model.replace(/[?:@].*$/s, '')
  return name !== model && listed.some((each) => each === name || each.replace(/[?:@].*$/s, '') === name)
}

/** The findings about the model, with the model's name in its first reply. */
export function withAnswering(
  findings: readonly Finding[],
  { model, served }: { readonly model: string; readonly served: string },
): readonly Finding[] {
  if (served === '' || isSameModel(model, served)) return findings
  const evidence = `asked for ${quotedExcerpt(model)}, answered by ${quotedExcerpt(served)}`
  const other = finding('model', 'warn', evidence, OTHER_MODEL)
  const listed = findings.find(({ check }) => check === 'model')
  if (listed === undefined) return [...findings, other]
  const both = { ...listed, evidence: `${listed.evidence}; ${evidence}` }
  return findings.map((each) => (each !== listed ? each : listed.verdict === 'ok' ? other : both))
}

const OTHER_MODEL =
  'Does the server, or a proxy before it, fall back to another model? callspec eval blames such replies on the server. If it is another ' +
  'name of the same model, request that name.'

/** A misspelt name is compared with this many names. */
const MOST_LISTED = 1000

/** The names that a server lists; empty if it has no list or does not answer in time. */
export async function modelNames(options: ModelListOptions): Promise<readonly string[]> {
  const list = await fetchList(options, new AbortController().signal)
  return 'kind' in list ? [] : list.ids
}

function shownNames(ids: readonly string[], most = 5): readonly string[] {
  const more = ids.length > most ? [`… (${ids.length - most} more)`] : []
  return [...ids.slice(0, most).map((id) => quotedExcerpt(id)), ...more]
}

function withoutList(failure: Failure, wanted: string | null): ListedModels {
  const { kind, status, message } = failure
  if (asksForKey(status)) return { model: null, findings: [finding('reachable', 'fail', message, NEEDS_KEY)] }
  if (hangs(failure)) return { model: null, findings: [finding('reachable', 'fail', message, HANGS)] }
  if (status === null || kind === 'unreachable') {
    const change = 'Is the server running, and is the address right, with its port and its /v1?'
    return { model: null, findings: [finding('reachable', 'fail', message, change)] }
  }
  const change = redirectAdvice(status) ?? HAS_V1
  const reachable = finding('reachable', 'warn', `there is no list of models: ${message}`, change)
  if (wanted !== null) return { model: wanted, findings: [reachable] }
  const none = finding('model', 'fail', 'no model is known', 'Name one with --model.')
  return { model: null, findings: [reachable, none] }
}

const HAS_V1 = 'Does the address end in /v1, as that of most servers does? If it is right, nothing.'

async function fetchList(
  options: ModelListOptions,
  signal: AbortSignal,
): Promise<{ readonly ids: readonly string[] } | Failure> {
  const { timeoutMs } = options
  const server = await openSender(options)
  const secrets = secretsOf(options)
  const late = (): Error => infraError('the server did not answer in time', true)
  try {
    return await withDeadline({ timeoutMs, signal }, late, async (deadline) => {
      return { ids: idsIn(await bodyText(await server.get('/models', deadline))) }
    })
  } catch (error) {
    if (signal.aborted) return { kind: 'infra', status: null, message: 'no time was left' }
    const known = completionErrorOf(error)
    if (known === null) throw error
    return { ...known.failure, message: withoutCredentials(known.failure.message, secrets) }
  }
}

function idsIn(text: string): readonly string[] {
  const list = parsedJson(text)
  if (list === undefined) throw infraError(`the list of models is no JSON: ${excerpt(text)}`, false, 200)
  const data = isRecord(list) ? list['data'] : list
  return (Array.isArray(data) ? data : [])
    .map((each) => (isRecord(each) ? stringOrEmpty(each['id']) : ''))
    .filter((id) => id !== '')
}

/** Requests the prompt that a server makes of a chat; null if it has no such endpoint. Never throws for what a server does. */
export type ServerPrompt = (request: ChatRequest, signal: AbortSignal) => Promise<TextRequest | null>

/**
 * Two engines return the prompt of messages and tools: llama.cpp at `/apply-template`, and vLLM at `/tokenize`, whose tokens `/detokenize`
 * converts to text. The paths are next to `/v1`.
 */
export function createServerPrompt(options: ModelListOptions): ServerPrompt {
  return async (request, signal) => {
    const { model, messages, parameters } = request
    const { tools } = parameters
    const post = poster(options, signal)
    const applied = await post('apply-template', { messages, tools })
    if (typeof applied?.['prompt'] === 'string') return rawRequest(request, applied['prompt'], {})
    const chat = { model, messages, tools, add_generation_prompt: true }
    const tokens = (await post('tokenize', chat))?.['tokens']
    if (!Array.isArray(tokens) || tokens.length === 0) return null
    const spelled = (await post('detokenize', { model, tokens }))?.['prompt']
    // The token at the beginning of a text is already in the prompt.
    return typeof spelled === 'string' ? rawRequest(request, spelled, { add_special_tokens: false }) : null
  }
}

function rawRequest(
  { model, parameters, sample }: ChatRequest,
  prompt: string,
  further: Readonly<Record<string, unknown>>,
): TextRequest {
  const { tools: _tools, tool_choice: _choice, ...rest } = parameters
  const own = { model, prompt, parameters: { ...rest, ...further } }
  return sample === undefined ? own : { ...own, sample }
}

type Post = (path: string, body: object) => Promise<Readonly<Record<string, unknown>> | null>

function poster(options: ModelListOptions, signal: AbortSignal): Post {
  const { baseUrl, timeoutMs } = options
  const late = (): Error => infraError('the server did not answer in time', true)
  return async (path, body) => {
    const server = await openSender(options)
    try {
      return await withDeadline({ timeoutMs, signal }, late, async (deadline) => {
        const response = await server.post(nextToV1(baseUrl, path), body, deadline)
        return objectIn(await bodyText(response))
      })
    } catch {
      // Most servers lack the path; their errors differ.
      return null
    }
  }
}

/** The address of a path next to `/v1`. */
function nextToV1(baseUrl: string, path: string): string {
  const url = new URL(splitAddress(baseUrl).url)
  url.pathname = `${url.pathname.replace(/\/(?:v1\/?)?$/, '')}/${path}`
  return url.href
}
