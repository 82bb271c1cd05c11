import { Worker } from 'node:worker_threads'
import type { SearchResult } from '@callspec/fuzz'
import { STOP } from './stop-word.ts'
import type { WorkerJob, WorkerReply, WorkerSetup } from './worker.ts'

/** Searches in threads, because one text after the other keeps one processor busy. */
export interface WorkerPool {
  search(job: WorkerJob): Promise<SearchResult>
  /** Ends the batches under way; they give back what they have seen so far. */
  stop(): void
  close(): Promise<void>
}

/** As many threads as `width`. Each builds its own parser from the setup. */
export function openWorkers(width: number, setup: WorkerSetup): WorkerPool {
  const free = Array.from(
    { length: width },
    () => new Worker(new URL('./worker.js', import.meta.url), { workerData: setup }),
  )
  const all = [...free]
  return {
    search: (job) =>
      new Promise((resolve, reject) => {
        const worker = free.pop()
        if (worker === undefined) {
          reject(new Error('more searches than threads'))
          return
        }
        const done = (): void => {
          worker.removeAllListeners('message')
          worker.removeAllListeners('error')
          free.push(worker)
        }
        worker.once('error', reject)
        worker.once('message', (reply: WorkerReply) => {
          done()
          if (reply.kind === 'found') resolve(reply.result)
          else reject(Object.assign(new Error(reply.message), { name: reply.name }))
        })
        // A thread is no window and has no origin.
        // oxlint-disable-next-line unicorn/require-post-message-target-origin
        worker.postMessage(job)
      }),
    stop: () => {
      // oxlint-disable-next-line unicorn/require-post-message-target-origin
      for (const worker of all) worker.postMessage(STOP)
    },
    close: async () => {
      await Promise.all(all.map((worker) => worker.terminate()))
    },
  }
}
