import { fsync, writeSync } from 'node:fs'
import type { JournalSystem } from '@callspec/eval/run-parts'
import type { TraceLine } from '@callspec/eval'
import type { Written } from '../redis/acknowledge.ts'

/** Knows what of the stream stands in the journal, and what of that on the disk. */
export interface Durable {
  /** The system calls of the journal, which tell when something is on the disk. */
  readonly system: JournalSystem
  /** Lines of an entry go to the journal now, or later, when they are no longer held back. */
  expect(
    entry: { readonly id: string; readonly episode: number; readonly isEnd: boolean },
    lines: readonly TraceLine[],
  ): void
  /** An entry that the journal needs nothing of. */
  settled(entry: { readonly id: string; readonly ended: number | null }): void
  /** A line stands in the journal. */
  written(line: TraceLine): void
  /** What is on the disk and was not asked for yet. */
  take(): Written
  /** The journal has been closed: everything in it is on the disk. */
  closed(): void
  /** How many entries are not on the disk. */
  waiting(): number
  /** Why the disk takes nothing any more; null while it does. */
  failure(): Error | null
}

interface Expected {
  readonly id: string
  readonly ended: number | null
  left: number
}

/** These say that something is lost. Others, that a file system knows no `fsync`. */
const LOSSES: ReadonlySet<string> = new Set(['EIO', 'ENOSPC', 'EDQUOT'])

/** Nothing yet. @param system of a test, such as a disk that is slow */
export function createDurable(system: JournalSystem = SYSTEM): Durable {
  const expected = new Map<TraceLine, Expected>()
  let inJournal: Expected[] = []
  let onDisk: Expected[] = []
  let failed: Error | null = null
  let syncing = 0
  return {
    system: {
      write: system.write,
      sync: (file, done) => {
        const batch = inJournal
        inJournal = []
        syncing = batch.length
        const finished = (error: NodeJS.ErrnoException | null): void => {
          if (error !== null && LOSSES.has(error.code ?? '')) failed = error
          else onDisk.push(...batch)
          syncing = 0
          done()
        }
        if (system === SYSTEM) fsync(file, finished)
        else system.sync(file, () => finished(null))
      },
    },
    expect: ({ id, episode, isEnd }, lines) => {
      const one: Expected = { id, ended: isEnd ? episode : null, left: lines.length }
      for (const line of lines) expected.set(line, one)
    },
    settled: ({ id, ended }) => void inJournal.push({ id, ended, left: 0 }),
    written: (line) => {
      const one = expected.get(line)
      expected.delete(line)
      if (one === undefined) return
      one.left -= 1
      if (one.left === 0) inJournal.push(one)
    },
    take: () => {
      const taken = onDisk
      onDisk = []
      return {
        entries: taken.map(({ id }) => id),
        ended: taken.flatMap(({ ended }) => (ended === null ? [] : [ended])),
      }
    },
    closed: () => {
      onDisk.push(...inJournal)
      inJournal = []
    },
    waiting: () => inJournal.length + onDisk.length + expected.size + syncing,
    failure: () => failed,
  }
}

const SYSTEM: JournalSystem = {
  write: (file, bytes, offset) => writeSync(file, bytes, offset),
  sync: (file, done) => fsync(file, done),
}
