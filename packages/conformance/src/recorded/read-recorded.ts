import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { readRecordedLine } from './recorded-answer.ts'
import type { RecordedAnswer } from './recorded-answer.ts'
import { ownFile } from '../own-file.ts'

const FOLDER = ownFile('data/golden/recorded')

/** What engines answered once, by format, in the order of the files. */
export async function readRecorded(): Promise<readonly RecordedAnswer[]> {
  const names = (await readdir(FOLDER)).filter((name) => name.endsWith('.jsonl')).toSorted()
  const answers: RecordedAnswer[] = []
  for (const name of names) {
    const text = await readFile(join(FOLDER, name), 'utf8')
    for (const line of text.split('\n')) {
      const answer = line === '' ? null : readRecordedLine(line)
      if (answer !== null) answers.push(answer)
    }
  }
  return answers
}

/** When each engine was asked, in words; null for one of which that is not known. */
export async function recordedDates(engines: readonly string[]): Promise<ReadonlyMap<string, string | null>> {
  const known = JSON.parse(await readFile(join(FOLDER, 'engines.json'), 'utf8')) as Readonly<
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
