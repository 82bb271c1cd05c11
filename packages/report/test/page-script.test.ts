import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { pageScriptSource } from '../scripts/bundle-page.js'

it('the script of the pages is made from page/*.ts (pnpm --filter @callspec/report bundle-page)', async () => {
  expect(readFileSync(new URL('../src/page-script.ts', import.meta.url), 'utf8')).toBe(await pageScriptSource())
})
