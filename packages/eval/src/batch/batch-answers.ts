import { fileLines, openFile } from '../store/file-lines.ts'
import { parsedJson } from '../text/json.ts'
import { RunError } from '../trace/run-error.ts'

/** One answer of a batch: what the server would have said over HTTP. */
export interface BatchAnswer {
  readonly status: number
  readonly body: unknown
}

/** The output file of a batch service, read by the ids of the requests, in any order. */
export interface BatchAnswers {
  readonly ids: ReadonlySet<string>
  /** Null when the file has none. */
  answer(id: string): BatchAnswer | null
  /** What could not be read, as `line 7: …`; at most `MAX_PROBLEMS`, then how many more. */
  readonly problems: readonly string[]
  close(): void
}

/** How many problems are listed. */
export const MAX_PROBLEMS = 20

/**
 * Reads the output file of a batch. Memory grows by some bytes per line.
 *
 * @throws RunError when it cannot be read, or is no such file at all
 */
export function readBatchAnswers(path: string): BatchAnswers {
  const places = new Map<string, readonly [offset: number, length: number]>()
  const problems: string[] = []
  let hidden = 0
  const tell = (problem: string): void => {
    if (problems.length < MAX_PROBLEMS) problems.push(problem)
    else hidden += 1
  }
  for (const { number, offset, length, text } of fileLines(path)) {
    if (text.trim() === '') continue
    const read = readLine(text)
    if (read.kind === 'unreadable') tell(`line ${number}: ${read.reason}`)
    else if (places.has(read.id)) tell(`line ${number}: ${JSON.stringify(read.id)} has been answered before`)
    else places.set(read.id, [offset, length])
  }
  if (places.size === 0 && problems.length > 0)
    throw new RunError(`${path} is no output of a batch: ${problems[0] ?? ''}. It holds one JSON object per request.`)
  if (hidden > 0) problems.push(`and ${hidden} more`)
  const file = openFile(path)
  return {
    ids: new Set(places.keys()),
    answer: (id) => {
      const place = places.get(id)
      if (place === undefined) return null
      const read = readLine(file.textAt(...place))
      return read.kind === 'answer' ? read.answer : null
    },
    problems,
    close: () => file.close(),
  }
}

type ReadLine =
  | { readonly kind: 'answer'; readonly id: string; readonly answer: BatchAnswer }
  | { readonly kind: 'unreadable'; readonly reason: string }

function readLine(text: string): ReadLine {
  const value = parsedJson(text)
  if (value === undefined) return { kind: 'unreadable', reason: 'this is no JSON' }
  const { custom_id: id, response, error } = recordOf(value)
  if (typeof id !== 'string') return { kind: 'unreadable', reason: 'it has no "custom_id"' }
  const { status_code: status, body } = recordOf(response)
  if (body !== undefined && body !== null) {
    const known = typeof status === 'number' && Number.isInteger(status) && status >= 200 && status < 600 ? status : 200
    return { kind: 'answer', id, answer: { status: known, body } }
  }
  const told = error ?? { message: 'the batch holds neither a response nor an error' }
  return { kind: 'answer', id, answer: { status: 500, body: { error: errorOf(told) } } }
}

/** Some services give a text. */
function errorOf(error: unknown): object {
  const { message, code } = recordOf(error)
  const text = typeof error === 'string' ? error : typeof message === 'string' ? message : JSON.stringify(error)
  return { message: text, ...(typeof code === 'string' ? { code } : {}) }
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {}
}
