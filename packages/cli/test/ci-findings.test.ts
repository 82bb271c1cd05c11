import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Schema } from '@cfworker/json-schema'
import { Validator } from '@cfworker/json-schema'
import { describe, expect, it } from 'vitest'

import { sarifText } from '../src/ci-findings.ts'
import { folderWith } from './helpers/folder.ts'
import { inProcess } from './helpers/in-process.ts'

/** The public schema (oasis-tcs/sarif-spec, sarif-2.1/schema/sarif-schema-2.1.0.json), where the variable names a copy. */
const SCHEMA = process.env['CALLSPEC_SARIF_SCHEMA'] ?? ''

interface Sarif {
  readonly version: string
  readonly runs: readonly {
    readonly tool: { readonly driver: { readonly name: string; readonly rules: readonly { readonly id: string }[] } }
    readonly results: readonly {
      readonly ruleId: string
      readonly ruleIndex: number
      readonly level: string
      readonly locations?: readonly { readonly physicalLocation: object }[]
    }[]
  }[]
}

/** A folder with a prompt that drifted, and one that nobody accepted. */
function drifted(): string {
  return folderWith({
    'p/a.txt': 'one\ntwo\n',
    'p/a.golden.txt': 'one\nto\n',
    'p/new, 100% :: mine.txt': 'x\n',
    'p/gone.golden.txt': 'x',
  })
}

function readSarif(path: string): Sarif {
  return JSON.parse(readFileSync(path, 'utf8')) as Sarif
}

function faults(sarif: unknown): readonly unknown[] {
  if (SCHEMA === '') return []
  const schema = JSON.parse(readFileSync(SCHEMA, 'utf8')) as Schema
  return new Validator(schema, '4', true).validate(sarif).errors.slice(0, 3)
}

describe('golden verify --sarif', () => {
  it('writes what is wrong with file, line and column', async () => {
    const cwd = drifted()

    const { code } = await inProcess(['golden', 'verify', 'p', '--sarif', 'out.sarif'], { cwd })

    const sarif = readSarif(join(cwd, 'out.sarif'))
    const [run] = sarif.runs
    expect(code).toBe(1)
    expect(sarif.version).toBe('2.1.0')
    expect(run?.results.map(({ ruleId, locations }) => [ruleId, locations?.[0]?.physicalLocation])).toEqual([
      ['golden-drift', { artifactLocation: { uri: 'p/a.golden.txt' }, region: { startLine: 2, startColumn: 2 } }],
      [
        'golden-missing',
        { artifactLocation: { uri: 'p/new%2C%20100%25%20%3A%3A%20mine.txt' }, region: { startLine: 1 } },
      ],
      ['golden-stale', { artifactLocation: { uri: 'p/gone.golden.txt' }, region: { startLine: 1 } }],
    ])
    expect(run?.results.map(({ ruleId, ruleIndex }) => run.tool.driver.rules[ruleIndex]?.id === ruleId)).toEqual([
      true,
      true,
      true,
    ])
    expect(faults(sarif)).toEqual([])
  })

  it('prints annotations and a summary of the job under GitHub Actions, and nothing of them elsewhere', async () => {
    const cwd = drifted()
    const summary = join(cwd, 'summary.md')
    const env = { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: summary }

    const { stderr } = await inProcess(['golden', 'verify', 'p'], { cwd, env })
    const elsewhere = await inProcess(['golden', 'verify', 'p'], { cwd })

    expect(stderr).toContain(
      '::error file=p/a.golden.txt,line=2,col=2,title=callspec golden-drift::differs from byte 5',
    )
    expect(stderr).toContain('::error file=p/new%2C 100%25 %3A%3A mine.txt,line=1,title=callspec golden-missing::')
    expect(readFileSync(summary, 'utf8')).toContain(
      '## callspec golden verify\n\n0 equal, 1 drifted, 1 missing, 0 failed, 1 stale\n',
    )
    expect(elsewhere.stderr).not.toContain('::error')
  })
})

