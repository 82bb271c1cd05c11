/** Where traffic goes. */
export interface Target {
  readonly isTls: boolean
  /** Without the brackets of an IPv6 address. */
  readonly hostname: string
  readonly port: number
  /** The `Host` header. */
  readonly host: string
  /** What stands before every path, without a slash at its end: `/api` of `https://host/api/v1`. */
  readonly prefix: string
}

/** The target of an address such as `https://api.example.com/v1`, or what is wrong with it. */
export function readTarget(url: string): Target | { readonly fault: string } {
  const parsed = URL.canParse(url) ? new URL(url) : null
  if (parsed === null || !/^https?:$/.test(parsed.protocol))
    return {
      fault: `${JSON.stringify(url.slice(0, 60))} is no http address. Give one such as http://127.0.0.1:8000/v1`,
    }
  if (parsed.username !== '' || parsed.password !== '')
    return { fault: 'the address holds a name or password. Clients send their keys themselves; leave it out.' }
  if (parsed.search !== '') return { fault: 'the address has a query. Clients send theirs themselves; leave it out.' }
  const isTls = parsed.protocol === 'https:'
  return {
    isTls,
    hostname: parsed.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: parsed.port === '' ? (isTls ? 443 : 80) : Number(parsed.port),
    host: parsed.host,
    // Clients ask for /v1/… of the proxy as they ask for it of the server.
    prefix: parsed.pathname.replace(/\/+$/, '').replace(/\/v1$/, ''),
  }
}
