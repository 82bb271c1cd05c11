import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { startSimServer } from '@callspec/sim'
import { createRunReader } from '../src/runs/read-runs.ts'
import { serveRuns } from '../src/runs/serve.ts'
import { BINARY } from './helpers/binary.ts'
import { folderWith } from './helpers/folder.ts'
import { inProcess } from './helpers/in-process.ts'

const words = (line: string): readonly string[] => line.split(' ')
const SMALL = 'eval -m sim/faulty -f nous -n 4 --repeat 1 --no-table'

const made = mkdtempSync(join(tmpdir(), 'callspec-'))
let [first, second] = ['', '']

beforeAll(async () => {
  for (const _ of [1, 2]) await inProcess(words(SMALL), { cwd: made })
  const runs = readdirSync(join(made, 'reports')).filter((name) => name.startsWith('2'))
  ;[first = '', second = ''] = runs.toSorted()
}, 60_000)
afterAll(() => rmSync(made, { recursive: true }))

/** A copy of both runs. */
function copy(): { readonly cwd: string; readonly reports: string } {
  const cwd = folderWith({ secret: 'precious' })
  cpSync(join(made, 'reports'), join(cwd, 'reports'), { recursive: true })
  return { cwd, reports: join(cwd, 'reports') }
}

/** Makes a run look as one that is being played, with the episodes of its first `lines` lines. */
function unfinished(folder: string, lines: number): void {
  const journal = join(folder, 'turns.jsonl')
  const all = readFileSync(journal, 'utf8').split('\n')
  writeFileSync(journal, `${all.slice(0, lines).join('\n')}\n`)
  const {
    finishedAt: _,
    lines: __,
    results: ___,
    sums: ____,
    sum: _____,
    ...manifest
  } = JSON.parse(readFileSync(join(folder, 'run.json'), 'utf8')) as Record<string, unknown>
  writeFileSync(join(folder, 'run.json'), JSON.stringify({ ...manifest, finishedAt: null }))
  for (const name of ['report.html', 'summary.json', 'episodes.jsonl', 'report.md']) rmSync(join(folder, name))
}

async function served(reports: string): Promise<string> {
  const server = await serveRuns(reports, 0)
  onTestFinished(() => server.close())
  return server.url
}

/** As `fetch`, with the path as it is: `fetch` resolves `..` itself. */
function rawStatus(
  address: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  method = 'GET',
): Promise<number> {
  const { hostname, port } = new URL(address)
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path, headers, method }, (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
    sent.on('error', reject)
    sent.end()
  })
}