describe('template lint --sarif', () => {
  it('writes the findings with their rules', async () => {
    const cwd = folderWith({ 't.jinja': '{% for m in messages %}{{ m.content }}{% endfor %}' })

    const { code } = await inProcess(['template', 'lint', 't.jinja', '--sarif', 'out.sarif'], { cwd })

    const sarif = readSarif(join(cwd, 'out.sarif'))
    const results = sarif.runs[0]?.results ?? []
    expect(code).toBe(1)
    expect(results.length).toBeGreaterThan(2)
    expect(new Set(results.map(({ locations }) => JSON.stringify(locations?.[0]?.physicalLocation)))).toEqual(
      new Set(['{"artifactLocation":{"uri":"t.jinja"},"region":{"startLine":1}}']),
    )
    expect(faults(sarif)).toEqual([])
  })
})

describe('SARIF', () => {
  it('of nothing has no results', () => {
    const sarif = JSON.parse(sarifText({ findings: [], rules: {} })) as Sarif

    expect(sarif.runs[0]?.results).toEqual([])
    expect(faults(sarif)).toEqual([])
  })

  it('names files outside of the folder and servers by their address, and shows what hides in a message', () => {
    const finding = { rule: 'r', level: 'note', message: 'a\u001b[31mb' } as const
    const findings = [
      { ...finding, file: '/elsewhere/t.jinja' },
      { ...finding, file: 'http://127.0.0.1:1/v1' },
      { ...finding, file: null },
    ]
    const sarif = JSON.parse(sarifText({ findings, rules: {} })) as Sarif

    expect(sarif.runs[0]?.results[0]).toMatchObject({ message: { text: 'a\\u001b[31mb' } })
    expect(sarif.runs[0]?.results.map(({ locations }) => JSON.stringify(locations ?? null))).toEqual([
      expect.stringContaining('"uri":"file:///elsewhere/t.jinja"'),
      expect.stringContaining('"uri":"http://127.0.0.1:1/v1"'),
      'null',
    ])
    expect(faults(sarif)).toEqual([])
  })

  it.skipIf(SCHEMA === '')(
    'was compared with the public schema (skipped where CALLSPEC_SARIF_SCHEMA names no file)',
    () => {
      expect(existsSync(SCHEMA)).toBe(true)
      expect(faults({ version: '2.1.0', runs: [{}] })).not.toEqual([])
    },
  )
})

describe('conformance run --against', () => {
  const PARSER = resolve(import.meta.dirname, '../../conformance/adapters/node-example/example-parser.mjs')
  const run = async (...words: readonly string[]): ReturnType<typeof inProcess> =>
    inProcess(['conformance', 'run', '--impl', `node ${PARSER}`, '--op', 'parse', '--profile', 'strict', ...words])

  it('counts what the engine reads wrong as known: new, the same, gone', async () => {
    const { stdout, code } = await run('--format', 'nous', '--id', 'nous/parse/keys*', '--against', 'ollama/qwen3')

    expect(stdout).toMatch(/\nagainst Ollama [\d.]+: \d+ new, \d+ the same, \d+ gone\n/)
    expect(code).toBe(/: 0 new/.test(stdout) ? 0 : 1)
  })

  it.each([
    [['--against', 'olama'], 'Unknown engine "olama". Did you mean ollama?'],
    [['--against', 'ollama/x'], 'has no parser "x". Its parsers: qwen3,'],
    [
      ['--against', 'ollama'],
      'was asked nous with several parsers. Name one: --against ENGINE@VERSION/qwen3 (or qwen3-thinking,',
    ],
    [
      ['--against', 'ollama/qwen3', '--known', 'k.txt'],
      '--against and --known are two lists of known failures. Give one.',
    ],
  ])('%j is refused', async (words, message) => {
    const { code, stderr } = await run('--format', 'nous', '--id', 'nous/parse/keys*', ...words)

    expect(code).toBe(2)
    expect(stderr).toContain(message)
  })
})
