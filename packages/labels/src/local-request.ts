/** What of a request says who sent it. */
export interface LocalRequest {
  readonly method: string
  /** The header `Host`; undefined where there is none. */
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
 * Why a server that listens on this machine alone refuses a request: a page whose name was made to resolve to 127.0.0.1 (DNS
 * rebinding) has another `Host`, and a page of another site that sends a request has another `Origin`. Null where it refuses none, as
 * for every request to a server that listens on another address.
 *
 * @param address that the server listens on
 */
export function localRequestFault({ method, host, origin }: LocalRequest, address: string): LocalRequestFault | null {
  if (!LOOPBACK.test(address)) return null
  if (host !== undefined && !LOCAL.test(host) && host.replace(/:\d{1,5}$/, '') !== address)
    return { status: 421, reason: 'this server is for this machine alone: Host must be localhost, 127.0.0.1 or [::1].' }
  if (origin === undefined || READING.has(method) || LOCAL.test(origin.replace(/^https?:\/\//i, ''))) return null
  return { status: 403, reason: 'this server is for this machine alone, and the page at Origin is of another site.' }
}
