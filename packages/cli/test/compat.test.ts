import { describe, expect, it } from 'vitest'

import { folderWith } from './helpers/folder.ts'
import { inProcess } from './helpers/in-process.ts'

const ID = (name: string): string => `nous/parse/escapes#${name}`
const HEAD = { compatData: 1, engine: 'acme', title: 'Acme', what: 'its parser', commit: null, dated: 'x', stubs: [] }

function version(number: string, date: string): object {
  return {
    version: number,
    date,
    commit: null,
    ran: '2026-11-01',
    casesVersion: '1.0.0',
    file: `engines/acme@${number}.json`,
  }
}

function row(number: string, date: string, cases: Readonly<Record<string, readonly string[]>>): string {
  const counts = { passed: 4 - Object.keys(cases).length, failed: 1, cut: 1 }
  const results = [{ parser: 'hermes+qwen3', format: 'nous', operation: 'parse', counts, asked: 'all', cases }]
  const { file: _, ...rest } = version(number, date) as { readonly file: string }
  return JSON.stringify({ ...HEAD, ...rest, notAsked: [], commands: { repeat: '' }, results })
}

/** The row of an engine that was asked versions of a format. */
function rowOfVersions(): string {
  const parsers = { 'qwen3.5': 'qwen3_coder', 'qwen3.5@qwen3.6': 'qwen3_coder', 'qwen3.5@step-3.5': 'step3p5' }
  const results = Object.entries(parsers).map(([format, parser]) => {
    return { parser, format, operation: 'parse', counts: { passed: 7 }, asked: 'none', cases: {} }
  })
  return JSON.stringify({ ...(JSON.parse(row('0.33.0', '2026-10-01', {})) as object), results })
}

/** Two versions of an engine, and one of another. */
function dataFolder(index: object = {}, newest?: string): string {
  const versions = [version('0.33.0', '2026-10-01'), version('0.32.1', '2026-09-01')]
  const acme = { name: 'acme', title: 'Acme', what: 'its parser', flags: ['--tool {tool}', '--reason {reasoning}'] }
  const engines = [{ ...acme, answers: 'answers/acme.json', versions }]
  return folderWith({
    'index.json': JSON.stringify({ compatData: 1, casesVersion: '1.0.0', engines, ...index }),
    'engines/acme@0.33.0.json':
      newest ?? row('0.33.0', '2026-10-01', { [ID('b')]: ['failed', 'x'], [ID('c')]: ['cut', 'x'] }),
    'engines/acme@0.32.1.json': row('0.32.1', '2026-09-01', { [ID('a')]: ['refused', 'x'], [ID('c')]: ['cut', 'x'] }),
    'asked.json': JSON.stringify({ none: [], all: ['a', 'b', 'c', 'd'].map(ID) }),
    'answers/acme.json': '{}',
    'cases/nous.jsonl': `${JSON.stringify({ id: ID('b'), about: 'A quote in a value.' })}\n`,
  })
}

const compat = async (...words: readonly string[]): ReturnType<typeof inProcess> =>
  inProcess(['compat', ...words, '--data', dataFolder()])

