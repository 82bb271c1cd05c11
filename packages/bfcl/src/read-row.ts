import { isDict, isList } from '@callspec/python'
import { loads } from '@callspec/python/outcome'
import type { PyDict, PyValue } from '@callspec/python'
import type { BfclQuestion, ExpectedAnswer } from './check-output.ts'
import { readFunctionDocs } from './function-doc.ts'
import { isShownUnderscores } from './underscore-models.ts'

/** A line of a result file with all that is needed to judge it. */
export interface BfclRow {
  readonly id: string
  readonly model: string
  /** What the file says it is; null when it does not. */
  readonly format: string | null
  readonly output: PyValue
  readonly question: BfclQuestion
}

/** A line that is judged, or why it is not. */
export type ReadBfclRow =
  { readonly kind: 'row'; readonly row: BfclRow } | { readonly kind: 'unreadable'; readonly reason: string }

/** What stands beside a result file. Each line of them is found by its `id`. */
export interface BfclSources {
  readonly questions: ReadonlyMap<string, PyDict>
  readonly answers: ReadonlyMap<string, PyDict>
}

/**
 * Reads a line of a result file: `id` and `result`, with the functions from the questions and the expected calls from the
 * answers. A line may also carry them itself (`functions` or `function`, `possible_answer` or `ground_truth`, `category`).
 *
 * @param model the model where the line names none
 */
export function readBfclRow(line: string, sources: BfclSources, model: string): ReadBfclRow {
  const own = dictOf(line)
  if (own === null) return unreadable('this is no JSON object')
  const id = own.get('id')
  if (typeof id !== 'string') return unreadable('"id" is missing or no text')
  const output = own.get('result') ?? own.get('raw_output')
  if (output === undefined) return unreadable('it has neither "result" nor "raw_output"')
  const question = sources.questions.get(id)
  const functions =
    own.get('functions') ?? own.get('function') ?? question?.get('function') ?? question?.get('functions')
  if (functions === undefined) return unreadable(`no function is known for "${id}": give the file of questions`)
  const category = textAt(own, 'category') ?? categoryOf(id)
  const given = own.get('possible_answer') ?? own.get('ground_truth') ?? sources.answers.get(id)?.get('ground_truth')
  if ((given === undefined || given === null) && !category.includes('relevance'))
    return unreadable(`no answer is known for "${id}": give the file of answers`)
  const name = textAt(own, 'model') ?? model
  return {
    kind: 'row',
    row: {
      id,
      model: name,
      format: textAt(own, 'format'),
      output,
      question: {
        category,
        functions: readFunctionDocs(functions),
        answers: answersOf(given ?? null),
        dotsAsUnderscores: isShownUnderscores(name),
      },
    },
  }
}

/** `parallel_multiple_12` is of the category `parallel_multiple`, `live_simple_3-1-0` of `live_simple`. */
function categoryOf(id: string): string {
  return id.replace(/_\d[\d-]*$/, '')
}

/** A list of dicts with one name each, or one dict with a name for every call. */
function answersOf(given: PyValue): readonly ExpectedAnswer[] {
  const dicts = isList(given) ? given : [given]
  return dicts.flatMap((dict) =>
    isDict(dict)
      ? [...dict].map(([name, possible]) => ({
          name,
          possible: isDict(possible) ? possible : new Map<string, PyValue>(),
        }))
      : [],
  )
}

/** The lines of a file of questions or answers by their id; a line without one is passed over. */
export async function readById(lines: AsyncIterable<string>): Promise<ReadonlyMap<string, PyDict>> {
  const rows = new Map<string, PyDict>()
  for await (const line of lines) {
    const row = dictOf(line)
    const id = row?.get('id')
    if (row !== null && typeof id === 'string') rows.set(id, row)
  }
  return rows
}

function dictOf(line: string): PyDict | null {
  const read = loads(line)
  return read.kind === 'returned' && isDict(read.value) ? read.value : null
}

function textAt(row: PyDict, key: string): string | null {
  const value = row.get(key)
  return typeof value === 'string' ? value : null
}

function unreadable(reason: string): ReadBfclRow {
  return { kind: 'unreadable', reason }
}
