import type { Format } from '@callspec/core'
import type { LedgerRow } from '@callspec/labels'
import { readCompletionRequest } from './chat-request.ts'
import type { CompletionRequest, HeaderReader } from './chat-request.ts'
import { createCompleter } from './completer.ts'
import { createLedger } from './ledger.ts'
import type { Passes } from './model-spec.ts'
import { PRESETS } from './model-spec.ts'
import { addSimFormat } from './protocol.ts'
import { loadReferences } from './reference.ts'
import type { Reference } from './reference.ts'
import { errorResponse, failureLabels, failureResponse, jsonResponse, replyResponse } from './response.ts'
import type { SimResponse } from './response.ts'
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
  for (const format of formats) if (typeof format !== 'string') addSimFormat(format)
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