describe('callspec compat ENGINE', () => {
  it('prints what is wrong, what is new and what is gone', async () => {
    const { code, stdout } = await compat('acme')

    expect(code).toBe(0)
    expect(stdout).toMatchInlineSnapshot(`
      "Acme 0.33.0 of 2026-10-01
      its parser. Asked 2026-11-01, cases 1.0.0.

      hermes+qwen3 with nous
        whole      2 of 4 right, 1 cut by policy, 1 wrong
      Wrong, by topic: escapes 1

      New since 0.32.1 of 2026-09-01: 1
        hermes+qwen3: nous/parse/escapes#b: passed, now failed
      Gone since 0.32.1 of 2026-09-01: 1
        hermes+qwen3: nous/parse/escapes#a: refused, now passed
      "
    `)
  })

  it('lists wrong cases of a format, and compares with any version', async () => {
    const { stdout } = await compat('acme@0.32', '--format', 'nous', '--since', '0.33')

    expect(stdout).toContain(`\nhermes+qwen3 with nous, parse\n  refused  ${ID('a')}\n`)
    expect(stdout).toContain(`New since 0.33.0 of 2026-10-01: 1\n  hermes+qwen3: ${ID('a')}: passed, now refused\n`)
  })

  it('prints all of it as JSON', async () => {
    const { stdout } = await compat('acme', '--json')

    expect(JSON.parse(stdout)).toMatchObject({
      ...{ engine: 'acme', version: '0.33.0', since: '0.32.1', firstAsked: [] },
      results: [{ parser: 'hermes+qwen3', counts: { passed: 2 }, wrong: [{ id: ID('b'), verdict: 'failed' }] }],
      fresh: [{ id: ID('b'), before: 'passed', after: 'failed' }],
      gone: [{ id: ID('a'), before: 'refused', after: 'passed' }],
    })
  })

  it.each([
    [['acne'], 'Unknown engine "acne". Did you mean acme? Known engines: acme.'],
    [['acme@0.31.2'], 'There is no data of Acme 0.31.2. The nearest is 0.32.1. Known versions: 0.33.0, 0.32.1.'],
    [
      ['acme', '--since', '0.35'],
      'There is no data of Acme 0.35. The nearest is 0.33.0. Known versions: 0.33.0, 0.32.1.',
    ],
    [['acme', '-f', 'nouse'], 'Unknown format "nouse". Did you mean nous? Formats asked: nous.'],
    [['acme', '-f', 'react'], 'Acme was not asked "react". Formats asked: nous.'],
    [['acme', '--engine', 'acme'], '--engine belongs to --model NAME. Without it write: callspec compat ENGINE'],
    [['--model', 'Qwen3-8B'], '--model needs --engine. Known: acme.'],
    [
      ['--model', 'Qwen3-8B', '--engine', 'acme', '--since', '1'],
      '--since belongs to callspec compat ENGINE, without --model',
    ],
    [[], 'compat needs an engine. Known: acme.'],
  ])('%j is refused in one line', async (words, message) => {
    expect(await compat(...words)).toEqual({ code: 2, stdout: '', stderr: `callspec: ${message}\n` })
  })

  it('refuses data of a newer form with the command that updates callspec, and data that is none', async () => {
    const newer = dataFolder({ compatData: 2 })
    const run = await inProcess(['compat', 'acme', '--data', newer])
    const broken = await inProcess(['compat', 'acme', '--data', dataFolder({ engines: [{ name: 1 }] })])

    expect(run).toMatchObject({ code: 2, stdout: '' })
    expect(run.stderr).toContain(
      'has form 2, and this version of callspec reads form 1. Update: npm install callspec@latest\n',
    )
    expect(broken).toMatchObject({ code: 2 })
    expect(broken.stderr).toContain('"engines[0].name" is missing or of another type.')
  })
})

describe('callspec compat --model', () => {
  it('says whether calls work there, with which flags, and what is known to break', async () => {
    const { code, stdout } = await compat('--model', 'Qwen3-8B', '--engine', 'acme')

    expect(code).toBe(0)
    expect(stdout).toMatchInlineSnapshot(`
      "Qwen3-8B writes nous (a guess).

      Acme 0.33.0 of 2026-10-01 reads nous with hermes+qwen3
        flags      --tool hermes --reason qwen3
        whole      2 of 4 right, 1 cut by policy, 1 wrong
        known to break
          escapes 1: nous/parse/escapes#b: A quote in a value.
      "
    `)
  })

  it('of a model that is prompted in a version: names its parser, and the format only if the same one reads it', async () => {
    const data = dataFolder({}, rowOfVersions())
    const [step, qwen] = await Promise.all(
      ['Step-3.5-Flash', 'Qwen3.6-27B'].map(async (model) =>
        inProcess(['compat', '--model', model, '--engine', 'acme', '--data', data]),
      ),
    )

    expect(step?.stdout.match(/ reads .*/g)).toEqual([' reads qwen3.5@step-3.5 with step3p5'])
    expect(qwen?.stdout.match(/ reads .*/g)).toEqual([
      ' reads qwen3.5@qwen3.6 with qwen3_coder',
      ' reads qwen3.5 with qwen3_coder',
    ])
  })

  it('says that a format was not asked, and refuses a model that it does not know', async () => {
    const other = await compat('--model', 'zai-org/GLM-4.6', '--engine', 'acme')
    const unknown = await compat('--model', 'x-1', '--engine', 'acme')

    expect(other.stdout).toContain('Acme 0.33.0 of 2026-10-01 was not asked glm-4.5.')
    expect(unknown).toMatchObject({ code: 2, stdout: '' })
    expect(unknown.stderr).toContain('"x-1" is not a known model.')
  })
})
