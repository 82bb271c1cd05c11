import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import * as prettier from 'prettier'
import { expect, it } from 'vitest'
import {
  builtInCases,
  caseSetVersion,
  countCases,
  countTopics,
  findCaseFiles,
  readCases,
  readTaxonomy,
} from '../src/index.ts'
import type { Case } from '../src/index.ts'
import { coveragePage } from './pages/coverage-page.ts'

const PAGE = resolve(import.meta.dirname, '../../../docs/coverage.md')

async function* cases(): AsyncIterable<Case> {
  yield* readCases(await findCaseFiles([await builtInCases()]))
}

it('docs/coverage.md counts the cases that there are (UPDATE_PAGES=1 writes it)', async () => {
  const taxonomy = readTaxonomy()
  const [operations, topics] = [await countCases(cases()), await countTopics(cases(), taxonomy)]
  const page = readFileSync(PAGE, 'utf8')

  const made = coveragePage(page, { version: caseSetVersion(), taxonomy, operations, topics })

  const style = await prettier.resolveConfig(PAGE)
  const text = await prettier.format(made, { ...style, filepath: PAGE })
  if (process.env['UPDATE_PAGES'] === '1') writeFileSync(PAGE, text)
  expect(readFileSync(PAGE, 'utf8')).toBe(text)
})
