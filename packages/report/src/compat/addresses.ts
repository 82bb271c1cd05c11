import { createHash } from 'node:crypto'

/**
 * The address of the page of a case, from the top of the site: `cases/nous/parse/1f0c….html`. It depends on the id alone, which never
 * changes, and has no sign that an address must escape.
 */
export function caseAddress(id: string): string {
  const [format = '', operation = ''] = id.split('/')
  const folder = /^[\w.-]+$/.test(format) && /^[a-z]+$/.test(operation) ? `${format}/${operation}` : 'other'
  return `cases/${folder}/${createHash('sha256').update(id).digest('hex').slice(0, 12)}.html`
}

/** The address of the page of an engine, from the top of the site. */
export function engineAddress(name: string): string {
  return `engines/${name}.html`
}

/** The id of a case without the cut of a stream: `nous/parse/escapes#a quote ~tokens`. */
export function withoutCut(id: string): string {
  return id.replace(/ ~[a-z]+(?:-\d)?$/, '')
}

/** A relative link between two pages of the site, both from its top. */
export function linkFrom(page: string, to: string): string {
  return `${'../'.repeat(page.split('/').length - 1)}${to}`
}
