import { execFile, execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { startRegistry } from './helpers/registry.ts'

// The tarballs of `pnpm pack`, installed with npm into an empty folder outside the repository: what a user gets.
// Nothing is fetched: npm's registry is a server in this process (helpers/registry.ts), its cache a new folder.

const REPOSITORY = fileURLToPath(new URL('../../../', import.meta.url))
const PACKAGES = [
  'python',
  'unicode-names',
  'core',
  'qwen-agent',
  'metagpt',
  'tokenizer-qwen',
  'template',
  'response-template',
  'fuzz',
  'grammar',
  'conformance',
  'compat-data',
  'labels',
  'apis',
  'sim',
  'eval',
  'bfcl',
  'inspect',
  'report',
  'playground',
  'proxy',
  'cli',
]
// Packed, but not installed: for vitest npm would want vitest itself. packages/vitest/test/user-project.long.test.ts uses it.
const PACKED_ONLY = ['vitest', 'queue']

const outside = mkdtempSync(join(tmpdir(), 'callspec-installed-'))
const tarballs = join(outside, 'tarballs')
const home = join(outside, 'home')

beforeAll(async () => {
  mkdirSync(home)
  writeFileSync(join(home, 'package.json'), '{ "private": true, "type": "module" }\n')
  writeFileSync(join(outside, 'npmrc'), '')
  pack()
  await install()
  // On a busy machine that takes longer than a test may.
}, 240_000)

afterAll(() => {
  rmSync(outside, { recursive: true, force: true })
})

describe('an installed callspec', () => {
  const ANSWER = '<tool_call>\n{"name": "clock", "arguments": {}}\n</tool_call>'

  it('prints its help through npx', async () => {
    const { stdout, code } = await run('npx', ['--no-install', 'callspec', '--help'])

    expect(code).toBe(0)
    expect(stdout).toContain('callspec conformance run')
  })

  it('renders a request', async () => {
    const tool = { name: 'clock', description: 'Tells the time.', parameters: { type: 'object', properties: {} } }
    const request = { messages: [{ role: 'user', content: 'What time is it?' }], tools: [tool] }
    writeFileSync(join(home, 'request.json5'), JSON.stringify(request))

    const { stdout, stderr, code } = await callspec(['render', 'request.json5', '--format', 'nous', '--as', 'chatml'])

    expect({ stderr, code }).toEqual({ stderr: '', code: 0 })
    expect(stdout).toMatch(/<\|im_start\|>user\nWhat time is it\?<\|im_end\|>/)
  })

  it('parses an answer', async () => {
    writeFileSync(join(home, 'answer.txt'), ANSWER)

    const { stdout, code } = await callspec(['parse', 'answer.txt', '--format', 'nous'])

    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ kind: 'parsed', items: [{ name: 'clock', arguments: '{}' }] })
  })

  // Opening and compiling modules is most of what a short run costs: 36 and 106 of them once.
  it.each([
    [['parse', 'answer.txt', '--format', 'nous'], 15, /conformance|eval|report|sim|undici/],
    [
      ['eval', '-m', 'sim/perfect', '-f', 'nous', '--limit', '1', '--repeat', '1'],
      70,
      /conformance|fuzz|template|undici|openai/,
    ],
  ])('opens few modules, and none of other commands: %j', async (words, most, others) => {
    writeFileSync(join(home, 'answer.txt'), ANSWER)
    writeFileSync(join(home, 'begin.mjs'), "import { register } from 'node:module'\nregister('./opened.mjs', import.meta.url)\n") // prettier-ignore
    writeFileSync(
      join(home, 'opened.mjs'),
      `import { appendFileSync } from 'node:fs'
export async function load(url, context, next) {
  appendFileSync(new URL('./opened.txt', import.meta.url), url + '\\n')
  return next(url, context)
}
`,
    )
    rmSync(join(home, 'opened.txt'), { force: true })

    const { code } = await run(process.execPath, ['--import', './begin.mjs', 'node_modules/callspec/bin/callspec.js', ...words]) // prettier-ignore
    const opened = readFileSync(join(home, 'opened.txt'), 'utf8').trimEnd().split('\n')

    expect(code).toBe(0)
    expect(opened.length).toBeGreaterThan(10)
    expect(opened.length).toBeLessThanOrEqual(most)
    // The packages whose modules are in the opened files; small helpers for texts are in the file of the reader.
    const modules = opened
      .filter((url) => url.startsWith('file:'))
      .flatMap((url) => [...readFileSync(fileURLToPath(url), 'utf8').matchAll(/^\/\/ (\.\.\/\S+)$/gm)])
      .map(([, module = '']) => module)
      .filter((module) => module !== '../eval/dist/text/text.js')
    expect(modules.length).toBeGreaterThan(50)
    expect(modules.filter((module) => others.test(module.split('/')[module.includes('/.pnpm/') ? 4 : 1] ?? ''))).toEqual([]) // prettier-ignore
  })

  // It takes the engine 0.1 s to optimise what reads replies: too long for a few of them.
  it('lets a few replies be read as they are', async () => {
    const words = ['eval', '-m', 'sim/perfect', '-f', 'nous', '--limit', '1', '--repeat', '1']

    const { stdout, code } = await run(process.execPath, ['--trace-wasm-compilation-times', 'node_modules/callspec/bin/callspec.js', ...words]) // prettier-ignore

    expect(code).toBe(0)
    expect(stdout).not.toContain('using TurboFan')
  })

  // Printed and not asserted: other tests run at the same time. The share is that of pairs, so that a busy machine slows both.
  it('ends short runs well, and prints their cost compared with an empty program', async () => {
    writeFileSync(join(home, 'answer.txt'), ANSWER)
    writeFileSync(join(home, 'empty.cjs'), '')
    writeFileSync(
      join(home, 'spent.cjs'),
      `process.on('exit', () => {
  const { user, system } = process.cpuUsage()
  require('node:fs').writeFileSync('spent.txt', String((user + system) / 1000))
})
`,
    )
    const spent = async (...words: readonly string[]): Promise<number> => {
      expect((await run(process.execPath, ['--require', './spent.cjs', ...words])).code).toBe(0)
      return Number(readFileSync(join(home, 'spent.txt'), 'utf8'))
    }

    for (const words of [
      ['--help'],
      ['parse', 'answer.txt', '--format', 'nous'],
      ['eval', '-m', 'sim/perfect', '-f', 'nous', '--limit', '1', '--repeat', '1'],
    ]) {
      const pairs: (readonly [number, number])[] = []
      while (pairs.length < 7)
        pairs.push([await spent('node_modules/callspec/bin/callspec.js', ...words), await spent('empty.cjs')])
      const [cost = 0, times = 0] = [pairs.map(([own]) => own), pairs.map(([own, empty]) => own / empty)].map(
        (figures) => figures.toSorted((one, other) => one - other)[3],
      )
      console.log(`callspec ${words.join(' ')}: ${cost.toFixed(0)} ms of CPU, ${times.toFixed(2)} × an empty program`)
    }
  })

  it('writes the playground', async () => {
    const { stderr, code } = await callspec(['playground', '-o', 'playground.html'])

    expect({ stderr, code }).toEqual({ stderr: '', code: 0 })
    expect(readFileSync(join(home, 'playground.html'), 'utf8')).toContain('<title>callspec playground</title>')
  })

  it('without the package of the queue says how to get it', async () => {
    const { stderr, code } = await callspec(['worker', '--queue', 'redis://127.0.0.1:1'])

    expect({ stderr, code }).toEqual({
      stderr: 'callspec: a queue needs a package of its own: npm install @callspec/queue\n',
      code: 2,
    })
  })

  it('passes all of its built-in cases', async () => {
    const { stdout, stderr, code } = await callspec(['conformance', 'run'])

    // How many there are, golden.test.ts of the conformance package says.
    expect(stdout).toMatch(/\n(?:[3-9]|[1-9][0-9])[0-9]{3} passed, 0 failed, 0 errored, [0-9]+ skipped\n$/)
    expect(stdout).toMatch(/^format +parse +stop +render +stream +loop +all$/m)
    expect(stdout).toMatch(/^nous +\d+ +\d+ +\d+ +\d+ +\d+ +\d+$/m)
    // What it is at, where it takes long.
    expect(stderr).toMatch(/^(?:\d+ cases\n)*$/)
    expect(code).toBe(0)
  })

  it('brings the strict cases as JSON Lines, for readers in other languages', () => {
    const path = join(home, 'node_modules/@callspec/compat-data/data/cases/nous.jsonl')
    const [first = ''] = readFileSync(path, 'utf8').split('\n')

    expect(JSON.parse(first)).toMatchObject({ op: 'parse', format: 'nous', profile: 'strict' })
  })

  it('evaluates the simulated models and leaves a run folder', async () => {
    const { stdout, code } = await callspec(['eval', '--limit', '2'])

    expect(code).toBe(0)
    expect(stdout).toContain('nous')
    expect(readdirSync(join(home, 'reports')).length).toBeGreaterThan(0)
  })

  it('reads a typed configuration', async () => {
    const config = `import { defineConfig } from 'callspec'
import type { EvalConfig } from 'callspec'
const config: EvalConfig = { models: ['sim/perfect'], protocols: ['react'], tasks: { limit: 1 }, repeat: 1 }
export default defineConfig(config)
`
    writeFileSync(join(home, 'right.config.ts'), config)
    writeFileSync(join(home, 'wrong.config.ts'), config.replace('repeat: 1', "repeat: 'once'"))
    const tsc = join(REPOSITORY, 'node_modules/.bin/tsc')
    const options = [
      '--noEmit',
      '--strict',
      '--target',
      'es2023',
      '--module',
      'nodenext',
      '--skipLibCheck',
      '--types',
      '',
    ]

    const { stdout, code } = await callspec(['eval', 'right.config.ts', '--reports', 'typed'])
    const right = await run(tsc, [...options, 'right.config.ts'])
    const wrong = await run(tsc, [...options, 'wrong.config.ts'])

    expect([code, stdout]).toEqual([0, expect.stringContaining('1 of 1 episode')])
    expect(right).toEqual({ stdout: '', stderr: '', code: 0 })
    expect(wrong.stdout).toMatch(/^wrong\.config\.ts\(3,\d+\): error TS2322: .*string.*\n/)
  })

  it('scores recorded answers', async () => {
    writeFileSync(join(home, 'outputs.jsonl'), `${JSON.stringify({ model: 'm', output: ANSWER })}\n`)

    const { stdout, code } = await callspec(['score', '--format', 'nous', 'outputs.jsonl'])

    expect(stdout).toMatch(/\n1 scored, 0 of other formats, 0 unreadable\n$/)
    expect(code).toBe(0)
  })
})

