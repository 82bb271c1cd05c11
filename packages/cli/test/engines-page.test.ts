import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'

import { ADAPTERS, readEngines } from '../engine/src/engine-file.ts'
import { pagesOf } from '../engine/src/engines-page.ts'

const ROOT = resolve(import.meta.dirname, '../../..')

it('docs/engines.md and reports/engines/table.tsv are made of the reports that are there (UPDATE_PAGES=1 writes them)', async () => {
  for (const [path, text] of await pagesOf(ROOT, readEngines(ADAPTERS))) {
    if (process.env['UPDATE_PAGES'] === '1') writeFileSync(join(ROOT, path), text)
    expect(readFileSync(join(ROOT, path), 'utf8')).toBe(text)
  }
})
