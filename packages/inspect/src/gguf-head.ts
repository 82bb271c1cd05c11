import { InputError } from '@callspec/python'
import { readGguf } from '@callspec/template/source'
import type { ByteReader, TemplateFile } from '@callspec/template/source'

/** A part of a file. */
export interface FilePart {
  readonly bytes: Uint8Array
  /** Size of the whole file in bytes; null if it is not known. */
  readonly size: number | null
}

/** Gives the bytes from `start` on, before `end`; fewer only where the file ends. */
export type LoadPart = (start: number, end: number) => Promise<FilePart>

const MB = 2 ** 20

/** How much of the file is asked for, one after the other: most heads have 5 to 15 MB, nearly all of it vocabulary. */
const STEPS = [MB, 4 * MB, 16 * MB, 64 * MB] as const

/** The metadata go on after the bytes that were loaded. */
class NeedsMore extends Error {}

/**
 * Reads the chat templates and special tokens of a GGUF whose bytes are loaded in parts, the tensors never.
 *
 * @param name for messages
 * @throws InputError, one line, for a file that is cut, is not a GGUF, has no template, or has a head of more than 64 MB
 */
export async function readGgufHead(name: string, load: LoadPart): Promise<TemplateFile> {
  let have = new Uint8Array(0)
  let size: number | null = null
  for (const end of STEPS) {
    const part = await load(have.length, end)
    have = joined(have, part.bytes.subarray(0, end - have.length))
    size = part.size ?? size
    const isWhole = have.length < end || (size !== null && have.length >= size)
    try {
      return readGguf(name, readerOf(have, isWhole ? have.length : (size ?? LONGEST)))
    } catch (error) {
      if (!(error instanceof NeedsMore)) throw error
    }
  }
  throw new InputError(name, 'has more than 64 MB before the end of its metadata. Give the file itself.')
}

/** The assumed size of a file whose size is unknown, in bytes. */
const LONGEST = 2 ** 45

function joined(one: Uint8Array, other: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(one.length + other.length)
  all.set(one)
  all.set(other, one.length)
  return all
}

/** @throws NeedsMore where the file goes on and the bytes do not */
function readerOf(bytes: Uint8Array, size: number): ByteReader {
  const decoder = new TextDecoder()
  let at = 0
  const moved = (length: number): boolean => {
    if (length > size - at) return false
    at += length
    return true
  }
  const take = (length: number): Uint8Array | null => {
    const start = at
    if (!moved(length)) return null
    if (at > bytes.length) throw new NeedsMore()
    return bytes.subarray(start, at)
  }
  return {
    left: () => size - at,
    take,
    takeText: (length) => {
      const taken = take(length)
      return taken === null ? null : decoder.decode(taken)
    },
    skip: (length) => {
      if (!moved(length)) return false
      if (at > bytes.length) throw new NeedsMore()
      return true
    },
    close: () => undefined,
  }
}
