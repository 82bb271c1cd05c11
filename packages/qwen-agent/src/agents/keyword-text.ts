import { dumps, loadsJson5, strip, pyLength, isDict, isList, attempt, Raise } from '@callspec/python'
import type { PyValue } from '@callspec/python'

const FENCE = '```'
const JSON_FENCE = '```json'

/**
 * The output of SplitQuery made whole: the stop word has usually cut it before the list ends (spec §13.3).
 * Prose gets the same ending (spec §16 Q23).
 */
export function repairSplitQuery(text: string): string {
  const stripped = strip(text)
  return stripped.endsWith('}') || stripped.endsWith(FENCE) ? stripped : `${stripped}"]}`
}

/**
 * The fragments that SplitQuery found in `query`, joined by newlines; the query itself where the output cannot be read,
 * has none, or has more text than the query.
 */
export function informationIn(output: string, query: string): string {
  const joined = attempt(() => {
    const result = readOutput(output)
    const information = isDict(result) ? result.get('information') : undefined
    return strip(partsOf(information).join('\n'))
  })
  if (joined.kind === 'raised' || joined.value === '') return query
  return pyLength(joined.value) <= pyLength(query) ? joined.value : query
}

/** The keywords of `output` with `text` set to the query, as one-line JSON; null where that cannot be done. */
export function keywordsWithText(output: string, query: string): string | null {
  const written = attempt(() => dumps(withText(readOutput(output), query)))
  return written.kind === 'returned' ? written.value : null
}

/**
 * What Memory asks the retrieval for: the keywords, with the query under `text` unless there is a `text`, or the plain
 * query where the output cannot be read.
 */
export function retrievalQuery(output: string, query: string): string {
  const written = attempt(() => {
    const keywords = readOutput(output)
    return dumps(hasText(keywords) ? keywords : withText(keywords, query))
  })
  return written.kind === 'returned' ? written.value : query
}

/** as in the reference: a fence that does not say `json` stays, and then nothing can be read. */
function readOutput(output: string): PyValue {
  const stripped = strip(output)
  const opened = stripped.startsWith(JSON_FENCE) ? stripped.slice(JSON_FENCE.length) : stripped
  return loadsJson5(opened.endsWith(FENCE) ? opened.slice(0, -FENCE.length) : opened)
}

/** What Python's `join` iterates over: the items of a list, the characters of a text, the keys of a map. */
function partsOf(value: PyValue | undefined): readonly string[] {
  if (typeof value === 'string') return [...value]
  if (value !== undefined && isDict(value)) return [...value.keys()]
  if (value === undefined || !isList(value)) throw new Raise('TypeError', 'can only join an iterable')
  return value.map((item) => {
    if (typeof item === 'string') return item
    throw new Raise('TypeError', 'expected str instance')
  })
}

/** Python's `'text' in value`. */
function hasText(value: PyValue): boolean {
  if (typeof value === 'string') return value.includes('text')
  if (isDict(value)) return value.has('text')
  if (isList(value)) return value.includes('text')
  throw new Raise('TypeError', 'argument is not iterable')
}

/** Python's `value['text'] = query`, on a copy. */
function withText(value: PyValue, query: string): PyValue {
  if (!isDict(value)) throw new Raise('TypeError', 'object does not support item assignment')
  return new Map([...value, ['text', query]])
}
