// Makes what the page knows of engines, of the files that the repository keeps.
import { resolve } from 'node:path'
import { builtInCases, findCaseFiles, readCases } from '@callspec/conformance'
import { isDict } from '@callspec/python'
import { addAsked } from './asked-engines.js'
import { questionOf } from './question-of.js'
import { addRecorded } from './recorded-engines.js'
import { createRecords } from './records-table.js'

const SCOREBOARDS = resolve(import.meta.dirname, '../../../../reports/scoreboard')

/** What engines answered to which texts, as `EngineRecords`. */
export async function engineRecords() {
  const cases = await strictCases()
  const records = createRecords()
  await addAsked(records, { folder: SCOREBOARDS, cases })
  await addRecorded(records, { cases })
  return records.data()
}

async function strictCases() {
  const cases = []
  for await (const item of readCases(await findCaseFiles([await builtInCases()]))) {
    const { id, op, format, profile, input, expected, evidence } = item
    if (profile !== 'strict' || (op !== 'parse' && op !== 'stream')) continue
    const isOpen = isDict(expected.value) && expected.value.has('any_of')
    const topic = id.split('#', 1)[0].split('/').at(-1)
    cases.push({
      id,
      op,
      format,
      topic,
      evidence,
      text: input.get('text'),
      question: questionOf({ format, op, input, isOpen }),
    })
  }
  return cases
}
