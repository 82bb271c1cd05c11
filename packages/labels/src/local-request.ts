/** The parts of a request that show its sender. */
export interface LocalRequest {
  readonly method: string
  /** The header `Host`; undefined if it is missing. */
  readonly host: string | undefined
  /** The header `Origin`, which browsers send with requests of pages. */
  readonly origin: string | undefined
}

/** Why a request is refused. */
export interface LocalRequestFault {
  readonly status: 421 | 403
  readonly reason: string
}

const LOCAL = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/i
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|::1|::ffff:127(?:\.\d{1,3}){3})$/i
/** Methods that change nothing and cost nothing. */
const READING: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Why a server that listens only on this machine refuses a request; null if it accepts it. A page whose name resolves to 127.0.0.1 by
 * DNS rebinding sends another `Host`; a page of another site sends another `Origin`. A server on another address accepts all requests.
 *
 * @param address the address that the server listens on
 */
export function localRequestFault({ method, host, origin }: LocalRequest, address: string): LocalRequestFault | null {
  if (!LOOPBACK.test(address)) return null
  if (host !== undefined && !LOCAL.test(host) && host.replace(/:\d{1,5}$/, '') !== address)
    return { status: 421, reason: 'this server is for this machine alone: Host must be localhost, 127.0.0.1 or [::1].' }
  if (origin === undefined || READING.has(method) || LOCAL.test(origin.replace(/^https?:\/\//i, ''))) return null
  return { status: 403, reason: 'this server is for this machine alone, and the page at Origin is of another site.' }
}
