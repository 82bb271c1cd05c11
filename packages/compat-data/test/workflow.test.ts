import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

// The scripts of .github/workflows/engines.yml, with registries on 127.0.0.1.

const PACKAGE = resolve(import.meta.dirname, '..')
const WORKFLOW = readFileSync(resolve(PACKAGE, '../../.github/workflows/engines.yml'), 'utf8')
const run = promisify(execFile)

const home = mkdtempSync(join(tmpdir(), 'callspec-workflow-'))
const ANSWERS: Readonly<Record<string, unknown>> = {
  '/simple/acme/': {
    files: [
      { filename: 'acme-0.9.0-py3-none-any.whl', 'upload-time': '2026-01-01T00:00:00Z' },
      { filename: 'acme-0.10.0.tar.gz', 'upload-time': '2026-02-03T00:00:00Z' },
      { filename: 'acme-0.11.0rc1-py3-none-any.whl', 'upload-time': '2026-03-01T00:00:00Z' },
    ],
  },
  '/npm/@acme%2fparser': {
    time: { created: '2020-01-01', '1.2.3': '2026-01-01T00:00:00Z', '2.0.0-beta.1': '2026-02-01T00:00:00Z' },
  },
  '/go/example.org/!acme/@latest': { Version: 'v1.5.0', Time: '2026-04-05T06:07:08Z', Origin: { Hash: '0123abc' } },
  '/crates/acme-rs': {
    versions: [
      { num: '0.2.0', created_at: '2026-05-06T00:00:00Z' },
      { num: '0.1.0', created_at: '2026-01-01' },
    ],
  },
}
const server = createServer((request, response) => {
  const answer = ANSWERS[request.url ?? '']
  response
    .writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' })
    .end(JSON.stringify(answer ?? {}))
})
let base = ''

beforeAll(async () => {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.close()
  rmSync(home, { recursive: true, force: true })
})

/** A folder of adapters that list version 1.0 or 0.9.0. */
function adapters(): string {
  const folder = mkdtempSync(join(home, 'adapters-'))
  const add = (name: string, needs: string, word: string, version: string): void => {
    mkdirSync(join(folder, name))
    const engine = { name, versions: [{ version, date: '2025-01-01' }], needs, install: [['x', word]] }
    writeFileSync(join(folder, name, 'engine.json'), `${JSON.stringify(engine, null, 2)}\n`)
  }
  add('py', 'python3', 'acme=={version}', '0.9.0')
  add('js', 'node', '@acme/parser@{version}', '1.2.3')
  add('go', 'go', 'example.org/Acme@v{version}', '1.4.9')
  add('rs', 'cargo', 'acme-rs@{version}', '0.1.0')
  add('unknown', 'node', 'not-there@{version}', '1.0')
  return folder
}

const newReleases = async (folder: string, ...words: readonly string[]): Promise<Awaited<ReturnType<typeof run>>> => {
  const registries = {
    PIP_INDEX_URL: `${base}/simple`,
    npm_config_registry: `${base}/npm`,
    GOPROXY: `${base}/go,direct`,
    CALLSPEC_CRATES: `${base}/crates`,
  }
  const script = join(PACKAGE, 'scripts/new-releases.mjs')
  return run(process.execPath, [script, '--adapters', folder, ...words], { env: { ...process.env, ...registries } })
}

describe('new-releases.mjs', () => {
  it('adds final releases that are newer, with their days, and goes on where a registry knows nothing', async () => {
    const folder = adapters()

    const { stdout, stderr } = await newReleases(folder)

    expect(stdout).toBe('rows=go@1.5.0 py@0.10.0 rs@0.2.0\n')
    expect(stderr).toMatch(/^unknown: .* answered 404\n$/)
    const versionsOf = (name: string): unknown =>
      (JSON.parse(readFileSync(join(folder, name, 'engine.json'), 'utf8')) as { versions: unknown }).versions
    expect(versionsOf('py')).toEqual([
      { version: '0.10.0', date: '2026-02-03' },
      { version: '0.9.0', date: '2025-01-01' },
    ])
    expect(versionsOf('go')).toEqual([
      { version: '1.5.0', date: '2026-04-05', commit: '0123abc' },
      { version: '1.4.9', date: '2025-01-01' },
    ])
    // A second run finds nothing.
    expect((await newReleases(folder)).stdout).toBe('rows=\n')
  })

  it('writes nothing in a dry run', async () => {
    const folder = adapters()
    const before = readFileSync(join(folder, 'py/engine.json'), 'utf8')

    expect((await newReleases(folder, '--dry-run')).stdout).toContain('py@0.10.0')
    expect(readFileSync(join(folder, 'py/engine.json'), 'utf8')).toBe(before)
  })
})

describe('what-is-new.mjs', () => {
  it('prints what is new and gone of a row, and fails for one that the data lacks', async () => {
    const script = join(PACKAGE, 'scripts/what-is-new.mjs')

    const { stdout } = await run(process.execPath, [script, 'ai-sdk@4.1.26'])

    expect(stdout).toMatch(
      /^## .+ 4\.1\.26 of 2026-06-16\n\n\d+\/\d+ right, \d+ cut by policy, \d+ contested, \d+ wrong\.\n/,
    )
    expect(stdout).toMatch(/\nSince 4\.1\.21:\n\n### \d+ new\n\n- `hermesProtocol`: `nous\//)
    await expect(run(process.execPath, [script, 'ai-sdk@0'])).rejects.toThrow('the data has no ai-sdk@0')
  })
})

describe('the workflow', () => {
  it('runs scripts that are there, and passes what registries said in variables only', () => {
    const scripts = Array.from(WORKFLOW.matchAll(/node (packages\/\S+\.mjs)/g), ([, path = '']) => path)

    expect(scripts).toHaveLength(2)
    for (const path of scripts) expect(existsSync(resolve(PACKAGE, '../..', path)), path).toBe(true)
    const lines = WORKFLOW.split('\n').filter((line) => line.includes('${{'))
    expect(lines.filter((line) => !/^ +[A-Z_]+: \$\{\{ [\w.]+ \}\}$/.test(line))).toEqual([])
  })
})
