import { isDict, isList, dumps } from '@callspec/python'
import type { PyValue } from '@callspec/python'

import { firstByte } from './first-byte.ts'
import type { ByteDifference } from './first-byte.ts'
import { shortened } from './shortened.ts'
import { firstTextDifference, visible } from './visible.ts'
import { plural } from './plural.ts'

/** The longest value that a difference shows, in characters. */
const SHOWN = 100

/** The first place where an answer is not what the reference gave. */
export interface Difference {
  /** Such as `messages[0].content[1].text`; empty for the whole answer. */
  readonly path: string
  /** One line that says what differs, without the values. */
  readonly what: string
  /** What the reference gave there, on one line with visible white space, shortened around the place. */
  readonly expected: string
  readonly actual: string
  /** Terminal columns from the start of both excerpts to the difference; null when there is no such place. */
  readonly caret: number | null
  /** Where both are texts. */
  readonly byte?: ByteDifference
}

/**
 * The first difference between two values, in the order in which the expected one is written, or null when there is none.
 *
 * Strict: an int is not a float, a map has the same keys (in any order), a list the same items in the same order. Reads
 * its arguments with a stack of its own, so that nesting is bounded by memory only.
 */
export function firstDifference(expected: PyValue, actual: PyValue, root = ''): Difference | null {
  const pending: Pair[] = [{ path: { parent: null, step: root }, expected, actual }]
  for (let pair = pending.pop(); pair !== undefined; pair = pending.pop()) {
    if (isList(pair.expected) && isList(pair.actual)) {
      pushItems(pending, pair.path, pair.expected, pair.actual)
    } else if (isDict(pair.expected) && isDict(pair.actual)) {
      pushMembers(pending, pair.path, pair.expected, pair.actual)
    } else if (!sameScalar(pair.expected, pair.actual)) {
      return describe(pair)
    }
  }
  return null
}

/** The difference on one line, as the `reason` of a result gives it. */
export function differenceLine({ path, what, expected, actual }: Difference): string {
  return `${path === '' ? '' : `${path}: `}${what}: expected ${expected}, got ${actual}`
}

/** A value for people: JSON on one line with visible white space inside texts, at most 100 characters. */
export function shown(value: PyValue): string {
  if (typeof value === 'string') return `"${shortened(visible(value.slice(0, 400)), SHOWN)}"`
  if (isList(value)) return value.length === 0 ? '[]' : `a list of ${plural(value.length, 'item')}`
  if (isDict(value))
    return value.size === 0 ? '{}' : `a map with ${shortened([...value.keys()].map(visible).join(', '), SHOWN)}`
  return shortened(dumps(value), SHOWN)
}

interface Path {
  readonly parent: Path | null
  readonly step: string
}

interface Pair {
  readonly path: Path
  /** undefined: there is nothing at this place. */
  readonly expected: PyValue | undefined
  readonly actual: PyValue | undefined
}

/** Pushed last to first, so that the first one is looked at next. */
function pushItems(pending: Pair[], parent: Path, expected: readonly PyValue[], actual: readonly PyValue[]): void {
  for (let at = Math.max(expected.length, actual.length) - 1; at >= 0; at -= 1) {
    pending.push({ path: { parent, step: `[${at}]` }, expected: expected[at], actual: actual[at] })
  }
}

function pushMembers(
  pending: Pair[],
  parent: Path,
  expected: ReadonlyMap<string, PyValue>,
  actual: ReadonlyMap<string, PyValue>,
): void {
  const keys = [...expected.keys(), ...[...actual.keys()].filter((key) => !expected.has(key))]
  for (const key of keys.reverse()) {
    pending.push({ path: { parent, step: memberStep(key) }, expected: expected.get(key), actual: actual.get(key) })
  }
}

/** Lists and maps never come here in pairs; one of them against something else is a difference. */
function sameScalar(expected: PyValue | undefined, actual: PyValue | undefined): boolean {
  // Object.is keeps -0.0 apart from 0.0 and finds NaN equal to itself; an int is a bigint and never equals a float.
  return Object.is(expected, actual)
}

function describe({ path, expected, actual }: Pair): Difference {
  const place = pathText(path)
  if (actual === undefined && expected !== undefined) {
    return { path: place, what: 'is missing', expected: shown(expected), actual: 'nothing', caret: null }
  }
  if (expected === undefined && actual !== undefined) {
    return { path: place, what: 'should not be there', expected: 'nothing', actual: shown(actual), caret: null }
  }
  if (typeof expected === 'string' && typeof actual === 'string') return describeTexts(place, expected, actual)
  const [left, right] = [shown(expected ?? null), shown(actual ?? null)]
  const what = kindOf(expected ?? null) === kindOf(actual ?? null) ? 'other value' : 'other type'
  return { path: place, what, expected: left, actual: right, caret: null }
}

function describeTexts(path: string, expected: string, actual: string): Difference {
  const found = firstTextDifference(expected, actual)
  if (found === null) return { path, what: 'equal', expected: '', actual: '', caret: null }
  const what = `other text from character ${found.at} (line ${found.line}, column ${found.column})`
  const excerpts = { expected: `"${found.expected}"`, actual: `"${found.actual}"`, caret: found.caret + 1 }
  const byte = firstByte(expected, actual)
  return { path, what, ...excerpts, ...(byte === null ? {} : { byte }) }
}

function kindOf(value: PyValue): string {
  if (value === null) return 'null'
  if (isList(value)) return 'list'
  return isDict(value) ? 'map' : typeof value
}

function memberStep(key: string): string {
  return /^[\w$-]+$/.test(key) ? `.${key}` : `["${shortened(visible(key), SHOWN)}"]`
}

function pathText(path: Path): string {
  const steps: string[] = []
  for (let at: Path | null = path; at !== null; at = at.parent) steps.push(at.step)
  return steps.reverse().join('').replace(/^\./, '')
}
