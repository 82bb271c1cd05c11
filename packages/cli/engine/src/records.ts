import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** What a run folder holds, as far as it is looked at here. */
export interface Records {
  readonly turns: readonly Turn[]
  readonly calls: readonly Call[]
  readonly episodes: readonly Episode[]
}

/** What a line is about. */
interface Place {
  readonly protocol: string
  readonly task: string
  readonly sample: number
  readonly turn: number
}

/** One completion. */
export interface Turn extends Place {
  readonly id: string
  readonly toolCalls: readonly { readonly name: string; readonly arguments: string }[]
  readonly usage: { readonly prompt: number } | null
}

/** One call that was executed. */
export interface Call extends Place {
  readonly name: string
  readonly arguments: string
}

/** One episode with whom its failures are blamed on. */
export interface Episode {
  readonly key: { readonly protocol: string }
  readonly success: boolean
  readonly attribution: Cause | null
  readonly turns: readonly { readonly attribution: Cause | null }[]
}

/** Who has to change something, and the rule that says so. */
export interface Cause {
  readonly blames: string
  readonly rule: string
}

/** Reads the one run below a folder. @throws Error where there is none */
export function readRecords(reports: string): Records {
  const run = readdirSync(reports).find((name) => /^\d{4}-/.test(name))
  if (run === undefined) throw new Error(`${reports}: holds no run`)
  const lines = linesOf(join(reports, run, 'turns.jsonl')) as readonly { readonly kind: string }[]
  return {
    turns: lines.filter(({ kind }) => kind === 'turn') as unknown as readonly Turn[],
    calls: lines.filter(({ kind }) => kind === 'call') as unknown as readonly Call[],
    episodes: linesOf(join(reports, run, 'episodes.jsonl')) as readonly Episode[],
  }
}

/** Every cause of an episode and of its turns. */
export function causesOf({ episodes }: Records): readonly Cause[] {
  return episodes
    .flatMap(({ attribution, turns }) => [attribution, ...turns.map((turn) => turn.attribution)])
    .filter((cause) => cause !== null)
}

function linesOf(path: string): readonly unknown[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as unknown)
}
