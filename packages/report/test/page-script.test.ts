import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { compatScriptSource, pageScriptSource } from '../scripts/bundle-page.js'

it.each([
  ['src/page-script.ts', pageScriptSource],
  ['src/compat/script.ts', compatScriptSource],
])('%s is made from page/*.ts (pnpm --filter @callspec/report bundle-page)', async (path, source) => {
  expect(readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')).toBe(await source())
})