describe('reports/index.html', () => {
  it('is written by eval: each run with its success, and what changed since the run before', () => {
    const page = readFileSync(join(made, 'reports', 'index.html'), 'utf8')

    expect(page).toContain(`href="${first}/report.html"`)
    expect(page).toContain('none of 4 tasks changed')
    expect(page).toContain(`<code>callspec compare ${first} ${second}</code>`)
    expect(statSync(join(made, 'reports', 'index.html')).mode & 0o077).toBe(0)
  })

  it('says whether a change is more than chance, with the interval of the paired test', async () => {
    const server = await startSimServer()
    onTestFinished(() => server.close())
    const cwd = folderWith({})
    for (const name of ['sim/oracle?fault=F20:0.4,F31:0.6', 'sim/perfect', 'sim/oracle?fault=F31:0.1']) {
      const config = { baseUrl: server.baseUrl, models: [{ id: 'm', name }] }
      writeFileSync(join(cwd, 'callspec.config.json5'), JSON.stringify(config))
      await inProcess(words('eval -f native -n 12 --repeat 1 --no-table'), { cwd })
    }
    const page = readFileSync(join(cwd, 'reports', 'index.html'), 'utf8')
    const [newest = '', middle = '', oldest = ''] = page
      .split('<a href="2')
      .slice(1)
      .map((part) => part.replaceAll(/<span lang="zh">[^<]*<\/span>/g, '').replaceAll(/<[^>]*>/g, ''))
    const runs = readdirSync(join(cwd, 'reports')).filter((name) => name.startsWith('2'))
    const [first = '', second = ''] = runs.toSorted()
    const compared = await inProcess(['compare', first, second, '--json'], { cwd })
    const { rows } = JSON.parse(compared.stdout) as {
      readonly rows: readonly { readonly figures: readonly { readonly metric: string; readonly effect: number }[] }[]
    }
    const points = (100 * (rows[0]?.figures.find(({ metric }) => metric === 'task_success')?.effect ?? 0)).toFixed(1)

    expect(middle).toMatch(/▲ \+\d+\.\d\s+\(\+\d+\.\d to \+\d+\.\d\)\s+\d+ better, 0 worse of 12 tasks/)
    expect(middle).toContain(`▲ +${points}`)
    expect(newest).toMatch(/−\d+\.\d\s+\(−\d+\.\d to \+?\d+\.\d\),\s+may be chance\s+0 better, \d worse of 12 tasks/)
    expect(oldest).not.toContain('of 12 tasks')
  }, 60_000)

  it('has the test of a change also where the run before comes into the folder later', async () => {
    const { cwd, reports } = copy()
    const reader = createRunReader(reports)
    const testOf = async (): Promise<unknown> => (await reader.read()).runs[0]?.rows[0]?.change?.test
    renameSync(join(reports, first), join(cwd, first))
    const alone = await testOf()
    renameSync(join(cwd, first), join(reports, first))

    expect([alone, await testOf()]).toEqual([undefined, { interval: null, isShown: false }])
  })

  it('is written again by callspec report without a run', async () => {
    const { cwd, reports } = copy()
    rmSync(join(reports, second), { recursive: true })
    writeFileSync(join(reports, first, 'summary.json'), '{"rows": [null], "grid": 7}')

    const { code, stdout } = await inProcess(['report'], { cwd })

    expect({ code, stdout }).toEqual({ code: 0, stdout: 'page: reports/index.html\n' })
    const page = readFileSync(join(reports, 'index.html'), 'utf8')
    expect(page).toContain(first)
    expect(page).not.toContain(second)
  })

  it('does not replace a page of the user; eval goes on without it', async () => {
    const { cwd, reports } = copy()
    writeFileSync(join(reports, 'index.html'), 'mine')

    const own = await inProcess(['report'], { cwd })
    const run = await inProcess(words(SMALL), { cwd })

    expect(own.code).toBe(2)
    expect(own.stderr).toContain('reports/index.html: is not the page of runs')
    expect(run.code).toBe(0)
    expect(readFileSync(join(reports, 'index.html'), 'utf8')).toBe('mine')
  })

  it('is written for a run that has not ended, which has no report of its own', async () => {
    const { cwd, reports } = copy()
    unfinished(join(reports, second), 3)

    const own = await inProcess(['report', second], { cwd })
    const all = await inProcess(['report'], { cwd })

    expect([own.code, own.stderr]).toEqual([
      2,
      `callspec: reports/${second} has no summary.json: the run has not ended. Go on with --resume, or callspec rescore writes it again.\n`,
    ])
    expect(all.code).toBe(0)
    expect(readFileSync(join(reports, 'index.html'), 'utf8')).toContain(`callspec eval --resume ${second}`)
  })

  it('names a run that cannot be read, and refuses options of one run', async () => {
    const { cwd, reports } = copy()
    writeFileSync(join(reports, first, 'run.json'), '{"schema": 99}')

    const refused = await inProcess(['report', '-o', 'x.csv'], { cwd })
    await inProcess(['report'], { cwd })

    expect(refused.code).toBe(2)
    expect(refused.stderr).toContain('--output is about one run.')
    expect(readFileSync(join(reports, 'index.html'), 'utf8')).toContain('is of version 99')
  })
})

