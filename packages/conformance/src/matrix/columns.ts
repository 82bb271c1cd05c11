import { stat } from 'node:fs/promises'
import { InputError } from '@callspec/core'
import type { PyDict, PyValue } from '@callspec/python'
import { isDict, loads, Raise } from '@callspec/python'
import type { Case } from '../cases/case.ts'
import { cutCase, cutInId } from '../cases/cut-cases.ts'
import type { Reply } from '../implementation.ts'
import { builtInCases, findCaseFiles, readCases } from '../cases/case-store.ts'
import { readLines } from '../files.ts'
import { GRADES } from '../comparison/grade.ts'
import { VERDICT_KINDS } from '../run/run-suite.ts'
import type { Scoreboard } from '../run/scoreboard.ts'
import type { Answered, Compared } from './compared.ts'
import { createCompared } from './compared.ts'
import { STRICT } from '../protocol/declaration.ts'
import { currentId } from '../cases/taxonomy.ts'
import { readRecorded, recordedCase, recordedDates, recordedReply, topicOf } from './recorded.ts'

/** What is compared. */
export interface ComparedSources {
  /** Files that `conformance run --json` wrote. */
  readonly results: readonly string[]
  /** Paths of their cases, in addition to the built-in ones. */
  readonly cases: readonly string[]
  readonly scoreboards: readonly Scoreboard[]
  /** Formats whose recorded answers of engines are shown, in addition to those of the results and scoreboards. */
  readonly formats: readonly string[]
}

/**
 * Puts together what several implementations answered.
 *
 * @throws InputError that names file and line, for a line that is not a result
 */
export async function compareSources({ results, cases, scoreboards, formats }: ComparedSources): Promise<Compared> {
  const compared = createCompared()
  await addResultFiles(compared, { paths: results, cases })
  addScoreboards(compared, scoreboards)
  await addRecorded(compared, new Set([...formats, ...compared.cells().flatMap(({ format }) => format ?? [])]))
  return compared
}

async function addResultFiles(
  compared: Compared,
  { paths, cases }: { readonly paths: readonly string[]; readonly cases: readonly string[] },
): Promise<void> {
  if (paths.length === 0) return
  const known = new Map<string, Case>()
  for await (const item of readCases(await findCaseFiles([await builtInCases(), ...cases]))) known.set(item.id, item)
  for (const path of paths) await addResultFile(compared, path, known)
}

async function addResultFile(compared: Compared, path: string, cases: ReadonlyMap<string, Case>): Promise<void> {
  let date: string | null = null
  for await (const { number, text } of readLines(path)) {
    const result = resultIn(text)
    if (result === null || !result.has('verdict'))
      throw new InputError(
        `${path}:${number}`,
        'is not a result. Give a file that `callspec conformance run --json` wrote.',
      )
    date ??= (await stat(path)).mtime.toISOString().slice(0, 10)
    const answered = answeredIn(result, cases)
    if (answered === null) continue
    const own = result.get('cases')
    const column = compared.column({
      name: columnName(resultText(result, 'implementation')),
      recorded: null,
      cases: typeof own === 'string' ? own : null,
      date,
    })
    compared.add({ ...answered, column })
  }
}

/** Scoreboards have no topics: results of the same column replace them. */
function addScoreboards(compared: Compared, scoreboards: readonly Scoreboard[]): void {
  for (const { implementation, results } of scoreboards)
    for (const { version, casesVersion, cells } of results) {
      const name = columnName(`${implementation} ${version}`)
      const column = compared.column({ name, recorded: null, cases: casesVersion, date: null })
      for (const cell of cells) compared.addTotal({ ...cell, column, topic: null, open: 0 })
    }
}

/** Recorded answers have a column per engine. */
async function addRecorded(compared: Compared, formats: ReadonlySet<string>): Promise<void> {
  const answers = (await readRecorded()).filter(({ format }) => formats.has(format))
  const dates = await recordedDates([...new Set(answers.map(({ engine }) => engine))])
  for (const answer of answers) {
    const { engine, op, format, agrees } = answer
    const item = recordedCase(answer)
    const column = compared.column({
      name: engine,
      recorded: dates.get(engine) ?? engine.split('@')[1] ?? '',
      cases: null,
      date: null,
    })
    compared.add({
      ...{ column, op, format, item, topic: topicOf(answer), reason: null },
      id: item?.id ?? answer.id,
      profile: STRICT,
      raw: null,
      verdict: agrees === null ? 'open' : agrees ? 'passed' : 'failed',
      reply: item === null ? null : recordedReply(answer),
    })
  }
}

function resultIn(text: string): PyDict | null {
  try {
    const value = loads(text)
    return isDict(value) ? value : null
  } catch (error) {
    if (error instanceof Raise || error instanceof RangeError) return null
    throw error
  }
}

/** Name and version; an implementation without a version has its name alone. */
function columnName(implementation: string): string {
  return implementation.replace(/ unknown$/, '')
}

function answeredIn(result: PyDict, cases: ReadonlyMap<string, Case>): Omit<Answered, 'column'> | null {
  const verdict = verdictIn(result)
  const isVerdict = verdict === 'passed' || verdict === 'failed' || verdict === 'errored' || verdict === 'skipped'
  // What the implementation does not declare was not run.
  if (!isVerdict || (verdict === 'skipped' && / does not claim /.test(resultText(result, 'reason')))) return null
  const id = currentId(resultText(result, 'id'))
  const item = caseNamed(id, cases)
  const reason = resultText(result, 'reason')
  return {
    ...{ id, verdict, item, topic: /\/([^/#]+)#/.exec(id)?.[1] ?? OTHER },
    op: resultText(result, 'op'),
    format: item?.format ?? null,
    profile: resultText(result, 'profile'),
    reason: reason === '' ? null : `${gradeText(result)}${reason}`,
    reply: resultReply(result),
    raw: resultText(result, 'raw') || null,
  }
}

/** The verdict in full, where it says more than the verdict. */
function gradeText(result: PyDict): string {
  const grade = resultText(result, 'grade')
  const isMore = GRADES.some((each) => each === grade) && !VERDICT_KINDS.some((kind) => kind === grade)
  return isMore ? `${grade}: ` : ''
}

/** A known failure is skipped in a run, and counts as failed where implementations are compared, as on a scoreboard. */
function verdictIn(result: PyDict): PyValue | undefined {
  if (!resultText(result, 'reason').startsWith('known failure: ')) return result.get('verdict')
  return resultReply(result) === null ? 'errored' : 'failed'
}

/** The topic of cases whose id names none. */
const OTHER = 'other'

/** Ids of replies that were cut at tokens name the cut. */
function caseNamed(id: string, cases: ReadonlyMap<string, Case>): Case | null {
  const cut = cutInId(id)
  const whole = cut === null ? undefined : cases.get(cut.id)
  return cut === null || whole === undefined ? (cases.get(id) ?? null) : cutCase(whole, cut.cut)
}

function resultReply(result: PyDict): Reply | null {
  const error = result.get('error')
  if (isDict(error))
    return { kind: 'raised', error: { type: resultText(error, 'type'), message: resultText(error, 'message') } }
  const actual = result.get('actual')
  return actual === undefined ? null : { kind: 'returned', value: actual }
}

function resultText(result: PyDict, key: string): string {
  const value = result.get(key)
  return typeof value === 'string' ? value : ''
}