describe('an installed @callspec/core', () => {
  const PROGRAM = `import { profileNamed } from '@callspec/core/qwen-agent'
import { dumps, loads } from '@callspec/python'
import type { Profile } from '@callspec/core/qwen-agent'
import type { PyValue } from '@callspec/python'

const value: PyValue = loads('{"b": 1.0, "a": 1}')
const profile: Profile | null = profileNamed('v0.0.26')
console.log(dumps(value), profile?.nousPartialCall)
`

  it('is typed for a program that has no types of Node', async () => {
    writeFileSync(join(home, 'right.ts'), PROGRAM.replace(/console.*\n/, 'export const text: string = dumps(value)\n'))
    writeFileSync(join(home, 'wrong.ts'), PROGRAM.replace(/console.*\n/, 'export const text: number = dumps(value)\n'))
    const tsc = join(REPOSITORY, 'node_modules/.bin/tsc')
    const options = ['--noEmit', '--strict', '--target', 'es2023', '--module', 'nodenext', '--types', '']

    const right = await run(tsc, [...options, 'right.ts'])
    const wrong = await run(tsc, [...options, 'wrong.ts'])

    expect(right).toEqual({ stdout: '', stderr: '', code: 0 })
    expect(wrong.stdout).toMatch(/^wrong\.ts\(8,14\): error TS2322: .*\n$/)
  })

  it('runs', async () => {
    writeFileSync(
      join(home, 'program.mjs'),
      PROGRAM.replaceAll(/import type.*\n/g, '').replaceAll(/: Py\w+|: Profile \| null/g, ''),
    )

    const { stdout, stderr } = await run(process.execPath, ['program.mjs'])

    expect(stderr).toBe('')
    expect(stdout).toBe('{"b": 1.0, "a": 1} drop-one-character\n')
  })
})

