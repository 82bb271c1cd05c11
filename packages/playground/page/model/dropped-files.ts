import { InputError } from '@callspec/core'
import type { PickedFile } from './choose-files.ts'
import { isModelFile, isNamedTemplates } from './choose-files.ts'

/** A folder that was dropped, or lies in one. */
interface DroppedFolder {
  readonly path: string
  /** What is in it, some at a time. */
  readonly list: () => AsyncIterable<DroppedThing>
}

/** Something that was dropped. */
type DroppedThing = PickedFile | DroppedFolder

/**
 * What was dropped. A browser gives it only during the event: call this at once, and await the result later.
 *
 * Chromium reads no entry of a folder (`EncodingError`) for a page that lies in a file; there it has handles instead.
 */
export async function droppedThings(items: readonly DataTransferItem[]): Promise<readonly DroppedThing[]> {
  const given = items.map(async (item: DataTransferItem & HandleGiver) => {
    const entry = item.webkitGetAsEntry()
    if (entry === null || !isFolder(entry)) return item.getAsFile()
    const handle = window.location.protocol === 'file:' ? item.getAsFileSystemHandle?.() : undefined
    return (await handle?.catch(() => null)) ?? entry
  })
  const found = await Promise.all(given)
  return found.flatMap((each): readonly DroppedThing[] => {
    if (each === null) return []
    if (each instanceof File) return [{ path: each.name, open: () => Promise.resolve(each) }]
    if (!('kind' in each)) return [entryFolder(each)]
    return each.kind === 'directory' ? [handleFolder(each, '')] : [handleFile(each, '')]
  })
}

/** Things in dropped folders that are looked at before a file of a model is found. */
const MOST_LISTED = 10_000
/** Folders in folders: as deep as a model lies in a copy of the cache of Hugging Face. */
const MOST_LEVELS = 4

/**
 * The files of what was dropped, level by level until one has a file of a model. None is opened.
 *
 * @throws InputError, one line, for a folder that has too many files, or cannot be read
 */
export async function filesIn(dropped: readonly DroppedThing[]): Promise<readonly PickedFile[]> {
  const found: PickedFile[] = []
  let listed = 0
  let level = dropped
  for (let depth = 0; depth < MOST_LEVELS && level.length > 0; depth += 1) {
    found.push(...level.filter((each) => 'open' in each))
    const isEnough = found.some(({ path }) => isModelFile(path))
    const next: DroppedThing[] = []
    for (const folder of level) {
      if (!('list' in folder) || (isEnough && !isNamedTemplates(folder.path))) continue
      for await (const each of readable(folder)) {
        listed += 1
        if (listed > MOST_LISTED && !isEnough)
          throw new InputError(
            folder.path,
            `more than ${MOST_LISTED} files, and none of a model before them. Give the folder of the model.`,
          )
        next.push(each)
      }
    }
    level = next
  }
  return found
}

async function* readable({ path, list }: DroppedFolder): AsyncIterable<DroppedThing> {
  try {
    yield* list()
  } catch (error) {
    throw unreadable(path, error)
  }
}

function unreadable(path: string, error: unknown): InputError {
  const why = error instanceof DOMException ? error.name : String(error)
  return new InputError(path, `cannot be read (${why}). Choose it instead of dropping it.`)
}

async function opened(path: string, file: Promise<File>): Promise<File> {
  try {
    return await file
  } catch (error) {
    throw unreadable(path, error)
  }
}

// The interfaces of entries have no names in Chromium that instanceof could ask for.
function isFolder(entry: FileSystemEntry): entry is FileSystemDirectoryEntry {
  return entry.isDirectory
}

function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile
}

function entryFolder(folder: FileSystemEntry): DroppedFolder {
  return {
    path: folder.fullPath.replace(/^\//, ''),
    list: async function* () {
      if (!isFolder(folder)) return
      const reader = folder.createReader()
      for (;;) {
        const part = await new Promise<readonly FileSystemEntry[]>((resolve, reject) =>
          reader.readEntries(resolve, reject),
        )
        if (part.length === 0) return
        yield* part.map((entry) => (isFile(entry) ? entryFile(entry) : entryFolder(entry)))
      }
    },
  }
}

function entryFile(entry: FileSystemFileEntry): PickedFile {
  const path = entry.fullPath.replace(/^\//, '')
  return { path, open: () => opened(path, new Promise((resolve, reject) => entry.file(resolve, reject))) }
}

/** A member of Chromium's items that other browsers lack. */
interface HandleGiver {
  readonly getAsFileSystemHandle?: () => Promise<Handle | null>
}

type Handle = FolderHandle | FileHandle

interface FileHandle {
  readonly kind: 'file'
  readonly name: string
  readonly getFile: () => Promise<File>
}

interface FolderHandle {
  readonly kind: 'directory'
  readonly name: string
  readonly values: () => AsyncIterable<Handle>
}

function handleFolder(handle: FolderHandle, above: string): DroppedFolder {
  const path = above + handle.name
  return {
    path,
    list: async function* () {
      for await (const each of handle.values())
        yield each.kind === 'file' ? handleFile(each, `${path}/`) : handleFolder(each, `${path}/`)
    },
  }
}

function handleFile(handle: FileHandle, above: string): PickedFile {
  const path = above + handle.name
  return { path, open: () => opened(path, handle.getFile()) }
}
