import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

import { readRecordedLine } from './recorded-answer.ts'
import type { RecordedAnswer } from './recorded-answer.ts'

const FOLDER = fileURLToPath(new URL('../../data/golden/recorded/', import.meta.url))

/** What engines answered once, by format, in the order of the files. */
export async function readRecorded(): Promise<readonly RecordedAnswer[]> {
  const names = (await readdir(FOLDER)).filter((name) => name.endsWith('.jsonl')).toSorted()
  const answers: RecordedAnswer[] = []
  for (const name of names) {
    const text = await readFile(`${FOLDER}${name}`, 'utf8')
    for (const line of text.split('\n')) {
      const answer = line === '' ? null : readRecordedLine(line)
      if (answer !== null) answers.push(answer)
    }
  }
  return answers
}
