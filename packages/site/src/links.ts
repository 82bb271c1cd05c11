import { posix } from 'node:path'
import { pageOf } from './pages.ts'

/** What a link of a page leads to. */
export type Target =
  | { readonly kind: 'elsewhere' }
  | { readonly kind: 'page'; readonly page: string; readonly anchor: string | null }
  | { readonly kind: 'file'; readonly path: string; readonly address: string | null }
  | { readonly kind: 'dead' }

/** What links are followed in. */
export interface Repository {
  /** Whether a file or folder is there, by its path from the top. */
  readonly has: (path: string) => boolean
  /** Where the repository can be looked at; empty until its owner says it. */
  readonly address: string
}

/**
 * Follows a link as it stands in a Markdown file: to another page of the site, to a file of the repository that is none, or away.
 *
 * @param from the file with the link, from the top of the repository
 * @param href relative to it, as a host of repositories follows it
 */
export function follow(href: string, { from, repository }: { from: string; repository: Repository }): Target {
  if (/^[a-z][a-z+.-]*:|^\/\//i.test(href)) return { kind: 'elsewhere' }
  const [location = '', anchor = null] = href.split('#', 2)
  const path = location === '' ? from : posix.join(posix.dirname(from), decoded(location)).replace(/\/$/, '')
  if (path.startsWith('..') || location.startsWith('/') || !repository.has(path)) return { kind: 'dead' }
  const page = pageOf(path)
  if (page !== null) return { kind: 'page', page, anchor: anchor === null ? null : decoded(anchor) }
  return { kind: 'file', path, address: repository.address === '' ? null : `${repository.address}/blob/HEAD/${path}` }
}

/** `git+https://…/name.git` of a package.json, as a browser opens it. */
export function browsable(repository: string): string {
  return repository.replace(/^git\+/, '').replace(/\.git$/, '')
}

/** A text with a lone `%` is taken as it stands. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
