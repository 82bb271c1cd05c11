import { randomBytes, createHash } from 'node:crypto'
import type { Redis } from 'ioredis'

/**
 * The names of everything that one project keeps in Redis. The prefix stands in braces: a cluster keeps all of it in one slot, as
 * scripts need that touch several keys at once, and on one node.
 */
export interface ProjectKeys {
  /** What BullMQ puts before its own keys. */
  readonly jobs: string
  /** The id of the run that is under way. */
  readonly run: string
  /** Who works: a hash of heartbeats. */
  readonly workers: string
  /** The id of the run that was over last; forgotten after a while. */
  readonly over: string
}

/** The names of everything that one run keeps there. */
export interface RunKeys {
  /** Hash: state, counts, the round. */
  readonly meta: string
  /** The content of `run.json`, and of `suite.json`. */
  readonly manifest: string
  readonly suite: string
  /** Stream of the rows that the collector has not written down yet. */
  readonly rows: string
  /** Bit by episode: its last row stands in the journal. */
  readonly done: string
  /** Who collects. */
  readonly collector: string
  /** Hash: what the engines say of their builds, by model and build. */
  readonly builds: string
  /** Hash: what each server that a worker asks says of itself, by the name that the journal gives it. */
  readonly servers: string
  /** List of the rows of an episode, first to last. */
  readonly episode: (number: number) => string
  /** Who asks for what comes next of an episode; forgotten after a while. */
  readonly claim: (number: number) => string
}

/** BullMQ's name of the queue. */
export const QUEUE_NAME = 'chunks'

/** The keys of a project. */
export function projectKeys(prefix: string): ProjectKeys {
  return { jobs: `{${prefix}}`, run: `{${prefix}}:run`, workers: `{${prefix}}:workers`, over: `{${prefix}}:over` }
}

/** The keys of a run of a project. */
export function runKeys(prefix: string, run: string): RunKeys {
  const at = (name: string): string => `{${prefix}}:${run}:${name}`
  return {
    meta: at('meta'),
    manifest: at('manifest'),
    suite: at('suite'),
    rows: at('rows'),
    done: at('done'),
    collector: at('collector'),
    builds: at('builds'),
    servers: at('servers'),
    episode: (number) => at(`e${number}`),
    claim: (number) => at(`c${number}`),
  }
}

/**
 * A row as Redis keeps it: who stored it, and the line of the journal. The name tells two histories of one episode apart: a row
 * goes behind one that is there, not behind any row at that place.
 */
export interface Row {
  readonly name: string
  readonly json: string
}

/** Hexadecimal digits of a name. */
export const NAME_LENGTH = 12

/** No row. */
export const NO_NAME = ''

/** The row that a text is: its name, then its JSON. */
export function readRow(text: string): Row {
  return { name: text.slice(0, NAME_LENGTH), json: text.slice(NAME_LENGTH) }
}

/** So many names are drawn at once: asking the system for each costs more than all else about a row. */
const DRAWN = 256
const BYTES = NAME_LENGTH / 2

/** Gives names that no other process gives, one after the other. */
function createNames(): () => string {
  let [pool, at] = ['', 0]
  return () => {
    if (at >= pool.length) [pool, at] = [randomBytes(DRAWN * BYTES).toString('hex'), 0]
    at += NAME_LENGTH
    return pool.slice(at - NAME_LENGTH, at)
  }
}

/** A new name. */
export const newName: () => string = createNames()

/** A Lua script: Redis runs it as a whole, or not at all. */
export interface Script {
  readonly sha: string
  readonly text: string
}

/** A script and the name under which Redis remembers it. */
export function script(text: string): Script {
  return { text, sha: createHash('sha1').update(text).digest('hex') }
}

/** What a script is given. */
export interface ScriptInput {
  readonly keys: readonly string[]
  readonly args: readonly (string | number)[]
}

/** Runs a script; Redis is sent its text only where it has forgotten it, as after a restart. */
export async function runScript(redis: Redis, { sha, text }: Script, { keys, args }: ScriptInput): Promise<unknown> {
  try {
    return await redis.evalsha(sha, keys.length, ...keys, ...args)
  } catch (error) {
    if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error
    return redis.eval(text, keys.length, ...keys, ...args)
  }
}
