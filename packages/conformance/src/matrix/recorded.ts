import type { PyDict, PyValue } from '@callspec/python'
import { isDict, loads } from '@callspec/python'
import type { Case, ExpectedAnswer } from '../cases/case.ts'
import type { Reply } from '../implementation.ts'
import { STRICT } from '../protocol/declaration.ts'
import { readTextFile } from '../files.ts'
import { ownFile, ownNames } from '../own-files.ts'
import { judge } from '../run/run-suite.ts'

/** An engine's recorded answer, next to the right one; where both are there, they are compared as `conformance run` does. */
export interface RecordedAnswer {
  readonly id: string
  readonly op: string
  readonly format: string
  /** Program and commit or version, such as `vllm@2dbd5be`. */
  readonly engine: string
  /** Whether it is the strict answer; null where there is no single right answer. */
  readonly agrees: boolean | null
  /** It agrees but for white space at the edges of prose. */
  readonly isSpaceOnly: boolean
  /** What the question is about; empty where the engine agrees, because the strict case says it. */
  readonly about: string
  /** Null where the engine agrees. */
  readonly question: RecordedQuestion | null
}

/** A case with an answer other than the strict one, or without a strict one. */
export interface RecordedQuestion {
  readonly input: PyDict
  /** `expected`, or `error`, as in a case. */
  readonly answered: PyValue
  /** The strict answer, in the same form; null if the case has no strict answer. */
  readonly right: PyValue | null
}

/** The topic of an answer: the part of its id between operation and `#`. */
export function topicOf({ id }: Pick<RecordedAnswer, 'id'>): string {
  return id.split('#', 1)[0]?.split('/').at(-1) ?? ''
}

/**
 * One line of `golden/recorded`.
 *
 * @throws Raise for a line that is no JSON
 */
export function readRecordedLine(line: string): RecordedAnswer | null {
  const value = loads(line)
  if (!isDict(value)) return null
  const text = (key: string): string => {
    const member = value.get(key)
    return typeof member === 'string' ? member : ''
  }
  const agrees = value.get('agrees')
  const [input, strict] = [value.get('input'), value.get('strict')]
  return judgedAgain({
    ...{ id: text('id'), op: text('op'), format: text('format'), engine: text('engine'), about: text('about') },
    agrees: typeof agrees === 'boolean' ? agrees : null,
    isSpaceOnly: false,
    question: isDict(input)
      ? { input, answered: answerMemberOf(value), right: isDict(strict) ? answerMemberOf(strict) : null }
      : null,
  })
}

/** The same answer by today's comparison. One that agreed has only its id, and stays. */
function judgedAgain(answer: RecordedAnswer): RecordedAnswer {
  const item = answer.agrees === false ? recordedCase(answer) : null
  const verdict = item === null ? null : judge(item, recordedReply(answer))
  return verdict?.kind === 'passed' ? { ...answer, agrees: true, isSpaceOnly: verdict.space !== undefined } : answer
}

function answerMemberOf(value: PyDict): PyValue {
  return value.get('expected') ?? value.get('error') ?? null
}

/** The question of a recorded answer as a case; null where the line does not hold it. Several engines may share one id. */
export function recordedCase({ id, op, format, question }: RecordedAnswer): Case | null {
  if (question === null) return null
  const { input, right } = question
  return { id, op, format, profile: STRICT, input, expected: expectedIn(right), where: 'golden/recorded' }
}

/** What the engine answered. */
export function recordedReply({ question }: RecordedAnswer): Reply {
  const value = question?.answered ?? null
  if (!isRefusal(value)) return { kind: 'returned', value }
  const message = isDict(value) ? value.get('message') : ''
  return { kind: 'raised', error: { type: 'rejected', message: typeof message === 'string' ? message : '' } }
}

function expectedIn(right: PyValue | null): ExpectedAnswer {
  return isRefusal(right) && isDict(right) ? { kind: 'raised', error: right } : { kind: 'returned', value: right }
}

/** Errors are in the place of the answer, and have a type. */
function isRefusal(value: PyValue): boolean {
  return isDict(value) && value.has('type') && !value.has('calls')
}

