import { isDict, loads } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'

/** What an engine answered once, beside the answer that is right. Data: nothing is judged anew. */
export interface RecordedAnswer {
  readonly id: string
  readonly op: string
  readonly format: string
  /** Program and commit or version, such as `vllm@2dbd5be`. */
  readonly engine: string
  /** Whether it is the strict answer; null where there is no single right answer. */
  readonly agrees: boolean | null
  /** What the question is about; empty where the engine agrees, because the strict case says it. */
  readonly about: string
  /** Null where the engine agrees. */
  readonly question: RecordedQuestion | null
}

/** A question to which the answer is not the strict one, or to which there is none. */
export interface RecordedQuestion {
  readonly input: PyDict
  /** `expected`, or `error`, as in a case. */
  readonly answered: PyValue
  /** The strict answer, in the same form; null where there is none. */
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
  return {
    ...{ id: text('id'), op: text('op'), format: text('format'), engine: text('engine'), about: text('about') },
    agrees: typeof agrees === 'boolean' ? agrees : null,
    question: isDict(input)
      ? { input, answered: answerIn(value), right: isDict(strict) ? answerIn(strict) : null }
      : null,
  }
}

function answerIn(value: PyDict): PyValue {
  return value.get('expected') ?? value.get('error') ?? null
}
