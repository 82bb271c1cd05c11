import { readFile } from 'node:fs/promises'
import { ownFile } from '../own-file.ts'
import { topicOf } from './recorded-answer.ts'
import type { RecordedAnswer } from './recorded-answer.ts'

/** What recorded answers have in common that somebody has judged. */
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
  return JSON.parse(await readFile(ownFile('data/golden/recorded/judged.json'), 'utf8')) as readonly JudgedDeviation[]
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