it('every package carries its licence, its notice and what it needs, and nothing from the outside', () => {
  for (const name of readdirSync(tarballs)) {
    const names = execFileSync('tar', ['-tzf', join(tarballs, name)], { encoding: 'utf8' }).split('\n')

    expect(names).toContain('package/LICENSE')
    expect(names).toContain('package/NOTICE')
    expect(
      names.filter((entry) => /tsbuildinfo|\/test\/|\/src\/|node_modules/.test(entry)).filter(isNoAdapter),
    ).toEqual([])
  }
})

it('the package of the formats is under 100 files, and has every module once, but for the entries per format', () => {
  const [tarball = ''] = readdirSync(tarballs).filter((name) => name.startsWith('callspec-core-'))
  const names = execFileSync('tar', ['-tzf', join(tarballs, tarball)], { encoding: 'utf8' })
    .trim()
    .split('\n')
  const modules = names
    .filter((name) => name.endsWith('.js') && !name.includes('/dist/formats/'))
    .flatMap((name) =>
      readFileSync(join(home, 'node_modules/@callspec/core', name.replace('package/', '')), 'utf8').split('\n'),
    )
    .filter((line) => line.startsWith('// dist/'))

  expect(names.length).toBeLessThan(100)
  expect(modules.length).toBeGreaterThan(50)
  expect(new Set(modules).size).toBe(modules.length)
})

