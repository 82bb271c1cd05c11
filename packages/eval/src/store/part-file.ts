import { closeSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { cannotWrite, fileModeIn, refuseLink } from './journal.ts'

/** A file that is being written. Every function throws a `RunError` when it cannot be. */
export interface FileWriter {
  add(text: string): void
  /** Puts the file where it belongs. */
  done(): void
}

/** A file that is not there before it is whole. */
export interface PartFile extends FileWriter {
  /** Removes what there is of it; after `done` it does nothing. Never throws. */
  abandon(): void
}

/** Enough that a file of many short lines takes few writes. */
const BUFFER = 1 << 16

/**
 * Begins a file under another name, which it keeps until it is whole. Both names are refused or removed where they are links: a folder
 * that other people sent may hold some.
 *
 * @throws RunError when it cannot be made
 */
export function startFile(path: string): PartFile {
  const part = `${path}.tmp`
  refuseLink(path)
  const file = orCannotWrite(path, () => {
    // What a process left that was killed.
    rmSync(part, { force: true })
    return openSync(part, 'wx', fileModeIn(dirname(path)))
  })
  let pending: string[] = []
  let held = 0
  let isOpen = true
  const flush = (): void => {
    const bytes = Buffer.from(pending.join(''))
    pending = []
    held = 0
    orCannotWrite(path, () => {
      for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at)
    })
  }
  const close = (): void => {
    if (!isOpen) return
    isOpen = false
    closeSync(file)
  }
  return {
    add: (text) => {
      pending.push(text)
      held += text.length
      if (held > BUFFER) flush()
    },
    done: () => {
      flush()
      orCannotWrite(path, () => {
        close()
        renameSync(part, path)
      })
    },
    abandon: () => {
      try {
        close()
        rmSync(part, { force: true })
      } catch {
        // Whoever abandons a file has something worse to tell.
      }
    },
  }
}

/** What `act` gives back; its exception becomes one that says which file, and what to do. */
export function orCannotWrite<T>(path: string, act: () => T): T {
  try {
    return act()
  } catch (error) {
    throw cannotWrite(path, error)
  }
}
