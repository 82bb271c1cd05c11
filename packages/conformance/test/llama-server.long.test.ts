import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

import { findCaseFiles, openSession, readCases, runSuite } from '../src/index.ts'
import { gradeOf } from '../src/run/run-suite.ts'

const ROOT = resolve(import.meta.dirname, '../../..')
const ROW = join(process.env['CALLSPEC_ENGINES'] ?? join(ROOT, '.engines'), 'llama.cpp@2026.10.11549')
const ADAPTER = join(import.meta.dirname, '../adapters/llama.cpp/llama_server_adapter.py')

/** The verdicts in full of some cases, said through llama-server with the template of a model. */
async function verdicts(template: string, format: string, ids: readonly string[]): Promise<readonly string[]> {
  const file = join(ROW, 'models/templates', `${template}.jinja`)
  const command = `PYTHONPATH='${ROW}' python3 -W ignore '${ADAPTER}' --template '${file}' --format ${format}`
  const implementation = await openSession(command, { timeLimit: 60_000, version: '1' })
  const given = new Map<string, string>()
  try {
    for await (const item of readCases(await findCaseFiles([join(ROOT, 'fixtures', format)]))) {
      if (!ids.includes(item.id)) continue
      for await (const result of runSuite([item], implementation)) given.set(item.id, gradeOf(result))
    }
  } finally {
    await implementation.close?.()
  }
  return ids.map((id) => given.get(id) ?? 'no such case')
}

describe.skipIf(!existsSync(ROW))('llama-server (needs a row: pnpm engines llama.cpp, or CALLSPEC_ENGINES)', () => {
  it('reads a call, hands on a cut one as cut, and lets no model write prose behind a call', async () => {
    const ids = [
      'nous/parse/basic#one call',
      'nous/parse/cut#behind prose, 60 characters of a call',
      'nous/parse/prose-around-calls#a word behind the last call',
      'nous/parse/layout#no line feeds',
    ]

    expect(await verdicts('Qwen-Qwen3-0.6B', 'nous', ids)).toEqual(['passed', 'cut', 'skipped', 'failed'])
  })
})
