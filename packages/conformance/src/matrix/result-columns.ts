import { InputError } from '@callspec/core'
import { isDict, loads, Raise } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'

import type { Case } from '../case.ts'
import { cutCase, cutInId } from '../cut-cases.ts'
import type { Reply } from '../implementation.ts'
import type { Answered, Compared } from './compared.ts'

/** A file of results, as `conformance run --json` writes them. */
export interface ResultsOf {
  /** Its path, for messages. */
  readonly path: string
  readonly lines: AsyncIterable<string>
  /** The day on which it was written. */
  readonly date: string | null
  readonly cases: ReadonlyMap<string, Case>
}

/**
 * Adds the results of a run.
 *
 * @throws InputError that names file and line, for a line that is not a result
 */
export async function addResults(compared: Compared, { path, lines, date, cases }: ResultsOf): Promise<void> {
  let line = 0
  for await (const text of lines) {
    line += 1
    if (text.trim() === '') continue
    const result = resultIn(text)
    if (result === null || !result.has('verdict'))
      throw new InputError(
        `${path}:${line}`,
        'is not a result. Give a file that `callspec conformance run --json` wrote.',
      )
    const answered = answeredIn(result, cases)
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
export function columnName(implementation: string): string {
  return implementation.replace(/ unknown$/, '')
}

function answeredIn(result: PyDict, cases: ReadonlyMap<string, Case>): Omit<Answered, 'column'> | null {
  const verdict = verdictIn(result)
  const isVerdict = verdict === 'passed' || verdict === 'failed' || verdict === 'errored' || verdict === 'skipped'
  // What the implementation does not declare was not run.
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

/** A known failure is skipped in a run, and counts as failed where implementations are compared, as on a scoreboard. */
function verdictIn(result: PyDict): PyValue | undefined {
  if (!textAt(result, 'reason').startsWith('known failure: ')) return result.get('verdict')
  return replyIn(result) === null ? 'errored' : 'failed'
}

/** The topic of cases whose id names none. */
const OTHER = 'other'

/** Ids of replies that were cut at tokens name the cut. */
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
