import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { loads } from '@callspec/python'
import type { PyValue } from '@callspec/python'
import { onTestFinished } from 'vitest'

import { openSession } from '../../src/index.ts'
import type { Implementation } from '../../src/index.ts'
import { runSuite } from '../../src/run/run-suite.ts'

const ADAPTERS = resolve(import.meta.dirname, '../../adapters')
const STAND_INS = resolve(import.meta.dirname, 'stand-ins')

/** Whether adapters of Python engines can run at all. */
export const HAS_PYTHON: boolean = spawnSync('python3', ['--version']).status === 0

/** The first installed version of an engine, in the folder that CALLSPEC_ENGINES names; null without one. */
export function installedEngine(engine: string, versions: readonly string[]): string | null {
  const folder = process.env['CALLSPEC_ENGINES']
  const rows = folder === undefined ? [] : versions.map((version) => join(folder, `${engine}@${version}`))
  return rows.find((row) => existsSync(row)) ?? null
}

/** The PYTHONPATH of a stand-in, such as `vllm-2026`. */
export function standIn(name: string): string {
  return [name, '.'].map((each) => resolve(STAND_INS, each)).join(':')
}

/** An adapter to start; `mistake` is a change of its code, to see that it is noticed. */
export interface AdapterStart {
  readonly engine: 'vllm' | 'sglang'
  readonly path: string
  readonly words: string
  readonly mistake?: Mistake
}

/** A text of an adapter, and what it is replaced with. */
export interface Mistake {
  readonly right: string
  readonly wrong: string
}

/** Starts an adapter before the Python packages of a path; it ends with the test. */
export async function startAdapter({ engine, path, words, mistake }: AdapterStart): Promise<Implementation> {
  const adapters = mistake === undefined ? ADAPTERS : changedAdapters(engine, mistake)
  const program = join(adapters, engine, `${engine}_adapter.py`)
  const command = `PYTHONPATH='${path}' PYTHONDONTWRITEBYTECODE=1 exec python3 -W ignore '${program}' ${words}`
  const opened = await openSession(command, { timeLimit: 120_000, version: '1' })
  onTestFinished(() => opened.close?.())
  return opened
}

/** A copy of the adapters with one mistake in it. */
function changedAdapters(engine: string, { right, wrong }: Mistake): string {
  const folder = mkdtempSync(join(tmpdir(), 'callspec-mistake-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const name of [engine, 'python-engines']) {
    mkdirSync(join(folder, name))
    cpSync(join(ADAPTERS, name), join(folder, name), { recursive: true })
  }
  const file = join(folder, engine, `${engine}_adapter.py`)
  const text = readFileSync(file, 'utf8')
  if (!text.includes(right)) throw new Error(`${engine}_adapter.py has no ${right}`)
  writeFileSync(file, text.replaceAll(right, wrong))
  return folder
}

/** A reply, and what is right; no tool is offered by it. */
export interface AskedReply {
  readonly text: string
  readonly right: string
  readonly input?: readonly (readonly [string, PyValue])[]
  readonly plain?: readonly (readonly [number, number])[]
  readonly format?: string
  /** Default: cut at markers and words. */
  readonly chunks?: readonly string[]
}

/** The verdict of a whole reply, and that of its pieces one by one. */
export async function verdicts(implementation: Implementation, asked: AskedReply): Promise<readonly [string, string]> {
  const { text, right, input = [], plain, format = 'nous' } = asked
  const topic = { format, profile: 'strict', where: 'here', ...(plain === undefined ? {} : { plain }) }
  const chunks = asked.chunks ?? text.match(/<\/?(?:tool_call|think)>|<\|\w+\|>| ?\w+|./gs) ?? []
  const whole = {
    ...{ ...topic, id: 'w', op: 'parse' },
    input: new Map<string, PyValue>([['text', text], ...input]),
    expected: { kind: 'returned', value: loads(right) } as const,
  }
  const pieces = {
    ...{ ...topic, id: 's', op: 'stream' },
    input: new Map<string, PyValue>([['chunks', [...chunks]], ...input]),
    expected: { kind: 'returned', value: new Map([['final', loads(right)]]) } as const,
  }
  const kinds: string[] = []
  for await (const { verdict } of runSuite([whole, pieces], implementation))
    kinds.push(verdict.kind === 'skipped' && verdict.isSynthetic === true ? 'synthetic' : verdict.kind)
  return [kinds[0] ?? '', kinds[1] ?? '']
}
