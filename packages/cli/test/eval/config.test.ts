import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { FORMAT_CHOICES } from '@callspec/eval'
import type { ConfigFile } from '../../src/eval/config/read-config.ts'
import { readConfig, writtenOptions } from '../../src/eval/config/read-config.ts'
import { createOutput } from '../../src/output.ts'
import { folderWith } from '../helpers/folder.ts'

const SILENT = { write: () => true }
const output = createOutput({ stdout: SILENT, stderr: SILENT, environment: {}, clock: () => 0 })
const configOf = (path: string | null): Promise<ConfigFile> =>
  readConfig(path === null ? null : { path, isFound: false }, { code: 'run', output })

const before = process.cwd()
const enter = (files: Readonly<Record<string, string>>): void => process.chdir(folderWith(files))

// Errors name files as the caller wrote them, so relative to the current folder.
beforeEach(() => enter({}))
afterEach(() => process.chdir(before))

const TYPED = `
import { defineConfig } from 'callspec'
import type { EvalConfig } from 'callspec'
import { models } from './models.ts'
const repeat: number = 2
export default defineConfig({ models, repeat } satisfies EvalConfig)
`

describe('the configuration of callspec eval', () => {
  it('is not needed', async () => {
    expect((await configOf(null)).config).toEqual({})
  })

  it.each([
    ['callspec.config.json', '{"$schema": "x.json", "repeat": 2}'],
    ['callspec.config.json5', "// passes\n{repeat: 2, $schema: 'x.json',}"],
    ['callspec.config.mjs', 'export default { repeat: 2 }'],
    ['callspec.config.js', 'export const config = { repeat: 2 }'],
    ['callspec.config.mts', "import { defineConfig } from 'callspec'\nexport default defineConfig({ repeat: 2 })"],
  ])('is found as %s', async (name, text) => {
    enter({ [name]: text, 'package.json': '{"type": "module"}' })

    expect((await configOf(null)).config).toMatchObject({ repeat: 2 })
  })

  it('is TypeScript with imports, without callspec being installed', async () => {
    enter({ 'callspec.config.ts': TYPED, 'models.ts': "export const models: string[] = ['qwen3']" })

    const { config, path } = await configOf(null)

    expect([path, config]).toEqual(['callspec.config.ts', { models: ['qwen3'], repeat: 2 }])
  })

  it('gives paths as seen from here, and models by their ids', async () => {
    const models = ['a', { name: 'b' }, { name: 'b', id: 'b elsewhere', baseUrl: 'http://x/v1' }]
    const output = { files: ['-', 'out/r.xml'], reports: 'runs' }
    const config = { models, suite: 'tasks.jsonl', output, gates: { min: { parse_rate: 0.9 }, baseline: 'base' } }
    enter({ 'evals/my.json': JSON.stringify(config) })

    const written = writtenOptions(await configOf(join('evals', 'my.json')))

    expect(written).toMatchObject({
      model: ['a', 'b', 'b elsewhere'],
      suite: 'evals/tasks.jsonl',
      output: ['-', 'evals/out/r.xml'],
      reports: 'evals/runs',
      min: ['parse_rate=0.9'],
      baseline: 'evals/base',
    })
  })

  it.each([
    ['{\n  "protcols": ["react"]\n}', 'c.json:2: unknown key "protcols". Did you mean protocols?'],
    ['{"models": [{"name": "a",\n"pricee": 1}]}', 'c.json:2: models[0]: unknown key "pricee". Did you mean price?'],
    ['{"tasks": {"zzz": 1}}', 'c.json:1: tasks: unknown key "zzz". Known: filter, category, lang, limit.'],
    ['{\n"protocols": ["hermes"]}', `c.json:2: protocols[0]: is "hermes". Known: ${FORMAT_CHOICES.join(', ')}.`],
    ['{"models": []}', 'c.json:1: models: is empty.'],
    ['{"models": [{"id": "x"}]}', 'c.json:1: models[0]: has no "name".'],
    ['{"repeat": 0}', 'c.json:1: repeat: must be a whole number from 1 to 1000, not 0.'],
    ['{"gates": {"maxInfraRate": 5}}', 'c.json:1: gates.maxInfraRate: must be a number from 0 to 1, not 5.'],
    ['[]', 'c.json:1: must be an object.'],
    ['', 'c.json: the file is empty. It must hold an object such as { models: ["NAME"] }.'],
    ['{"a": }', "c.json:1:7: invalid character '}'. This is not JSON5."],
    ['{"tasks": [{"id": "A"}]}', 'c.json: this is a suite, not a configuration. Name it with --suite c.json.'],
  ])('%s is refused: %s', async (text, message) => {
    enter({ 'c.json': text })

    await expect(configOf('c.json')).rejects.toMatchObject({ name: 'UsageError', message })
  })

  it.each([
    [
      'c.mjs',
      'export const other = 1',
      'c.mjs: exports no configuration. Write "export default defineConfig({ … })". It exports: other.',
    ],
    ['c.mjs', 'export default { repeet: 1 }', 'c.mjs: unknown key "repeet". Did you mean repeat?'],
    ['c.ts', 'export default { repeat: 1n }', 'c.ts: repeat: must be a whole number from 1 to 1000.'],
    ['c.ts', 'const a: number = ;', /^c\.ts: cannot be imported: ParseError: .*c\.ts:1:18$/s],
    ['c.ts', 'throw new Error("boom")', 'c.ts: cannot be imported: boom'],
  ])('%s with %j is refused', async (name, text, message) => {
    enter({ [name]: text })

    const expected: unknown = typeof message === 'string' ? message : expect.stringMatching(message)
    await expect(configOf(name)).rejects.toMatchObject({ name: 'UsageError', message: expected })
  })

  it('is one file, not two', async () => {
    enter({ 'callspec.config.json': '{}', 'callspec.config.ts': '' })

    await expect(configOf(null)).rejects.toThrow(
      'there are several configurations: callspec.config.ts, callspec.config.json. Keep one, or name one with --config.',
    )
  })

  it('is missing where one is named', async () => {
    await expect(configOf('no.json5')).rejects.toThrow('no.json5: no such file.')
    await expect(configOf('no.ts')).rejects.toThrow('no.ts: no such file.')
  })
})
