/** An address, and the query that goes behind every path below it. */
export interface Address {
  readonly url: string
  /** Without its question mark; empty where there is none. */
  readonly query: string
}

/** `https://host/v1?api-version=1` in two: the paths of the API go in between. */
export function splitAddress(baseUrl: string): Address {
  const [whole = ''] = baseUrl.split('#', 1)
  const at = whole.indexOf('?')
  return at < 0 ? { url: whole, query: '' } : { url: whole.slice(0, at), query: whole.slice(at + 1) }
}

/** The parameters of a query that say which interface is meant and open nothing; any other may be a key. */
const OPEN_PARAMETERS: ReadonlySet<string> = new Set(['api-version'])

/** The part of a query that may be written down, and the values of the rest, as they stand and decoded. */
export function sortQuery(query: string): { readonly open: string; readonly secrets: readonly string[] } {
  const parts = query.split('&').filter((part) => part !== '')
  const isOpen = (part: string): boolean => {
    const [name = '', value = ''] = part.split('=', 2)
    return OPEN_PARAMETERS.has(name) && /^[\w.-]{1,40}$/.test(value)
  }
  const closed = parts.filter((part) => !isOpen(part))
  const values = closed.map((part) => part.slice(part.indexOf('=') + 1))
  return { open: parts.filter(isOpen).join('&'), secrets: [...new Set([...values, ...values.map(decoded)])] }
}

function decoded(text: string): string {
  return new URLSearchParams(`v=${text}`).get('v') ?? text
}
