import { closeSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { objectIn } from '../text/json.ts'
import { partOf } from '../trace/plan.ts'
import { systemCodeOf } from '../trace/run-error.ts'
import type { RunManifest } from '../trace/run-manifest.ts'
import { keyText } from '../trace/trace.ts'
import type { EpisodeKey } from '../trace/trace.ts'
import { cannotRead, refusePipe } from './file-lines.ts'
import { isLocked } from './lock.ts'
import { manifestIn, RUN_FILES } from './open-run.ts'

/** How far a run is, as its folder says now. */
export interface RunProgress {
  readonly manifest: RunManifest
  /** Whether a process writes the folder now. */
  readonly isPlaying: boolean
  /** Episodes that have ended, of all in the plan. */
  readonly done: number
  readonly of: number
  /** Bytes of the journal that were read. */
  readonly bytes: number
  readonly rows: readonly RowProgress[]
}

/** How many episodes of a model under a format have ended. */
export interface RowProgress {
  readonly model: string
  readonly protocol: string
  readonly done: number
  readonly of: number
}

/** Follows a run that may be played by another process. */
export interface RunFollower {
  /**
   * Reads what the journal has in addition to the last time.
   *
   * @throws RunError if the folder is not a run, or cannot be read
   */
  read(): RunProgress
}

/** Memory grows by the keys of the episodes. */
export function followRun(folder: string): RunFollower {
  const ended = new Map<string, Set<string>>()
  const journal = createTail(join(folder, RUN_FILES.journal))
  return {
    read: () => {
      const manifest = manifestIn(folder)
      // Before the journal: what is written in between is read the next time.
      const isPlaying = isLocked(folder)
      for (const line of journal.lines()) {
        const key = endedKey(line)
        if (key === null) continue
        const row = rowText(key)
        const keys = ended.get(row) ?? new Set()
        ended.set(row, keys.add(keyText(key)))
      }
      const rows = plannedRows(manifest).map((row) => ({ ...row, done: ended.get(rowText(row))?.size ?? 0 }))
      const [done, of] = [rows.reduce((sum, row) => sum + row.done, 0), rows.reduce((sum, row) => sum + row.of, 0)]
      return { manifest, isPlaying, done, of, bytes: journal.bytes(), rows }
    },
  }
}

function rowText({ model, protocol }: Pick<EpisodeKey, 'model' | 'protocol'>): string {
  return JSON.stringify([model, protocol])
}

function plannedRows(manifest: RunManifest): readonly Omit<RowProgress, 'done'>[] {
  const { models, protocols } = manifest
  return models.flatMap((model) =>
    protocols.map((protocol) => ({ model, protocol, of: planned(manifest, model, protocol) })),
  )
}

function planned({ tasks, seed, repeat, shard }: RunManifest, model: string, protocol: string): number {
  if (shard === null) return tasks.length * repeat
  let count = 0
  for (let pass = 0; pass < repeat; pass += 1)
    for (const task of tasks)
      if (shard.parts.includes(partOf({ model, protocol, task, sample: seed + pass }, shard.of))) count += 1
  return count
}

const END_LINE = '{"kind":"end"'

/** The episode that a line of the journal ends; null for any other line. */
function endedKey(line: string): EpisodeKey | null {
  if (!line.startsWith(END_LINE)) return null
  const { model, protocol, task, sample } = objectIn(line) ?? {}
  const isKey = [model, protocol, task].every((each) => typeof each === 'string') && typeof sample === 'number'
  return isKey ? ({ model, protocol, task, sample } as EpisodeKey) : null
}

interface Tail {
  /** The whole lines since the last call. */
  lines(): Iterable<string>
  bytes(): number
}

const BLOCK = 1 << 20
const LINE_FEED = 0x0a
/** Lines that end an episode are short; of a longer line only this much is kept. */
const KEPT = 1 << 20

/** Reads a file that grows. A file that does not exist yet is empty. */
function createTail(path: string): Tail {
  let [offset, held] = [0, Buffer.alloc(0)]
  const block = Buffer.allocUnsafe(BLOCK)
  return {
    bytes: () => offset,
    lines: function* () {
      refusePipe(path)
      const file = openIfThere(path)
      if (file === null) return
      try {
        for (;;) {
          const count = readSync(file, block, 0, BLOCK, offset)
          if (count === 0) return
          offset += count
          let start = 0
          for (;;) {
            const feed = block.subarray(0, count).indexOf(LINE_FEED, start)
            if (feed < 0) break
            yield Buffer.concat([held, block.subarray(start, feed)]).toString('utf8')
            held = Buffer.alloc(0)
            start = feed + 1
          }
          held = Buffer.concat([held, block.subarray(start, count)]).subarray(0, KEPT)
        }
      } finally {
        closeSync(file)
      }
    },
  }
}

function openIfThere(path: string): number | null {
  try {
    return openSync(path, 'r')
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return null
    throw cannotRead(path, error)
  }
}
