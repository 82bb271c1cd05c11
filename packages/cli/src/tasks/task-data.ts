import { extname } from 'node:path'
import type { ShapePath } from '@callspec/eval'
import { readDataFile } from '../data-file.ts'
import type { SourceText } from '../input-file.ts'
import { plural } from '@callspec/eval/text'
import { messageOf, UsageError } from '../usage-error.ts'
import { readCsv } from './csv.ts'

/** What is wrong at a place: a line without the end of its sentence. */
export interface TaskFault {
  /** `FILE:LINE`. */
  readonly place: string
  readonly message: string
}

/** The data of a file of tasks, whatever their form, and all that kept parts of it from being read. */
export interface TaskData {
  readonly value: unknown
  /** How the file is written. */
  readonly syntax: 'yaml' | 'csv' | 'lines' | 'json5'
  place(path: ShapePath): string
  readonly faults: readonly TaskFault[]
}

/**
 * Reads a file of tasks by its ending: `.yaml` and `.yml`, `.csv`, `.jsonl` and `.ndjson`, else JSON5, or JSON Lines in a file named `.json`.
 *
 * @throws UsageError for an empty file, and for JSON5 that cannot be read
 */
export async function readTaskData(source: SourceText): Promise<TaskData> {
  const ending = extname(source.name).toLowerCase()
  if (source.text.trim() === '') throw new UsageError(`${source.name}: the file is empty. It must hold tasks.`)
  if (ending === '.yaml' || ending === '.yml') return yamlData(source)
  if (ending === '.csv') return csvData(source)
  if (ending === '.jsonl' || ending === '.ndjson') return lineData(source)
  try {
    const file = readDataFile(source, 'an object with "tasks"')
    // JSON Lines of one line.
    const { value } = file
    if (typeof value === 'object' && value !== null && 'question' in value) return lineData(source)
    return { ...file, syntax: 'json5', faults: [] }
  } catch (error) {
    if (error instanceof UsageError && ending === '.json' && isLineOfJson(source.text)) return lineData(source)
    throw error
  }
}

function isLineOfJson(text: string): boolean {
  const [first = ''] = text.trimStart().split('\n', 1)
  try {
    return typeof JSON.parse(first) === 'object'
  } catch {
    return false
  }
}

function lineData({ name, text }: SourceText): TaskData {
  const faults: TaskFault[] = []
  const rows: { readonly value: unknown; readonly line: number }[] = []
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === '' || line === '\ufeff') continue
    try {
      rows.push({ value: JSON.parse(line) as unknown, line: index + 1 })
    } catch {
      faults.push({ place: `${name}:${index + 1}`, message: 'this line is not JSON. Every line must be one value' })
    }
  }
  const place = ([index]: ShapePath): string =>
    `${name}:${(typeof index === 'number' ? rows[index]?.line : undefined) ?? 1}`
  return { value: rows.map(({ value }) => value), syntax: 'lines', place, faults }
}

/** Rows become objects with a member per column; empty fields are left out. */
function csvData({ name, text }: SourceText): TaskData {
  const { rows, faults } = readCsv(text)
  const found = faults.map(({ line, message }) => ({ place: `${name}:${line}`, message }))
  const [head, ...body] = rows
  const columns = head?.fields.map((column) => column.trim()) ?? []
  const twin = columns.find((column, index) => columns.indexOf(column) < index)
  if (twin !== undefined)
    found.push({ place: `${name}:${head?.line ?? 1}`, message: `two columns are named "${twin}". Rename one` })
  const whole = body.filter(({ fields }) => fields.length === columns.length)
  for (const { line, fields } of body)
    if (fields.length !== columns.length)
      found.push({
        place: `${name}:${line}`,
        message: `this row has ${plural(fields.length, 'field')}, the first one ${columns.length}. Commas in a field need quotation marks`,
      })
  const value = whole.map(({ fields }) =>
    Object.fromEntries(
      columns.flatMap((column, at) => {
        const field = fields[at] ?? ''
        return field === '' ? [] : [[column, field] as const]
      }),
    ),
  )
  const place = ([index]: ShapePath): string =>
    `${name}:${(typeof index === 'number' ? whole[index]?.line : undefined) ?? head?.line ?? 1}`
  return { value, syntax: 'csv', place, faults: found }
}

/** Aliases multiply: a small file may stand for gigabytes. */
const MOST_ALIASES = 1000

const MOST_SYNTAX_FAULTS = 5

function syntaxFault(message: string): string {
  if (message.includes('call stack')) return 'it is nested too deeply'
  return message.split('\n', 1)[0]?.replace(/[.:]$/, '') ?? ''
}

async function yamlData({ name, text }: SourceText): Promise<TaskData> {
  const { LineCounter, parseDocument, isNode } = await import('yaml')
  const counter = new LineCounter()
  const nothing = { syntax: 'yaml', value: undefined, place: () => `${name}:1` } as const
  try {
    const document = parseDocument(text, { lineCounter: counter, prettyErrors: false })
    const lineAt = (offset: number): number => Math.max(1, counter.linePos(offset).line)
    // After the first few, the others are their consequences.
    const faults = document.errors.slice(0, MOST_SYNTAX_FAULTS).map(({ message, pos }) => ({
      place: `${name}:${lineAt(pos[0])}`,
      message: `this is not YAML (${syntaxFault(message)})`,
    }))
    if (faults.length > 0) return { ...nothing, faults }
    const place = (path: ShapePath): string => {
      for (let length = path.length; length >= 0; length -= 1) {
        const node: unknown = length === 0 ? document.contents : document.getIn(path.slice(0, length), true)
        if (isNode(node) && node.range != null) return `${name}:${lineAt(node.range[0])}`
      }
      return `${name}:1`
    }
    return { syntax: 'yaml', value: document.toJS({ maxAliasCount: MOST_ALIASES }) as unknown, place, faults: [] }
  } catch (error) {
    // Too many aliases, or nested too deeply.
    return { ...nothing, faults: [{ place: `${name}:1`, message: `this cannot be read (${messageOf(error)})` }] }
  }
}
