import type { Redis } from 'ioredis'
import type { Entry } from './intake.ts'
import { fsync, writeSync } from 'node:fs'
import type { JournalSystem } from '@callspec/eval/run-parts'
import type { TraceLine } from '@callspec/eval'
import type { Written } from '../redis/collector.ts'

/** So many entries are read at once. */
export const MOST_ENTRIES = 256
/** So long until an empty stream is left. */
const WAIT_MS = 500

/** Reads the entries behind `after`; none when there are none for half a second. */
export async function readEntries(redis: Redis, key: string, after: string): Promise<readonly Entry[]> {
  const answer = await redis.xread('COUNT', MOST_ENTRIES, 'BLOCK', WAIT_MS, 'STREAMS', key, after)
  const [, found = []] = answer?.[0] ?? []
  return found.map(([id, fields]) => entryOf(id, fields))
}

function entryOf(id: string, fields: readonly string[]): Entry {
  const rows: string[] = []
  const named = new Map<string, string>()
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [name = '', value = ''] = [fields[at], fields[at + 1]]
    if (name === 'row') rows.push(value)
    else named.set(name, value)
  }
  return {
    ...{ id, rows, episode: Number(named.get('e')), at: Number(named.get('at')) },
    ...{ after: named.get('after') ?? '', name: named.get('name') ?? '' },
  }
}

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

/** How a journal begins. */
export interface DurableOptions {
  /** Whether it holds lines of an earlier process, which may not be on the disk. */
  readonly hasLines: boolean
  /** Of a test, such as a disk that is slow. */
  readonly system?: JournalSystem | undefined
}

/** Nothing yet. */
export function createDurable({ hasLines, system = SYSTEM }: DurableOptions): Durable {
  const expected = new Map<TraceLine, Expected>()
  const held = new Set<string>()
  let inJournal: Expected[] = []
  let onDisk: Expected[] = []
  let failed: Error | null = null
  let [isSyncing, isDirty] = [false, hasLines]
  return {
    system: {
      write: system.write,
      sync: (file, done) => {
        const batch = inJournal
        inJournal = []
        ;[isSyncing, isDirty] = [true, false]
        const finished = (error: NodeJS.ErrnoException | null): void => {
          if (error !== null && LOSSES.has(error.code ?? '')) failed = error
          else onDisk.push(...batch)
          isSyncing = false
          done()
        }
        if (system === SYSTEM) fsync(file, finished)
        else system.sync(file, () => finished(null))
      },
    },
    expect: ({ id, episode, isEnd }, lines) => {
      const one: Expected = { id, ended: isEnd ? episode : null, left: lines.length }
      held.add(id)
      for (const line of lines) expected.set(line, one)
    },
    settled: ({ id, ended }) => {
      // It was read before: its lines say when they are in the journal.
      if (held.has(id)) return
      // Without a line to be written there may never be another sync, and workers wait for room.
      const list = isDirty || isSyncing ? inJournal : onDisk
      list.push({ id, ended, left: 0 })
    },
    written: (line) => {
      const one = expected.get(line)
      expected.delete(line)
      isDirty = true
      if (one === undefined) return
      one.left -= 1
      if (one.left > 0) return
      held.delete(one.id)
      inJournal.push(one)
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
    failure: () => failed,
  }
}

const SYSTEM: JournalSystem = {
  write: (file, bytes, offset) => writeSync(file, bytes, offset),
  sync: (file, done) => fsync(file, done),
}
