import { closeSync, existsSync, fsyncSync, ftruncateSync, openSync, statSync, writeSync } from 'node:fs'
import { objectIn } from '../text/json.ts'
import type { JsonRecord } from '../text/json.ts'
import { fileLines, openFile, refusePipe } from '../store/file-lines.ts'
import type { FileLine, OpenFile } from '../store/file-lines.ts'
import { RunError, saidBy } from '../trace/run-error.ts'

/** The version of the file, in its first line. */
const TAPE_SCHEMA = 1

/** Lines of a tape by what they answer. Several lines of one key are given back in their order, each once. */
export interface TapeFile {
  /** The next line of a kind with this key; null when there is none, or none any more. */
  take(kind: string, key: string): JsonRecord | null
  /** Adds a line; it is on the disk when this returns, save for the disk's own cache. @throws RunError */
  append(line: { readonly kind: string; readonly key: string } & JsonRecord): void
  close(): void
}

export interface TapeFileOptions {
  /** Whether lines are added. */
  readonly writes: boolean
  /** Whether lines are given back. Without, the file must not hold any. */
  readonly reads: boolean
}

/**
 * Opens a tape: JSON lines, of which only the places are held. A last line that is torn is cut off.
 *
 * @throws RunError naming file and line for what cannot be read, is no tape, or is there already when it is to be new
 */
export function openTapeFile(path: string, { writes, reads }: TapeFileOptions): TapeFile {
  refusePipe(path)
  const isThere = existsSync(path) && statSync(path).size > 0
  if (isThere && !reads)
    throw new RunError(`${path} is there already, and a tape is never written over. Give another name`)
  const index = isThere || !writes ? indexOf(path) : { places: new Map<string, Place[]>(), size: 0 }
  const output = writes ? openOutput(path, index.size) : null
  if (output !== null && index.size === 0) output.write({ kind: 'tape', schema: TAPE_SCHEMA })
  let input: OpenFile | null = null
  return {
    take: (kind, key) => {
      const place = index.places.get(`${kind} ${key}`)?.shift()
      if (place === undefined) return null
      input ??= openFile(path)
      return objectIn(input.textAt(place.offset, place.length))
    },
    append: (line) => {
      if (output === null) throw new Error('callspec: a tape that is only read was written to')
      output.write(line)
    },
    close: () => {
      input?.close()
      output?.close()
    },
  }
}

interface Place {
  readonly offset: number
  readonly length: number
}

interface Index {
  readonly places: ReadonlyMap<string, Place[]>
  /** How many bytes hold whole lines. */
  readonly size: number
}

function indexOf(path: string): Index {
  const places = new Map<string, Place[]>()
  let size = 0
  for (const line of fileLines(path)) {
    const read = line.isEnded ? objectIn(line.text) : null
    if (!line.isEnded && line.number > 1) break
    if (line.number === 1) checkHead(path, read)
    else add(places, read, line, path)
    size = line.offset + line.length + 1
  }
  if (size === 0) throw new RunError(`${path} is empty. Record a tape first`)
  return { places, size }
}

function add(
  places: Map<string, Place[]>,
  read: JsonRecord | null,
  { offset, length, number }: FileLine,
  path: string,
): void {
  const [kind, key] = [read?.['kind'], read?.['key']]
  if (typeof kind !== 'string' || typeof key !== 'string')
    throw new RunError(`${path} line ${number} is no line of a tape. Was the file changed by hand?`)
  const id = `${kind} ${key}`
  const known = places.get(id)
  if (known === undefined) places.set(id, [{ offset, length }])
  else known.push({ offset, length })
}

function checkHead(path: string, head: JsonRecord | null): void {
  if (head?.['kind'] !== 'tape') throw new RunError(`${path} is no tape: its first line does not say so`)
  if (head['schema'] !== TAPE_SCHEMA)
    throw new RunError(
      `${path} is a tape of version ${JSON.stringify(head['schema']) ?? 'unknown'}; this program knows ${TAPE_SCHEMA}. Record it again`,
    )
}

interface Output {
  write(line: JsonRecord): void
  close(): void
}

function openOutput(path: string, size: number): Output {
  const file = writing(path, () => openSync(path, 'a'))
  writing(path, () => ftruncateSync(file, size))
  let isOpen = true
  return {
    write: (line) => {
      const bytes = Buffer.from(`${JSON.stringify(line)}\n`)
      writing(path, () => {
        for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at)
      })
    },
    close: () => {
      if (!isOpen) return
      isOpen = false
      writing(path, () => fsyncSync(file))
      closeSync(file)
    },
  }
}

function writing<T>(path: string, act: () => T): T {
  try {
    return act()
  } catch (error) {
    throw new RunError(`the tape ${path} cannot be written (${saidBy(error)}). Is there room, and may you write there?`)
  }
}
