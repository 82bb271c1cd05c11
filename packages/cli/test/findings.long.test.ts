import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

import { ADAPTERS, readEngines, rowsOf } from '../engine/src/engine-file.ts'
import { pythonPath } from '../engine/src/engine-report.ts'

const ROOT = resolve(import.meta.dirname, '../../..')
/** Where `pnpm engines` has installed rows. */
const INSTALLED = process.env['CALLSPEC_ENGINES'] ?? join(ROOT, '.engines')

const engines = readEngines(ADAPTERS)

describe('reports/findings', () => {
  for (const name of ['ai-sdk', 'langchain', 'llamaindex', 'llama.cpp', 'transformers']) {
    const [row] = rowsOf(engines, [name], { adapters: ADAPTERS, installed: INSTALLED })
    const isThere = row !== undefined && existsSync(row.folder)

    it.skipIf(!isThere)(
      `${name}: each block of code prints what stands below it (needs the row: pnpm engines ${name})`,
      () => {
        const page = readFileSync(join(ROOT, 'reports/findings', `${name}.md`), 'utf8')
        const blocks = [...page.matchAll(/```(js|python)\n([^]*?)```\n\n```text\n([^]*?)\n```/g)]
        expect(blocks.length).toBeGreaterThan(3)
        expect(blocks.length).toBeLessThanOrEqual(10)
        for (const [, language, code = '', printed] of blocks) {
          const words =
            language === 'js' ? ['node', '--input-type=module', '-e', code] : ['python3', '-W', 'ignore', '-c', code]
          const [program = '', ...rest] = words
          const env = row === undefined ? {} : pythonPath(row)
          const { stdout } = spawnSync(program, rest, {
            cwd: row?.folder,
            encoding: 'utf8',
            env: { ...process.env, ...env },
          })
          expect([code, stdout.trim()]).toEqual([code, printed])
        }
      },
      120_000,
    )
  }
})