const RECORDED = 'data/golden/recorded'

function readRecordedFile(name: string): Promise<string> {
  return readTextFile(ownFile(`${RECORDED}/${name}`))
}

/** What engines answered once, by format, in the order of the files. */
export async function readRecorded(): Promise<readonly RecordedAnswer[]> {
  const names = ownNames(RECORDED)
    .filter((name) => name.endsWith('.jsonl'))
    .toSorted()
  const answers: RecordedAnswer[] = []
  for (const name of names) {
    const text = await readRecordedFile(name)
    for (const line of text.split('\n')) {
      const answer = line === '' ? null : readRecordedLine(line)
      if (answer !== null) answers.push(answer)
    }
  }
  return answers
}

/** When each engine was asked, in words; null for one of which that is not known. */
export async function recordedDates(engines: readonly string[]): Promise<ReadonlyMap<string, string | null>> {
  const known = JSON.parse(await readRecordedFile('engines.json')) as Readonly<
    Record<string, { readonly date: string }>
  >
  return new Map(
    engines.map((engine) => {
      // `mistral-common@1.11.7/v3` is one of several that were asked together.
      const date = (known[engine] ?? known[engine.split('/', 1)[0] ?? ''])?.date ?? 'not known'
      return [engine, date === 'not known' ? null : date]
    }),
  )
}

/** How often an engine gave the strict answer to the questions of a topic. */
export interface RecordedCell {
  readonly format: string
  readonly op: string
  readonly topic: string
  readonly engine: string
  /** Including those that differ in white space alone. */
  agrees: number
  /** Right but for white space at the edges of prose. */
  space: number
  differs: number
  /** Questions to which there is no single right answer. */
  open: number
}

/** A cell per format, operation, topic and engine, in the order in which they come. */
export function tallyRecorded(answers: readonly RecordedAnswer[]): readonly RecordedCell[] {
  const cells = new Map<string, RecordedCell>()
  for (const answer of answers) {
    const { format, op, engine, agrees } = answer
    const topic = topicOf(answer)
    const key = [format, op, topic, engine].join(' ')
    const cell = cells.get(key) ?? { format, op, topic, engine, agrees: 0, space: 0, differs: 0, open: 0 }
    cells.set(key, cell)
    if (answer.isSpaceOnly) cell.space++
    if (agrees === null) cell.open++
    else if (agrees) cell.agrees++
    else cell.differs++
  }
  return [...cells.values()]
}

/** A deviation that was judged, with what its recorded answers have in common. */
export interface JudgedDeviation {
  readonly engine: string
  readonly kind: 'bug' | 'policy'
  readonly link: string
  readonly what: string
  /** The formats of such answers; absent: all but `notFormats`. */
  readonly formats?: readonly string[]
  /** Formats of which the engine read no call at all. */
  readonly notFormats?: readonly string[]
  readonly topic?: string
  /** A regular expression that is found in the texts. */
  readonly text?: string
  /** A strict case that shows it, and the parser that is asked. */
  readonly id: string
  readonly parser: string
}

/** What was found in public reports; the rest of what was recorded is unverified. */
export async function readJudged(): Promise<readonly JudgedDeviation[]> {
  return JSON.parse(await readRecordedFile('judged.json')) as readonly JudgedDeviation[]
}

/** The answers in which a deviation shows. */
export function showing(judged: JudgedDeviation, answers: readonly RecordedAnswer[]): readonly RecordedAnswer[] {
  const { engine, formats, notFormats = [], topic } = judged
  const pattern = new RegExp(judged.text ?? '', 'u')
  return answers.filter((answer) => {
    const text = answer.question?.input.get('text')
    const isWrong = answer.op === 'parse' && answer.engine === engine && answer.agrees === false
    const isAbout = formats?.includes(answer.format) ?? !notFormats.includes(answer.format)
    return (
      isWrong &&
      isAbout &&
      (topic === undefined || topicOf(answer) === topic) &&
      pattern.test(typeof text === 'string' ? text : '')
    )
  })
}
