/** The rows of a CSV file, and what is wrong with it. */
export interface CsvFile {
  /** The first one holds the names of the columns. */
  readonly rows: readonly CsvRow[]
  readonly faults: readonly { readonly line: number; readonly message: string }[]
}

/** One record: a field in quotation marks may contain line breaks. */
export interface CsvRow {
  /** On which it begins, from 1. */
  readonly line: number
  readonly fields: readonly string[]
}

/**
 * Reads CSV (RFC 4180): commas, fields in double quotation marks, two of them for one; also with bare line feeds and a byte order mark. Empty
 * lines are skipped. Linear in the text.
 */
export function readCsv(text: string): CsvFile {
  const rows: CsvRow[] = []
  const faults: { readonly line: number; readonly message: string }[] = []
  let [at, line] = [text.startsWith('\ufeff') ? 1 : 0, 1]
  let row: { readonly line: number; readonly fields: string[] } = { line, fields: [] }
  const endRow = (): void => {
    if (row.fields.length > 1 || row.fields[0] !== '') rows.push(row)
    row = { line, fields: [] }
  }
  while (at < text.length) {
    const field = text[at] === '"' ? quotedField(text, at) : bareField(text, at)
    if (field.fault !== null) faults.push({ line, message: field.fault })
    row.fields.push(field.value)
    line += field.breaks
    at = field.end
    const sign = text[at]
    if (sign === ',' && at + 1 < text.length) {
      at += 1
      if (text[at] === '\n' || text[at] === '\r') row.fields.push('')
    } else if (sign === ',') {
      row.fields.push('')
      at += 1
    }
    if (text[at] === '\r' && text[at + 1] === '\n') at += 1
    if (text[at] === '\n' || text[at] === '\r') {
      at += 1
      line += 1
      endRow()
    }
  }
  if (row.fields.length > 0) endRow()
  return { rows, faults }
}

interface Field {
  readonly value: string
  /** Of the comma or line break after it. */
  readonly end: number
  /** Line breaks in it. */
  readonly breaks: number
  readonly fault: string | null
}

function bareField(text: string, at: number): Field {
  const end = endOfField(text, at)
  const value = text.slice(at, end)
  const fault = value.includes('"')
    ? 'a quotation mark in a field without quotation marks. Put the field in quotation marks and double it'
    : null
  return { value, end, breaks: 0, fault }
}

function quotedField(text: string, at: number): Field {
  let value = ''
  let from = at + 1
  for (;;) {
    const close = text.indexOf('"', from)
    if (close < 0) {
      value += text.slice(from)
      return {
        value,
        end: text.length,
        breaks: countBreaks(value),
        fault: 'a field whose quotation mark is never closed. Close it',
      }
    }
    value += text.slice(from, close)
    if (text[close + 1] !== '"') {
      const end = endOfField(text, close + 1)
      const fault =
        end > close + 1 ? 'text after a closing quotation mark. Double quotation marks inside of a field' : null
      return { value, end, breaks: countBreaks(value), fault }
    }
    value += '"'
    from = close + 2
  }
}

const ENDS = /[,\r\n]/g

function endOfField(text: string, at: number): number {
  ENDS.lastIndex = at
  return ENDS.exec(text)?.index ?? text.length
}

function countBreaks(text: string): number {
  return text.split(/\r\n|[\r\n]/).length - 1
}
