import { Worker } from 'node:worker_threads'
import { EMPTY_DISTRIBUTION } from '@callspec/fuzz'
import type { SearchResult } from '@callspec/fuzz'
import type { WorkerJob, WorkerReply, WorkerSetup } from './worker.ts'

/** Searches in threads, because one text after the other keeps one processor busy. */
export interface WorkerPool {
  search(job: WorkerJob): Promise<SearchResult>
  /** Ends the batches under way; they give what they have seen so far. */
  stop(): void
  close(): Promise<void>
}

/** How long threads may take to end, since a user who pressed Ctrl-C is waiting. Then their last report counts. */
const GRACE_MS = 400

interface Thread {
  readonly worker: Worker
  /** Settles the search with the last report; null without a search in flight. */
  giveUp: (() => void) | null
}

/** As many threads as `width`. Each builds its own parser from the setup. */
export function openWorkers(width: number, setup: Omit<WorkerSetup, 'over'>): WorkerPool {
  // A thread in the middle of a text hears no message, but sees memory.
  const over = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  const threads = Array.from({ length: width }, (): Thread => {
    const worker = new Worker(new URL('./worker.js', import.meta.url), { workerData: { ...setup, over } })
    return { worker, giveUp: null }
  })
  let grace: ReturnType<typeof setTimeout> | null = null
  return {
    search: async (job) => {
      const thread = threads.find(({ giveUp }) => giveUp === null)
      if (thread === undefined) throw new Error('more searches than threads')
      return searchIn(thread, job)
    },
    stop: () => {
      Atomics.store(over, 0, 1)
      grace ??= setTimeout(() => {
        for (const { giveUp } of threads) giveUp?.()
      }, GRACE_MS)
    },
    close: async () => {
      if (grace !== null) clearTimeout(grace)
      await Promise.all(threads.map(({ worker }) => worker.terminate()))
    },
  }
}

function searchIn(thread: Thread, job: WorkerJob): Promise<SearchResult> {
  const { worker } = thread
  return new Promise<SearchResult>((resolve, reject) => {
    let seen: SearchResult = { findings: [], texts: 0, distribution: EMPTY_DISTRIBUTION, seed: job.seed }
    thread.giveUp = () => resolve(seen)
    worker.on('error', reject)
    worker.on('message', (reply: WorkerReply) => {
      if (reply.kind === 'seen') seen = reply.result
      else if (reply.kind === 'found') resolve(reply.result)
      else reject(Object.assign(new Error(reply.message), { name: reply.name }))
    })
    // A thread is no window and has no origin.
    // oxlint-disable-next-line unicorn/require-post-message-target-origin
    worker.postMessage(job)
  }).finally(() => {
    thread.giveUp = null
    worker.removeAllListeners('message')
    worker.removeAllListeners('error')
  })
}
