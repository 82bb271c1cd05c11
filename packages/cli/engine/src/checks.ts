import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { EngineServer } from './door.ts'
import type { Figure } from './program.ts'
import { callspec, outOf, saidBy } from './program.ts'

/** What is examined, and where results may be put. */
interface CheckContext {
  readonly door: EngineServer
  readonly folder: string
}

interface Doctored {
  readonly findings: readonly { readonly check: string; readonly verdict: string }[]
  readonly scripts?: readonly Readonly<Record<'script' | 'whole' | 'streamed', unknown>>[]
}

/** Both examinations of the doctor: nothing fails, and calls that are forced arrive, whole and streamed. */
export async function doctor({ door, folder }: CheckContext): Promise<readonly Figure[]> {
  const whole = await examinedBy(['--base-url', door.url], folder)
  const quick = await examinedBy(['--quick', '--base-url', door.url], folder)
  const scripts = quick.scripts ?? []
  const forced = scripts.filter(({ script }) => String(script).startsWith('forced-'))
  const ways = forced.flatMap(({ whole, streamed }) => [verdictIn(whole), verdictIn(streamed)])
  const all = scripts.flatMap(({ whole, streamed }) => [verdictIn(whole), verdictIn(streamed)])
  const failing = [...whole.findings, ...quick.findings].filter(({ verdict }) => verdict === 'fail').length
  const tokens = [whole, quick].map(({ findings }) => findings.find(({ check }) => check === 'text-tokens')?.verdict)
  return [
    // llama.cpp tokenizes the whole prompt with parse_special.
    { name: 'doctor: text-tokens, whole and quick', wanted: 'warn warn', got: tokens.join(' ') },
    { name: 'doctor: checks that fail', wanted: '0', got: String(failing) },
    {
      name: 'doctor --quick: scripts that fail',
      wanted: outOf(0, 20),
      got: outOf(all.filter((verdict) => verdict === 'fail').length, all.length),
    },
    {
      name: 'doctor --quick: forced calls seen',
      wanted: outOf(4, 4),
      got: outOf(ways.filter((verdict) => verdict === 'ok' || verdict === 'warn').length, ways.length),
    },
  ]
}

async function examinedBy(words: readonly string[], folder: string): Promise<Doctored> {
  const ended = await callspec(['doctor', ...words, '--json'], folder)
  if (ended.code !== 0 && ended.code !== 1) throw new Error(`doctor ${words.join(' ')}: ${saidBy(ended)}`)
  return JSON.parse(ended.stdout) as Doctored
}

function verdictIn(way: unknown): unknown {
  return typeof way === 'object' && way !== null && 'verdict' in way ? way.verdict : null
}

/** What llama.cpp is known to fail; kept by `callspec conformance triage`. */
const KNOWN = resolve(import.meta.dirname, '../../../../reports/scoreboard/known/llama.cpp.txt')

interface Result {
  readonly id: string
  readonly verdict: string
}

/** Cases of `parse` and `stream` that the engine is made to say: each is read, or not read, as it is known to be. */
export async function checkSaid({ door, folder }: CheckContext): Promise<readonly Figure[]> {
  const ids = [...(await drawnFigures('parse', folder)), ...(await drawnFigures('stream', folder))]
  const results = await runConformance(['--say', 'grammar', '--reads-text', ...ids.flatMap((id) => ['--id', id])], {
    door,
    folder,
  })
  const known = new Set(readFileSync(KNOWN, 'utf8').split('\n'))
  const asKnown = results.filter(({ id, verdict }) => verdict === (known.has(id) ? 'failed' : 'passed'))
  const isDone = results.filter(({ verdict }) => verdict === 'passed' || verdict === 'failed')
  return [
    {
      name: 'said: nous cases really said',
      wanted: outOf(DRAWN * 2, DRAWN * 2),
      got: outOf(isDone.length, ids.length),
    },
    {
      name: 'said: nous cases read as known',
      wanted: outOf(DRAWN * 2, DRAWN * 2),
      got: outOf(asKnown.length, ids.length),
    },
  ]
}

/** What the template of the model makes of conversations. */
export async function checkRendered({ door, folder }: CheckContext): Promise<readonly Figure[]> {
  const results = await runConformance(['--op', 'render'], { door, folder })
  const passed = results.filter(({ verdict }) => verdict === 'passed')
  const asked = results.filter(({ verdict }) => verdict !== 'skipped')
  return [
    { name: 'rendered: nous cases right', wanted: outOf(RENDERED, RENDERED), got: outOf(passed.length, asked.length) },
  ]
}

const RENDERED = 13

/** Cases of each operation. */
const DRAWN = 16

/** Some strict cases of nous, always the same; none that begins in a thought, which a prompt would have to open. */
async function drawnFigures(op: string, folder: string): Promise<readonly string[]> {
  const ended = await callspec(['conformance', 'list', '--format', 'nous', '--profile', 'strict', '--op', op], folder)
  const ids = ended.stdout
    .split('\n')
    .map((line) => line.split('\t')[2] ?? '')
    .filter((id) => id !== '' && !id.includes('the prompt has opened'))
  return Array.from({ length: DRAWN }, (_, at) => ids[Math.floor((at * ids.length) / DRAWN)] ?? '')
}

async function runConformance(words: readonly string[], { door, folder }: CheckContext): Promise<readonly Result[]> {
  const file = join(folder, 'results.jsonl')
  const about = ['--http', door.url, '--name', 'llama.cpp', '--format', 'nous', '--profile', 'strict', '--json', file]
  const ended = await callspec(['conformance', 'run', ...about, ...words], folder)
  if (ended.code !== 0 && ended.code !== 1) throw new Error(`conformance run: ${saidBy(ended)}`)
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Result)
}
