import { readFile } from 'node:fs/promises'
import { parseEnv } from 'node:util'
import type { Invocation } from './command.ts'
import { isRunFolder, refuseForeign } from './found-files.ts'
import { exists, readSource } from './input-file.ts'
import type { Output } from './output.ts'

type Environment = Invocation['environment']

/** Read if no file is named; the first one that sets a variable counts. */
const DEFAULTS: readonly string[] = ['.env.local', '.env']

/** Only the real environment sets these, because they name files outside the folder. */
const NEVER_FROM_FILES: readonly string[] = ['GITHUB_ACTIONS', 'GITHUB_STEP_SUMMARY']

export interface ReadEnvironment {
  readonly environment: Environment
  /** Variables that a found file sets, with its path. A file named on the command line is not a found file. */
  readonly foundIn: ReadonlyMap<string, string>
}

/**
 * Adds the variables of `.env` files. A variable that is set keeps its value; of several files, the first that names it counts.
 *
 * @param named files instead of `.env.local` and `.env` of the current folder, which may be absent
 * @throws UsageError for a named file that cannot be read, and for a found file of another user
 */
export async function withEnvFiles(environment: Environment, named: readonly string[]): Promise<ReadEnvironment> {
  const files: { readonly path: string; readonly text: string }[] = []
  for (const path of named) files.push({ path, text: (await readSource(path)).text })
  if (named.length === 0 && !(await isRunFolder('.')))
    for (const path of DEFAULTS) if (await exists(path)) files.push({ path, text: await readFoundFile(path) })
  const [values, foundIn] = [new Map<string, string>(), new Map<string, string>()]
  for (const { path, text } of files) {
    for (const [name, value] of Object.entries(parseEnv(text.replace(/^\ufeff/, '')))) {
      if (value === undefined || values.has(name) || NEVER_FROM_FILES.includes(name)) continue
      if (environment[name] !== undefined) continue
      values.set(name, value)
      if (named.length === 0) foundIn.set(name, path)
    }
  }
  return { environment: { ...Object.fromEntries(values), ...definedOf(environment) }, foundIn }
}

async function readFoundFile(path: string): Promise<string> {
  await refuseForeign(path, `CALLSPEC_ENV_FILE=${path}`)
  // A folder, or a file without permission, sets nothing.
  return readFile(path, 'utf8').catch(() => '')
}

function definedOf(environment: Environment): Environment {
  return Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== undefined))
}

const END_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Resolves at the first signal that asks the program to end. */
export function interrupted(): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      for (const signal of END_SIGNALS) process.off(signal, done)
      resolve()
    }
    for (const signal of END_SIGNALS) process.on(signal, done)
  })
}

export interface Interrupt {
  /** Send no further request; wait for replies in flight. */
  readonly drain: AbortSignal
  /** End at once. */
  readonly signal: AbortSignal
  stop(): void
}

/** Replies in flight may take this long after Ctrl-C. Container runtimes wait no longer either. */
const REPLY_GRACE_MS = 10_000

/**
 * Listens for signals to end. The first one waits for replies in flight, at most ten seconds, because they are paid for. The second one
 * ends everything at once.
 *
 * @param note printed after the first one
 */
export function listenForInterrupt(output: Output, note: string = WAITING): Interrupt {
  const drain = new AbortController()
  const abort = new AbortController()
  let grace: ReturnType<typeof setTimeout> | null = null
  const interrupted = (): void => {
    if (drain.signal.aborted) {
      abort.abort()
      return
    }
    drain.abort()
    output.note(note)
    grace = setTimeout(() => abort.abort(), REPLY_GRACE_MS).unref()
  }
  for (const signal of END_SIGNALS) process.on(signal, interrupted)
  return {
    drain: drain.signal,
    signal: abort.signal,
    stop: () => {
      if (grace !== null) clearTimeout(grace)
      for (const signal of END_SIGNALS) process.off(signal, interrupted)
    },
  }
}

const WAITING = 'callspec: stopping: waiting for the replies in flight. Ctrl-C again ends at once.'
