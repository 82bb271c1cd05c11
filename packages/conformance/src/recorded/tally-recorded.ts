import { topicOf } from './recorded-answer.ts'
import type { RecordedAnswer } from './recorded-answer.ts'

/** How often an engine gave the strict answer to the questions of a topic. */
export interface RecordedCell {
  readonly format: string
  readonly op: string
  readonly topic: string
  readonly engine: string
  agrees: number
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
    const cell = cells.get(key) ?? { format, op, topic, engine, agrees: 0, differs: 0, open: 0 }
    cells.set(key, cell)
    if (agrees === null) cell.open++
    else if (agrees) cell.agrees++
    else cell.differs++
  }
  return [...cells.values()]
}
