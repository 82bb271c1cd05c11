import { randomUUID } from 'node:crypto'
import {
  existsSync,
  openSync,
  closeSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeSync,
} from 'node:fs'
import { hostname } from 'node:os'
import { dirname } from 'node:path'
import { refusePipe } from './file-lines.ts'
import { cannotWrite, fileModeIn } from './write-files.ts'
import { RunError, systemCodeOf } from '../trace/run-error.ts'

/** The right to write a run folder, held by one process at a time. */
export interface Lock {
  /** Releases the lock. Further calls do nothing. */
  release(): void
}

const BEAT_MS = 5000
/** A holder on another machine counts as ended after this time without a sign. */
const SILENT_MS = 60_000

interface Holder {
  readonly pid: number
  readonly host: string
  /** The start of the process, if the system reports it: its number may be given to another process. */
  readonly began: string
  readonly token: string
}

/**
 * Takes the lock of a folder: the file `lock` in it. The lock of a killed process is taken over.
 *
 * @throws RunError when another process holds it
 */
export function lockFolder(folder: string): Lock {
  const path = `${folder}/lock`
  const own: Holder = {
    pid: process.pid,
    host: hostname(),
    began: beganOf(process.pid) ?? '',
    token: randomUUID(),
  }
  for (let attempt = 0; !create(path, own); attempt += 1) {
    refusePipe(path, 'Remove it')
    const holder = readHolder(path)
    if (attempt > 5 || isAlive(holder, path)) throw heldBy(folder, holder, path)
    removeStale(path, holder)
  }
  const beat = setInterval(() => touch(path), BEAT_MS).unref()
  let isHeld = true
  return {
    release: () => {
      if (!isHeld) return
      isHeld = false
      clearInterval(beat)
      if (readHolder(path)?.token === own.token) rmSync(path, { force: true })
    },
  }
}

/** Whether a process holds the lock of a folder. */
export function isLocked(folder: string): boolean {
  const path = `${folder}/lock`
  return existsSync(path) && isAlive(readHolder(path), path)
}

/** Whether the file could be created: only one process can. */
function create(path: string, own: Holder): boolean {
  try {
    const file = openSync(path, 'wx', fileModeIn(dirname(path)))
    writeSync(file, JSON.stringify(own))
    closeSync(file)
    return true
  } catch (error) {
    if (systemCodeOf(error) === 'EEXIST') return false
    throw cannotWrite(path, error)
  }
}

/** Null when it is missing, is not a regular file, or holds no lock. */
function readHolder(path: string): Holder | null {
  try {
    if (!statSync(path).isFile()) return null
    const value = JSON.parse(readFileSync(path, 'utf8')) as Partial<Holder> | null
    const { pid, host, began, token } = value ?? {}
    if (typeof pid !== 'number' || typeof host !== 'string') return null
    return { pid, host, began: began ?? '', token: token ?? '' }
  } catch {
    return null
  }
}

function isAlive(holder: Holder | null, path: string): boolean {
  // Without a holder: it may be about to write its name.
  if (holder === null || holder.host !== hostname()) return Date.now() - lastBeat(path) < SILENT_MS
  const { pid, began } = holder
  try {
    process.kill(pid, 0)
  } catch (error) {
    return systemCodeOf(error) === 'EPERM'
  }
  return began === '' || (beganOf(pid) ?? began) === began
}

/** On Linux the start of a process is the 22nd field, counted after the name, which may contain any character. */
function beganOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null
  } catch {
    return null
  }
}

function lastBeat(path: string): number {
  try {
    return statSync(path).mtimeMs
  } catch {
    return 0
  }
}

function touch(path: string): void {
  try {
    utimesSync(path, new Date(), new Date())
  } catch {
    // It was removed, or the disk is full: then the journal reports it.
  }
}

/** Renamed first, so that of two processes that find it only one removes it, and never the new lock of the other. */
function removeStale(path: string, seen: Holder | null): void {
  const aside = `${path}.${process.pid}`
  try {
    renameSync(path, aside)
    const moved = readHolder(aside)
    if (moved !== null && moved.token !== seen?.token) renameSync(aside, path)
    else rmSync(aside, { force: true })
  } catch (error) {
    if (systemCodeOf(error) !== 'ENOENT') throw cannotWrite(path, error)
  }
}

function heldBy(folder: string, holder: Holder | null, path: string): RunError {
  const who = holder === null ? 'another process' : `process ${holder.pid}${whereOf(holder)}`
  return new RunError(
    `${folder} is being written by ${who}. Wait for it or end it; if it is long gone, remove ${path}.`,
  )
}

function whereOf({ host }: Holder): string {
  return host === hostname() ? '' : ` on ${host}`
}
