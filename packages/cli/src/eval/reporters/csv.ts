/**
 * Rows as CSV (RFC 4180): CRLF, every field quoted that needs it.
 *
 * A text that a spreadsheet would take for a formula gets an apostrophe before it: ids and texts come from models, servers
 * and task files. Numbers stay numbers.
 */
export function csv(rows: Iterable<readonly (string | number | boolean | null)[]>): string {
  let text = ''
  for (const row of rows) text += `${row.map(field).join(',')}\r\n`
  return text
}

function field(value: string | number | boolean | null): string {
  if (value === null) return ''
  if (typeof value !== 'string') return String(value)
  const guarded = /^[=+\-@\t\r\n|%]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(guarded) ? `"${guarded.replaceAll('"', () => '""')}"` : guarded
}
