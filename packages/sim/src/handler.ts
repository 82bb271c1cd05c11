import type { Format } from '@callspec/core'
import type { LedgerRow } from '@callspec/labels'
import type { CompletionRequest, HeaderReader } from './wire.ts'
import { readCompletionRequest } from './wire.ts'
import { createCompleter } from './completer.ts'
import { createLedger } from './ledger.ts'
import type { Passes } from './model-spec.ts'
import { PRESETS } from './model-spec.ts'
import { addSimFormat, versionNamed } from './spoken-formats.ts'
import type { Reference } from './reference.ts'
import { loadReferences } from './reference.ts'
import type { SimResponse } from './response.ts'
import { errorResponse, failureLabels, failureResponse, jsonResponse, replyResponse } from './response.ts'
import { timesOf } from './transport.ts'

/** The settings of simulated models. */
export interface SimOptions {
  /** The tasks that they can solve. Default: those of the built-in suite. */
  readonly references?: readonly Reference[]
  /** The passes of a run. If they are known, quotas count over all of them, otherwise over each. */
  readonly passes?: Passes
  /**
   * The formats in which prompts are expected: if several formats' prompts begin the same, one of these is meant. By
   * id, or as a format value, which every simulated model of the process speaks from then on.
   */
  readonly formats?: readonly (string | Format)[]
}

/** A request, independent of its transport. */
export interface SimRequest {
  readonly method: string
  /** With or without a query. */
  readonly path: string
  readonly header: HeaderReader
  readonly body: string
}

/** The simulated models as one function. */
export interface SimHandler {
  readonly handle: (request: SimRequest) => SimResponse
  /** The intended outcome of every completion so far, in the order of their first requests. */
  readonly ledger: () => readonly LedgerRow[]
}

/**
 * The simulated models without a server: request in, scripted response out. A reply depends only on the request, so
 * order, concurrency and retries change nothing; only the number of failures is remembered.
 */
export function createSimHandler({ references = loadReferences(), passes, formats = [] }: SimOptions = {}): SimHandler {
  const ledger = createLedger()
  for (const format of formats) {
    const added = typeof format === 'string' ? versionNamed(format) : format
    if (added !== null) addSimFormat(added)
  }
  const expected = formats.map((format) => (typeof format === 'string' ? format : format.id))
  const complete = createCompleter({ references, passes: passes ?? null, formats: expected })
  const answer = (asked: CompletionRequest | null): SimResponse => {
    if (asked === null) return errorResponse(400, BAD_BODY)
    const made = complete(asked)
    if (made.kind === 'refusal') return errorResponse(made.status, made)
    const { completion, effects, entry, latencyMs } = made
    const style = { api: asked.api, isStream: asked.isStream, effects, latencyMs }
    const { failure } = effects
    if (failure !== null && ledger.failures(entry.id) < timesOf(failure)) {
      const labels = failureLabels(failure)
      ledger.failed({ ...entry, ...labels, outcome: { success: false, blames: labels.blames, calls: entry.step } })
      return failureResponse(failure, completion, style)
    }
    ledger.answered(entry)
    return replyResponse(completion, style)
  }
  const handle = ({ method, path, header, body }: SimRequest): SimResponse => {
    switch (`${method} ${path.split('?')[0] ?? ''}`) {
      case 'POST /v1/chat/completions':
        return answer(readCompletionRequest(body, { api: 'chat', header }))
      case 'POST /v1/completions':
        return answer(readCompletionRequest(body, { api: 'completions', header }))
      case 'GET /v1/models':
        return jsonResponse(200, MODELS)
      case 'GET /__sim/ledger':
        return { ...jsonResponse(200, null), headers: JSON_LINES, body: ledgerBody(ledger.rows()) }
      case 'POST /__sim/reset':
        ledger.clear()
        return jsonResponse(200, { ok: true })
      default:
        return errorResponse(404, { code: 'not_found', message: `No such route: ${method} ${path}` })
    }
  }
  return { handle, ledger: ledger.rows }
}

/** The ledger is written in few pieces: a run may have a hundred thousand rows. */
function ledgerBody(rows: readonly LedgerRow[]): readonly string[] {
  const size = 1000
  return Array.from({ length: Math.ceil(rows.length / size) }, (_, at) =>
    rows
      .slice(at * size, (at + 1) * size)
      .map((row) => `${JSON.stringify(row)}\n`)
      .join(''),
  )
}

const JSON_LINES = { 'content-type': 'application/jsonl' }

const BAD_BODY = {
  code: 'invalid_request_error',
  message: 'The body is not a JSON object with "model" and "messages", or "model" and "prompt" as one text.',
}

const MODELS = {
  object: 'list',
  data: [...PRESETS.values()].map(({ id, about }) => ({
    id,
    object: 'model',
    created: 0,
    owned_by: 'callspec',
    description: about,
  })),
}

/** A `fetch` that is answered by simulated models, without a server: for tests, and for clients that take a `fetch`. */
export function simulatedFetch(handler: SimHandler): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init)
    return respond(await scriptedFor(handler, request), request.signal)
  }
}

/** The parts of msw that are needed: msw itself is no dependency of this package. */
export interface MswParts<Handler> {
  readonly http: {
    readonly all: (path: string, resolver: (info: { readonly request: Request }) => Promise<Response>) => Handler
  }
}

/**
 * The simulated models as handlers for msw's `setupServer`.
 *
 * @param baseUrl what is intercepted, such as `http://model.test`; `/v1/…` and `/__sim/…` follow
 */
export function mswHandlers<Handler>(
  { http }: MswParts<Handler>,
  { handler, baseUrl }: { readonly handler: SimHandler; readonly baseUrl: string },
): readonly Handler[] {
  const resolve = async ({ request }: { readonly request: Request }): Promise<Response> =>
    respond(await scriptedFor(handler, request), request.signal)
  return [http.all(`${baseUrl}/v1/*`, resolve), http.all(`${baseUrl}/__sim/*`, resolve)]
}

async function scriptedFor({ handle }: SimHandler, request: Request): Promise<SimResponse> {
  const { pathname, search } = new URL(request.url)
  return handle({
    method: request.method,
    path: `${pathname}${search}`,
    header: (name) => request.headers.get(name),
    body: await request.text(),
  })
}

/** A closed connection is what it is to `fetch`: a TypeError. */
async function respond(scripted: SimResponse, signal: AbortSignal): Promise<Response> {
  if (scripted.kind === 'silence') return aborted(signal)
  if (scripted.kind === 'reset') throw connectionReset()
  const { status, headers, body, end } = scripted
  const encoder = new TextEncoder()
  const pieces = body.map((piece) => (typeof piece === 'string' ? encoder.encode(piece) : piece))
  let next = 0
  const stream = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      const piece = pieces[next]
      next += 1
      if (piece !== undefined) controller.enqueue(piece)
      else if (end === 'complete') controller.close()
      else if (end === 'reset') controller.error(connectionReset())
      else signal.addEventListener('abort', () => controller.error(signal.reason), { once: true })
    },
  })
  return new Response(stream, { status, headers })
}

async function aborted(signal: AbortSignal): Promise<never> {
  signal.throwIfAborted()
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
  })
}

function connectionReset(): TypeError {
  const cause = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })
  return new TypeError('fetch failed', { cause })
}
