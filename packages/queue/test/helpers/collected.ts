import type { RunConfig, RunEvent } from '@callspec/eval'
import { evaluateOverQueue } from '../../src/evaluate.ts'
import type { QueueOptions } from '../../src/evaluate.ts'
import { temporaryFolder } from './work.ts'

/** A collector in this process. */
export interface Collecting {
  readonly folder: () => string
  /** What went wrong; null for nothing. */
  readonly ended: Promise<Error | null>
  stop(): void
}

/** Starts one in a new folder, or goes on with one. */
export function startCollector(config: RunConfig, url: string, more: Partial<QueueOptions> = {}): Collecting {
  const stop = new AbortController()
  let folder = ''
  const onEvent = (event: RunEvent): void => {
    if (event.type === 'folder') folder = event.folder
  }
  const queue = { url, prefix: 'test' }
  const running = evaluateOverQueue(
    { ...config, reports: config.reports ?? temporaryFolder() },
    { queue, signal: stop.signal, onEvent, ...more },
  )
  const ended = running.then(
    () => null,
    (error: unknown) => (error instanceof Error ? error : new Error(String(error))),
  )
  return { folder: () => folder, ended, stop: () => stop.abort() }
}
