import type { PyDict, PyValue } from '@callspec/python'
import { isDict, isList } from '@callspec/python'
import type { ActualAnswer, Case, ExpectedAnswer } from '../cases/case.ts'
import { alternatives } from '../cases/case.ts'
import { isCoarse } from '../protocol/declaration.ts'
import { equalNumbers, firstDifference } from './compare.ts'
import type { ComparedTopic } from './normal-form.ts'
import { comparable } from './normal-form.ts'

/**
 * A verdict in full. Of the four kinds `passed` has the first two, `failed` those from `id` to `contested`,
 * `skipped` the last two:
 *
 * - `whitespace`: right but for white space at the ends of prose
 * - `id`: right but for ids of calls, which the engine makes itself
 * - `number`: right but for the spelling of a number, such as `1.0` for `1`; ids may differ, too
 * - `cut`: of a reply that ends in a call, the rest is handed on so that its user sees that it is cut, or shown otherwise
 * - `refused`: an input that can be read was refused
 * - `contested`: a known failure of which the case may be wrong
 * - `synthetic`: users of the implementation never meet such a stream
 */
export type Grade = 'passed' | 'whitespace' | NearMiss | 'failed' | 'contested' | 'errored' | 'synthetic' | 'skipped'

/** What a wrong answer is when it is not simply wrong. */
export type NearMiss = 'id' | 'number' | 'cut' | 'refused'

/** All of them, in the order of tables. */
export const GRADES: readonly Grade[] = [
  ...(['passed', 'whitespace', 'id', 'number', 'cut', 'refused', 'failed', 'contested'] as const),
  ...(['errored', 'synthetic', 'skipped'] as const),
]

/** How many cases have each verdict; those that none has may be left out. */
export type GradeCounts = Readonly<Partial<Record<Grade, number>>>

/** All counts together. */
export function sumGrades(all: readonly GradeCounts[]): GradeCounts {
  const used = GRADES.flatMap((grade) => {
    const sum = all.reduce((total, counts) => total + (counts[grade] ?? 0), 0)
    return sum === 0 ? [] : [[grade, sum] as const]
  })
  return Object.fromEntries(used)
}

type GradedCase = Pick<Case, 'id' | 'op' | 'format' | 'profile' | 'input' | 'expected'>

/** What kind of a wrong answer this is; null where it is simply wrong, as in the notes of its calls. */
export function nearMissOf(
  item: GradedCase,
  answer: ActualAnswer,
  counted: Pick<ComparedTopic, 'notes'> = {},
): NearMiss | null {
  const right = alternatives(item)
  if (answer.kind === 'raised') {
    return isCoarse(item.op) && right.every(({ kind }) => kind === 'returned') ? 'refused' : null
  }
  if (item.op !== 'parse' && item.op !== 'stream') return null
  const isSame = (more: Pick<ComparedTopic, 'ids'>, isEqual?: typeof equalNumbers): boolean =>
    right.some((expected) =>
      isSameReading(comparable({ ...topicOf(item), ...counted, ...more }, [expected, answer]), isEqual),
    )
  const isFreeOfIds = right.every((expected) => hasDistinctIds(comparable(topicOf(item), [expected, answer])[1]))
  if (isFreeOfIds && isSame({ ids: 'ignored' })) return 'id'
  if (isSame({}, equalNumbers) || (isFreeOfIds && isSame({ ids: 'ignored' }, equalNumbers))) return 'number'
  return /\/cut#/.test(item.id) && right.some((expected) => isSeenAsCut(item, [expected, answer])) ? 'cut' : null
}

function topicOf({ op, profile, format }: GradedCase): ComparedTopic {
  return format === undefined ? { op, profile } : { op, profile, format }
}

function isSameReading(
  [expected, actual]: readonly [ExpectedAnswer, ActualAnswer],
  isEqual?: typeof equalNumbers,
): boolean {
  if (expected.kind !== 'returned' || actual.kind !== 'returned') return false
  return firstDifference(expected.value, actual.value, '', isEqual) === null
}

/** An engine that makes ids makes two calls two. */
function hasDistinctIds(answer: ActualAnswer): boolean {
  const ids = piecesIn(answer)
    .calls.map((call) => call.get('id'))
    .filter((id) => typeof id === 'string')
  return new Set(ids).size === ids.length
}

/**
 * Whether everything before the open call is right, and its user can see that the call is cut: its arguments are no JSON yet. With `{}`
 * or other whole arguments it would be taken for a call that the model made.
 */
function isSeenAsCut(item: GradedCase, [expected, answer]: readonly [ExpectedAnswer, ActualAnswer]): boolean {
  const [left, right] = comparable({ ...topicOf(item), ids: 'ignored' }, [expected, answer])
  if (left.kind !== 'returned') return false
  const [wanted, got] = [piecesIn({ kind: 'returned', value: left.value }), piecesIn(right)]
  const [made, open] = [got.calls.slice(0, wanted.calls.length), got.calls.slice(wanted.calls.length)]
  if (firstDifference(wanted.calls, made) !== null || open.length > 1 || open.some(hasWholeArguments)) return false
  const isKept = got.text.startsWith(wanted.text) && got.reasoning.startsWith(wanted.reasoning)
  return isKept && solid(replyText(item)).includes(got.text.slice(wanted.text.length))
}

function hasWholeArguments(call: PyDict): boolean {
  const given = call.get('arguments') ?? null
  return given !== null && typeof given !== 'string'
}

interface ReadingPieces {
  /** Without white space. */
  readonly text: string
  readonly reasoning: string
  readonly calls: readonly PyDict[]
}

function piecesIn(answer: ActualAnswer): ReadingPieces {
  const value = answer.kind === 'returned' && isDict(answer.value) ? answer.value.get('items') : null
  const items = isList(value) ? value.filter(isDict) : []
  const textOfType = (type: string): string =>
    solid(items.flatMap((item) => (item.get('type') === type ? [String(item.get('text'))] : [])).join(''))
  return {
    text: textOfType('text'),
    reasoning: textOfType('reasoning'),
    calls: items.filter((item) => item.get('type') === 'call'),
  }
}

function replyText({ input }: GradedCase): string {
  const chunks: PyValue | undefined = input.get('chunks')
  return isList(chunks) ? chunks.map(String).join('') : String(input.get('text') ?? '')
}

function solid(text: string): string {
  return text.replaceAll(/\s+/g, '')
}
