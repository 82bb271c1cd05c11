import { createHash } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { TraceLine } from '../run/trace.ts'

/** Where the files of one run go. Nothing is made before the first line is there. */
export interface RunFolder {
  /** Appends one line to `turns.jsonl`, in one write. */
  append(line: TraceLine): void
  /** Writes a whole file. */
  writeFile(name: string, text: string): void
  /** Brings everything to the disk and closes the journal. */
  close(): void
  /** Removes what was made. */
  discard(): void
  /** The folder; null while there is none. */
  path(): string | null
}

/** Where a run folder is made, and what names it. */
export interface RunFolderOptions {
  /** The folder of all runs. */
  readonly parent: string
  readonly startedAt: Date
  /** What the run was asked to do; goes into `run.json`, and its hash into the name. */
  readonly manifest: Readonly<Record<string, unknown>>
}

/**
 * A folder `<time>-<hash>` with `run.json` and the append-only journal `turns.jsonl`.
 *
 * @throws the file system's errors, which name the path
 */
export function createRunFolder({ parent, startedAt, manifest }: RunFolderOptions): RunFolder {
  let folder: string | null = null
  let journal: number | null = null
  const open = (): string => {
    folder ??= makeFolder(parent, nameOf(startedAt, manifest))
    return folder
  }
  const writeWhole = (name: string, text: string): void => {
    const path = join(open(), name)
    writeFileSync(`${path}.tmp`, text)
    renameSync(`${path}.tmp`, path)
  }
  return {
    append: (line) => {
      if (journal === null) {
        journal = openSync(join(open(), 'turns.jsonl'), 'a')
        writeWhole(
          'run.json',
          `${JSON.stringify({ version: 1, startedAt: startedAt.toISOString(), ...manifest }, null, 2)}\n`,
        )
      }
      writeSync(journal, `${JSON.stringify(line)}\n`)
    },
    writeFile: writeWhole,
    close: () => {
      if (journal === null) return
      fsyncSync(journal)
      closeSync(journal)
      journal = null
    },
    discard: () => {
      if (journal !== null) closeSync(journal)
      journal = null
      if (folder !== null) rmSync(folder, { recursive: true, force: true })
      folder = null
    },
    path: () => folder,
  }
}

function nameOf(startedAt: Date, manifest: RunFolderOptions['manifest']): string {
  const time = startedAt.toISOString().slice(0, 19).replaceAll(':', '-')
  return `${time}-${createHash('sha256').update(JSON.stringify(manifest)).digest('hex').slice(0, 8)}`
}

/** Two runs in one second get two folders. */
function makeFolder(parent: string, name: string): string {
  makeParents(resolve(parent))
  for (let attempt = 1; ; attempt += 1) {
    const path = join(parent, attempt === 1 ? name : `${name}-${attempt}`)
    try {
      mkdirSync(path)
      return path
    } catch (error) {
      if (!isThere(error) || attempt > 99) throw error
    }
  }
}

/** Makes a folder and those above it. One by one: the recursive way of Node never comes back from some file systems. */
function makeParents(path: string): void {
  if (existsSync(path)) return
  makeParents(dirname(path))
  try {
    mkdirSync(path)
  } catch (error) {
    if (!isThere(error)) throw error
  }
}

function isThere(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EEXIST'
}