/** Users of the adapter of llama.cpp build it. */
function isNoAdapter(entry: string): boolean {
  return !entry.startsWith('package/adapters/')
}

/** What `pnpm pack` does; `pnpm test` has built, so that only what is published is put together here. */
function pack(): void {
  execFileSync(process.execPath, [join(REPOSITORY, 'packages/release/dist/main.js')], { stdio: 'pipe' })
  const [command, ...first] = pnpm()
  const filters = [...PACKAGES, ...PACKED_ONLY].flatMap((name) => ['--filter', `./packages/${name}`])
  const options = ['--recursive', 'pack', '--config.ignore-scripts=true', '--pack-destination', tarballs]
  execFileSync(command, [...first, ...filters, ...options], { cwd: REPOSITORY, stdio: 'pipe' })
}

/** The pnpm that runs this test, or the one that npx has fetched before. */
function pnpm(): readonly [string, ...string[]] {
  const { packageManager } = JSON.parse(readFileSync(join(REPOSITORY, 'package.json'), 'utf8')) as {
    packageManager: string
  }
  const running = process.env['npm_config_user_agent']?.startsWith(packageManager.replace('@', '/')) ?? false
  return running ? ['pnpm'] : ['npx', '--yes', '--prefer-offline', packageManager]
}

async function install(): Promise<void> {
  const registry = await startRegistry(PACKAGES.map((name) => join(REPOSITORY, 'packages', name)))
  const isWanted = (name: string): boolean => !PACKED_ONLY.some((each) => name.startsWith(`callspec-${each}-`))
  const files = readdirSync(tarballs)
    .filter(isWanted)
    .map((name) => join(tarballs, name))
  const options = ['--registry', registry.url, '--no-audit', '--no-fund', '--loglevel', 'error']
  const { code, stdout, stderr } = await run('npm', ['install', ...options, ...files])
  registry.close()
  expect({ code, stdout: stdout.length > 0, stderr }).toEqual({ code: 0, stdout: true, stderr: '' })
}

/** Runs what npm linked for the command. */
function callspec(values: readonly string[]): Promise<{ stdout: string; stderr: string; code: number }> {
  return run(join(home, 'node_modules/.bin/callspec'), values)
}

/** Runs a program in the folder of the installation, with nothing of this workspace in its environment. */
function run(command: string, values: readonly string[]): Promise<{ stdout: string; stderr: string; code: number }> {
  const env: Record<string, string | undefined> = {
    NO_COLOR: '1',
    NO_PROXY: '127.0.0.1',
    npm_config_update_notifier: 'false',
  }
  for (const [name, value] of Object.entries(process.env))
    if (!/^npm_|^pnpm_|^node_options$/i.test(name)) env[name] ??= value
  env['npm_config_userconfig'] = join(outside, 'npmrc')
  env['npm_config_cache'] = join(outside, 'cache')
  return new Promise((resolve) => {
    execFile(command, [...values], { cwd: home, env, encoding: 'utf8' }, (error, stdout, stderr) => {
      resolve({ stdout, stderr, code: error === null ? 0 : typeof error.code === 'number' ? error.code : -1 })
    })
  })
}