describe('callspec view', () => {
  it('prints an address on 127.0.0.1 and ends with 0 at Ctrl-C', async () => {
    const child = spawn(process.execPath, [BINARY, 'view'], { cwd: made })
    onTestFinished(() => void child.kill('SIGKILL'))
    const [line] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string]

    expect(line).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/\n$/)
    expect(await (await fetch(line.trim())).text()).toContain(second)

    child.kill('SIGINT')
    const [code] = (await once(child, 'close')) as [number]
    expect(code).toBe(0)
  })

  it('serves the files of runs, and nothing that is hidden, outside of the folder, or of another kind', async () => {
    const { cwd, reports } = copy()
    symlinkSync(join(cwd, 'secret'), join(reports, first, 'secret.json'))
    symlinkSync(cwd, join(reports, 'up'))
    writeFileSync(join(cwd, 'outside.json'), '{}')
    mkdirSync(join(reports, '.hidden'))
    writeFileSync(join(reports, '.hidden', 'a.json'), '{}')
    const url = await served(reports)
    const statuses = async (paths: readonly string[]): Promise<Readonly<Record<string, number>>> =>
      Object.fromEntries(await Promise.all(paths.map(async (path) => [path, await rawStatus(url, path)] as const)))

    const good = [
      '/',
      '/index.html',
      `/${first}/`,
      ...['report.html', 'turns.jsonl', 'run.json'].map((file) => `/${first}/${file}`),
    ]
    const bad = [
      ...[
        '/../secret',
        '/..%2fsecret',
        '/%2e%2e/secret',
        `/${first}/../../secret`,
        '/up/outside.json',
        '/.hidden/a.json',
      ],
      ...[`/${first}/secret.json`, `/${first}/lock`, '/latest', '/%00', '/%', '//etc/passwd', '/none/', '/none/so-far'],
    ]
    expect(await statuses(good)).toEqual(Object.fromEntries(good.map((path) => [path, 200])))
    expect(await statuses(bad)).toEqual(Object.fromEntries(bad.map((path) => [path, 404])))
    expect(await rawStatus(url, `/${first}`)).toBe(308)
  })

  it('is only read, for this machine alone, and sends a page once', async () => {
    const url = await served(copy().reports)
    const etag = (await fetch(url)).headers.get('etag') ?? ''

    expect(await rawStatus(url, '/', {}, 'POST')).toBe(405)
    expect(await rawStatus(url, '/', { host: 'evil.example' })).toBe(421)
    expect(await rawStatus(url, '/', { 'if-none-match': etag })).toBe(304)
    const policy = (await fetch(`${url}${first}/report.html`)).headers.get('content-security-policy')
    expect(policy).toMatch(/^default-src 'none';(?!.*connect-src)/)
  })

  it('shows how far a run is that has not ended, and its episodes so far', async () => {
    const { reports } = copy()
    const folder = join(reports, second)
    unfinished(folder, 3)
    const url = await served(reports)

    const [list, run, soFar] = await Promise.all(
      ['', `${second}/`, `${second}/so-far`].map(async (path) => (await fetch(url + path)).text()),
    )

    expect(list).toContain('stopped before its end')
    expect(list).toContain(`callspec eval --resume ${second} --reports`)
    expect(run).toMatch(/of 4 episodes/)
    expect(run).toContain('Figures of the episodes so far')
    expect(soFar).toContain('id="episode-index"')
    expect(existsSync(join(folder, 'summary.json'))).toBe(false)
  })

  it('says that a folder is missing or a port is taken', async () => {
    const url = await served(copy().reports)

    const missing = await inProcess(['view', '--reports', 'none'])
    const taken = await inProcess(['view', '--port', new URL(url).port], { cwd: made })

    expect(missing.code).toBe(2)
    expect(missing.stderr).toContain('none: there is no such folder.')
    expect(taken.code).toBe(2)
    expect(taken.stderr).toContain('is taken.')
  })
})

const CHROMIUM = process.env['CALLSPEC_CHROMIUM'] ?? '/usr/bin/chromium'

describe.skipIf(!existsSync(CHROMIUM))('a live page in Chromium (skipped without it; .ci/run installs it)', () => {
  it(
    'follows a run without being loaded again, and shows the report once the run has ended',
    { timeout: 60_000 },
    async () => {
      const { reports } = copy()
      const [whole, folder] = [join(made, 'reports', second), join(reports, second)]
      unfinished(folder, 3)
      const url = await served(reports)
      const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] })
      onTestFinished(() => browser.close())
      const page = await browser.newPage({ locale: 'en-GB' })
      const said: string[] = []
      page.on('console', (message) => said.push(message.text()))
      await page.goto(`${url}${second}/`)
      await page.evaluate('document.body.dataset.seen = "yes"')
      const before = await page.locator('#progress').innerText()

      cpSync(join(whole, 'turns.jsonl'), join(folder, 'turns.jsonl'))
      await expect.poll(() => page.locator('#progress').innerText(), { timeout: 20_000 }).not.toBe(before)
      const now = await page.locator('#progress').innerText()
      const isSeen = await page.getAttribute('body', 'data-seen')
      cpSync(whole, folder, { recursive: true })
      await page.waitForSelector('#viewer', { state: 'attached' })

      expect(now).toContain('4 of 4 episodes')
      expect(isSeen).toBe('yes')
      expect(said).toEqual([])
    },
  )
})
