import type { ChildProcess } from 'node:child_process'
import { execFile, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startRegistry } from '../../cli/test/helpers/registry.ts'
import { ROOT } from '../src/manifest.ts'
import { stagePackage } from '../src/stage-package.ts'

// The program as on the day of its publication: one tarball, which `npx` runs in an empty folder. Its one dependency comes from a registry
// in this process, and is in npm's cache from the second run on.

const outside = mkdtempSync(join(tmpdir(), 'callspec-tarball-'))
const tarball = join(outside, 'callspec-0.1.0.tgz')
const server: { process: ChildProcess | null; url: string } = { process: null, url: '' }
let registry: Awaited<ReturnType<typeof startRegistry>> | null = null

beforeAll(async () => {
  const published = await stagePackage(join(ROOT, 'packages/cli'), ROOT, join(outside, 'published'))
  registry = await startRegistry([join(ROOT, 'packages/cli')])
  await run('npm', ['pack', published, '--pack-destination', outside, '--ignore-scripts'], outside)
  await install('first')
}, 240_000)

afterAll(async () => {
  const { process: child } = server
  if (child !== null) {
    const ended = new Promise((resolve) => child.once('close', resolve))
    child.kill('SIGINT')
    await ended
  }
  registry?.close()
  rmSync(outside, { recursive: true, force: true })
})

