import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

import { APIS } from '@callspec/apis'
import { createApiReport, findCaseFiles, openApis, openSession, readCases, runSuite } from '../src/index.ts'
import type { ApiReport } from '../src/index.ts'
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

/** What six readings of some cases find, with a model that repeats. */
async function overApis(template: string, format: string): Promise<ApiReport> {
  const server = join(import.meta.dirname, '../adapters/llama.cpp/repeats/repeating_server.py')
  const words = ['-W', 'ignore', server, '--template', join(ROW, 'models/templates', `${template}.jinja`)]
  const env = { ...process.env, PYTHONPATH: ROW }
  const child = spawn('python3', [...words, '--format', format], { stdio: ['ignore', 'pipe', 'inherit'], env })
  const collected = createApiReport()
  try {
    const [first] = (await once(child.stdout, 'data')) as Buffer[]
    const say = { mode: 'repeat', maxTokens: 2000, isSpaceStrict: false } as const
    const opened = await openApis(String(first).trim(), { apis: APIS, say, timeLimit: 20_000 })
    const files = await findCaseFiles([join(ROOT, 'fixtures', format, 'parse/basic.json')])
    for await (const result of opened.results(readCases(files))) collected.add(result)
  } finally {
    child.kill('SIGKILL')
  }
  return collected.report()
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

  it('says a text over three APIs, and differs where it did', async () => {
    const { counts, groups, prompts, verdicts } = await overApis('Qwen-Qwen3-0.6B', 'nous')

    expect(counts.map(({ readings, same }) => [readings > 15, same > 10])).toEqual(
      APIS.flatMap(() => [
        [true, true],
        [true, true],
      ]),
    )
    expect(verdicts.errored).toBe(0)
    expect(prompts).toEqual({ of: 14, same: 13 })
    const found = groups.map(({ api, rule }) => `${api} ${rule}`)
    expect(found).toEqual(
      expect.arrayContaining([
        ...['chat choice', 'messages choice', 'responses choice', 'responses finish', 'messages prompt'],
        ...['messages M3', 'messages M5', 'responses R1', 'responses R2', 'responses R7', 'responses R13'],
      ]),
    )
  })
})
