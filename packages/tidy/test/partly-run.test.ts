import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { partlyRunFiles } from './partly-run.ts'

it('a file of which `pnpm test` runs a part is run whole by the long tests', () => {
  const config = readFileSync(resolve(import.meta.dirname, '../../../vitest.long.config.ts'), 'utf8')

  expect(partlyRunFiles()).toContain('packages/fuzz/test/registry.test.ts')
  expect(partlyRunFiles().filter((path) => path.endsWith('.long.test.ts'))).toEqual([])
  expect(config).toMatch(/include: \[.*\.\.\.partlyRunFiles\(\)\]/)
  expect(config).toContain("LONG_TESTS: '1'")
})