describe('callspec of one tarball', () => {
  const REPLY = '<tool_call>\n{"name": "clock", "arguments": {}}\n</tool_call>'

  it('is two packages of less than 15 MB, with a licence for each package of others in it', () => {
    const modules = join(outside, 'first/node_modules')
    const packages = readdirSync(modules).filter((name) => !name.startsWith('.'))
    const megabytes = bytesBelow(modules) / 1e6
    const licences = readFileSync(join(modules, 'callspec/THIRD-PARTY.md'), 'utf8')

    console.log(`callspec of one tarball: ${packages.length} packages, ${megabytes.toFixed(1)} MB`)
    expect(packages).toEqual(['callspec', 'jiti'])
    expect(megabytes).toBeLessThan(15)
    expect([...licences.matchAll(/^## (\S+) /gm)].map(([, name]) => name)).toEqual(
      expect.arrayContaining(['fast-check', 'openai', 'undici', 'valibot']),
    )
    expect(licences).toContain('Permission is hereby granted')
  })

  it('has what a library lists as its dependencies nowhere but in its bundle', () => {
    const dist = join(outside, 'first/node_modules/callspec/dist')
    const imported = readdirSync(dist)
      .filter((name) => name.endsWith('.js'))
      .flatMap((name) => [...readFileSync(join(dist, name), 'utf8').matchAll(/(?:\bfrom |\bimport\()"([^."][^"]*)"/g)])
      .map(([, id = '']) => id)
      .filter((id) => /^[@a-z][\w@/-]*$/.test(id))

    expect([...new Set(imported)].toSorted()).toEqual(['@callspec/queue', '@modelcontextprotocol/client', 'jiti'])
  })

  it('says its version, parses, and lists formats', async () => {
    writeFileSync(join(outside, 'first/reply.txt'), REPLY)

    const version = await callspec('--version')
    const parsed = await callspec('parse', 'reply.txt')
    const formats = await callspec('formats')

    expect(version).toEqual({ stdout: '0.1.0\n', stderr: '', code: 0 })
    expect(JSON.parse(parsed.stdout)).toMatchObject({ kind: 'parsed', items: [{ kind: 'call', name: 'clock' }] })
    expect(formats.stdout).toContain('Qwen3-Coder')
  })

  it('reads its cases, its data, its vocabularies and its pages from the one tarball', async () => {
    const cases = await callspec('conformance', 'run', '--id', 'nous/parse/escapes#*')
    const counted = await callspec('conformance', 'version')
    const recorded = await callspec('conformance', 'matrix', '--recorded')
    const engine = await callspec('compat', 'ollama')
    const transcripts = await callspec('transcripts')
    const page = await callspec('playground', '-o', 'page.html')
    const shipped = await callspec('grammar', 'check', '--shipped', 'sglang/qwen25')
    writeFileSync(join(outside, 'first/chat_template.jinja'), '{% for m in messages %}{{ m.content }}{% endfor %}')
    const inspected = await callspec('inspect', 'chat_template.jinja')
    writeFileSync(join(outside, 'first/tasks.yaml'), 'tasks: 5\n')
    const tasks = await callspec('tasks', 'list', '--suite', 'tasks.yaml')
    const fuzzed = await callspec('fuzz', '--format', 'nous', '--runs', '40', '--jobs', '2')

    expect(cases.stdout).toMatch(/\n[1-9]\d+ passed, 0 failed, 0 errored/)
    expect(counted.stdout).toMatch(/\n\d{5} cases\n$/)
    expect(recorded.stdout).toMatch(/\nrecorded once, not run now: \d+ engines/)
    expect(engine.stdout).toMatch(/^Ollama .*\n/)
    expect(transcripts.stdout).toContain('004-final-print')
    expect(page).toMatchObject({ stderr: '', code: 0 })
    expect(shipped.stderr).toBe('')
    expect(inspected.stderr).not.toMatch(/unexpected|cannot be read/)
    expect(inspected.stdout).toContain('chat_template.jinja')
    expect(tasks).toMatchObject({ stdout: '', code: 2 })
    expect(tasks.stderr).toMatch(/^callspec: tasks\.yaml\b.*\n$/)
    expect(fuzzed).toMatchObject({ stderr: '', code: 0 })
  })

  it('evaluates the simulated models', async () => {
    const { stdout, stderr, code } = await callspec('eval', '--limit', '1', '--repeat', '1', '-m', 'sim/perfect')

    expect({ stderr, code }).toEqual({ stderr: '', code: 0 })
    expect(stdout).toContain('4 of 4 episodes')
  })

  it('reads a typed configuration, in which callspec is this program', async () => {
    const config =
      "import { defineConfig } from 'callspec'\nexport default defineConfig({ models: ['sim/perfect'], protocols: ['nous'], tasks: { limit: 1 }, repeat: 1 })\n"
    writeFileSync(join(outside, 'first/own.config.ts'), config)

    const { stdout, code } = await callspec('eval', 'own.config.ts', '--reports', 'typed')

    expect([code, stdout]).toEqual([0, expect.stringContaining('1 of 1 episode')])
  })

  it.each([
    [['worker', '--queue', 'redis://127.0.0.1:1'], 'npm install @callspec/queue'],
    [['eval', '--queue', 'redis://127.0.0.1:1'], 'npm install @callspec/queue'],
    [
      ['doctor', '--schemas', '--mcp', 'true', '--base-url', 'http://127.0.0.1:1'],
      'npm install @modelcontextprotocol/client@2',
    ],
  ])('says in one line how to get what is not in it: %j', async (words, advice) => {
    const { stdout, stderr, code } = await callspec(...words)

    expect({ stdout, lines: stderr.split('\n').length, code }).toEqual({ stdout: '', lines: 2, code: 2 })
    expect(stderr).toContain(advice)
  })

  it('examines a server through npx in an empty folder, in under 20 s with a warm cache, without a network', async () => {
    await startSim()
    const empty = join(outside, 'second')
    mkdirSync(empty)
    const begun = performance.now()

    const words = [
      '--yes',
      '--offline',
      '../callspec-0.1.0.tgz',
      'doctor',
      '--base-url',
      server.url,
      '--model',
      'sim/perfect',
    ]
    const { stdout, stderr, code } = await run('npx', words, empty)
    const seconds = (performance.now() - begun) / 1000

    console.log(`npx callspec-0.1.0.tgz doctor: ${seconds.toFixed(1)} s`)
    expect({ stderr, code }).toEqual({ stderr: '', code: 0 })
    expect(stdout).toMatch(/^ok +chat /m)
    expect(seconds).toBeLessThan(20)
    expect(readdirSync(empty)).toEqual([])
  })

  it('weighs a few megabytes, and is the same when it is packed again', async () => {
    const again = join(outside, 'again')
    mkdirSync(again)

    const published = await stagePackage(join(ROOT, 'packages/cli'), ROOT, join(outside, 'published-again'))
    await run('npm', ['pack', published, '--pack-destination', again, '--ignore-scripts'], outside)

    expect(readFileSync(tarball).length).toBeLessThan(6e6)
    expect(hashOf(join(again, 'callspec-0.1.0.tgz'))).toBe(hashOf(tarball))
  })
})

/** Starts the installed program's own server of simulated models. */
async function startSim(): Promise<void> {
  const child = spawn(join(outside, 'first/node_modules/.bin/callspec'), ['sim', 'serve', '--json'], {
    env: environment(),
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  server.process = child
  for await (const line of createInterface({ input: child.stdout })) {
    server.url = (JSON.parse(line) as { readonly baseUrl: string }).baseUrl
    return
  }
}

async function install(name: string): Promise<void> {
  mkdirSync(join(outside, name))
  writeFileSync(join(outside, name, 'package.json'), '{ "private": true, "type": "module" }\n')
  const { code, stderr } = await run(
    'npm',
    ['install', tarball, '--no-audit', '--no-fund', '--loglevel', 'error'],
    join(outside, name),
  )
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
}

function callspec(...words: readonly string[]): Promise<Ended> {
  return run(join(outside, 'first/node_modules/.bin/callspec'), words, join(outside, 'first'))
}

interface Ended {
  readonly stdout: string
  readonly stderr: string
  readonly code: number
}

function run(command: string, words: readonly string[], cwd: string): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(
      command,
      [...words],
      { cwd, env: environment(), encoding: 'utf8', maxBuffer: 2 ** 26 },
      (error, stdout, stderr) => {
        resolve({ stdout, stderr, code: error === null ? 0 : typeof error.code === 'number' ? error.code : -1 })
      },
    )
  })
}

/** Nothing of this workspace, a cache of its own, and the registry of this process. */
function environment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !/^npm_|^pnpm_|^node_options$/i.test(name))
  return {
    ...Object.fromEntries(kept),
    NO_COLOR: '1',
    NO_PROXY: '127.0.0.1',
    npm_config_update_notifier: 'false',
    npm_config_cache: join(outside, 'cache'),
    npm_config_registry: registry?.url,
  }
}

function bytesBelow(folder: string): number {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => lstatSync(join(folder, path)))
    .reduce((sum, entry) => sum + (entry.isFile() ? entry.size : 0), 0)
}

function hashOf(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex')
}
