import type { SimHandler } from './handler.ts'
import type { SimResponse } from './response.ts'

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
