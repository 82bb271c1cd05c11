import { spawn } from 'node:child_process'
import { resolve } from 'node:path'

const PROGRAM = resolve(import.meta.dirname, '../../bin/callspec.js')

/** How a run of the program ended, and what it printed. */
export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs callspec in a folder, with nothing of its own environment: no key and no address of somebody else's server. */
export async function callspec(words: readonly string[], folder: string): Promise<Ended> {
  const kept = Object.entries(process.env).filter(([name]) => !/^(?:OPENAI|CALLSPEC)_/.test(name))
  const child = spawn(process.execPath, [PROGRAM, ...words], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...Object.fromEntries(kept), NO_COLOR: '1' },
  })
  const pieces = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (piece: string) => (pieces.stdout += piece))
  child.stderr.setEncoding('utf8').on('data', (piece: string) => (pieces.stderr += piece))
  const code = await new Promise<number | null>((settle, fail) => {
    child.once('error', fail)
    child.once('close', settle)
  })
  return { code, ...pieces }
}

/** What an end says that was not expected. */
export function saidBy({ code, stdout, stderr }: Ended): string {
  const last = `${stdout}\n${stderr}`.trim().split('\n').slice(-3).join(' · ')
  return `exit code ${code}: ${last}`
}
