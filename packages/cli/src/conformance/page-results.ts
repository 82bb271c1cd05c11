import { stat } from 'node:fs/promises'
import { builtInCases, cutCase, cutInId, findCaseFiles, readCases } from '@callspec/conformance'
import type { Case, Reply } from '@callspec/conformance'
import { readLines } from '@callspec/eval'
import { isDict } from '@callspec/python'
import { loads } from '@callspec/python/outcome'
import type { PyDict, PyValue } from '@callspec/python'
import { systemCode, UsageError } from '../usage-error.ts'
import type { Answered, Compared } from './compared.ts'

/** What is read, and from which cases. */
export interface ResultFiles {
  readonly paths: readonly string[]
  /** Case files besides the built-in cases. */
  readonly cases: readonly string[]
}

/**
 * Adds what `conformance run --json` wrote.
 *
 * @throws UsageError that names file and line
 */
export async function addResults(compared: Compared, { paths, cases }: ResultFiles): Promise<void> {
  if (paths.length === 0) return
  const known = new Map<string, Case>()
  for await (const item of readCases(await findCaseFiles([await builtInCases(), ...cases]))) known.set(item.id, item)
  for (const path of paths) {
    const date = await dayOf(path)
    let line = 0
    for await (const text of linesOf(path)) {
      line += 1
      if (text.trim() === '') continue
      const read = loads(text)
      const result = read.kind === 'returned' && isDict(read.value) ? read.value : null
      if (result === null || !result.has('verdict'))
        throw new UsageError(
          `${path}:${line}: is no result. Give a file that \`callspec conformance run --json\` wrote.`,
        )
      const answered = answeredIn(result, known)
      if (answered === null) continue
      const own = result.get('cases')
      const column = compared.column({
        name: columnName(textAt(result, 'implementation')),
        recorded: null,
        cases: typeof own === 'string' ? own : null,
        date,
      })
      compared.add({ ...answered, column })
    }
  }
}

/** Name and version; what cannot say its version has its name alone. */
export function columnName(implementation: string): string {
  return implementation.replace(/ unknown$/, '')
}

async function dayOf(path: string): Promise<string | null> {
  try {
    return (await stat(path)).mtime.toISOString().slice(0, 10)
  } catch {
    // What cannot be read is told when it is read.
    return null
  }
}

async function* linesOf(path: string): AsyncGenerator<string> {
  try {
    yield* readLines(path)
  } catch (error) {
    const code = systemCode(error)
    if (code === null) throw error
    const what = { ENOENT: 'no such file', EISDIR: 'is a folder' }[code] ?? `cannot be read (${code})`
    throw new UsageError(`${path}: ${what}. Give a file that \`callspec conformance run --json\` wrote.`)
  }
}

function answeredIn(result: PyDict, cases: ReadonlyMap<string, Case>): Omit<Answered, 'column'> | null {
  const verdict = verdictIn(result)
  const isVerdict = verdict === 'passed' || verdict === 'failed' || verdict === 'errored' || verdict === 'skipped'
  // What nobody claims was not asked.
  if (!isVerdict || (verdict === 'skipped' && / does not claim /.test(textAt(result, 'reason')))) return null
  const id = textAt(result, 'id')
  const item = caseNamed(id, cases)
  const reason = textAt(result, 'reason')
  return {
    ...{ id, verdict, item, topic: /\/([^/#]+)#/.exec(id)?.[1] ?? OTHER },
    op: textAt(result, 'op'),
    format: item?.format ?? null,
    profile: textAt(result, 'profile'),
    reason: reason === '' ? null : reason,
    reply: replyIn(result),
    raw: textAt(result, 'raw') || null,
  }
}

/** What is known to fail is skipped where a run is judged, and has failed where implementations are looked at, as on a scoreboard. */
function verdictIn(result: PyDict): PyValue | undefined {
  if (!textAt(result, 'reason').startsWith('known failure: ')) return result.get('verdict')
  return replyIn(result) === null ? 'errored' : 'failed'
}

/** The topic of cases whose id does not say it. */
const OTHER = 'other'

/** Ids of replies that were cut at tokens say how. */
function caseNamed(id: string, cases: ReadonlyMap<string, Case>): Case | null {
  const cut = cutInId(id)
  const whole = cut === null ? undefined : cases.get(cut.id)
  return cut === null || whole === undefined ? (cases.get(id) ?? null) : cutCase(whole, cut.cut)
}

function replyIn(result: PyDict): Reply | null {
  const error = result.get('error')
  if (isDict(error))
    return { kind: 'raised', error: { type: textAt(error, 'type'), message: textAt(error, 'message') } }
  const actual = result.get('actual')
  return actual === undefined ? null : { kind: 'returned', value: actual }
}

function textAt(result: PyDict, key: string): string {
  const value = result.get(key)
  return typeof value === 'string' ? value : ''
}
