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
