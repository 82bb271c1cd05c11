import type { ByteReader } from './byte-reader.ts'

/** The metadata of a GGUF, as far as templates need them. */
export interface GgufMetadata {
  /** The chat templates, by their keys. */
  readonly texts: ReadonlyMap<string, string>
  /** Whole numbers of one value. */
  readonly numbers: ReadonlyMap<string, number>
  /** The texts of all tokens, by id; empty where the file has none, or more than any tokenizer. */
  readonly vocabulary: readonly string[]
  readonly tokenTypes: readonly number[]
}

/** What is wrong with the file, in one line without its name. */
export class GgufFault extends Error {}

/** Sizes of the numbers of a type, by its number in the format; 8 is a string and 9 an array. */
const SIZES: Readonly<Record<number, number>> = { 0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8 }
const UINT32 = 4
const INT32 = 5
const STRING = 8
const ARRAY = 9

/** Metadata of the largest models have some 20 MB. */
const MAX_METADATA = 512 * 1024 * 1024
const MAX_TEXT = 16 * 1024 * 1024
const MAX_TOKENS = 4_000_000
/** The shortest entry: an empty key, a type and one byte. */
const MIN_ENTRY = 13
const MAX_DEPTH = 8

/**
 * Reads the head of a GGUF of version 2 or 3, little-endian. Cost: what the metadata hold, once; memory: the vocabulary.
 *
 * @throws GgufFault for everything that is no GGUF, or ends too early
 */
export function readGgufMetadata(reader: ByteReader): GgufMetadata {
  const at = createCursor(reader)
  const magic = at.bytes(4, 'its head').toString('latin1')
  if (magic !== 'GGUF') throw new GgufFault(`is no GGUF: it begins with ${JSON.stringify(magic)}.`)
  const version = at.uint32('its head')
  if (version !== 2 && version !== 3)
    throw new GgufFault(`is a GGUF of version ${version}. Versions 2 and 3, little-endian, are read.`)
  at.uint64('its head')
  const count = at.uint64('its head')
  if (count * MIN_ENTRY > reader.left())
    throw new GgufFault(`claims ${count} entries of metadata, more than the file has room for. It is cut or damaged.`)
  const found = { texts: new Map<string, string>(), numbers: new Map<string, number>() }
  let vocabulary: readonly string[] = []
  let tokenTypes: readonly number[] = []
  for (let index = 0; index < count; index += 1) {
    const key = at.text(`the key of entry ${index + 1}`)
    const type = at.uint32(key)
    if (key === 'tokenizer.ggml.tokens' && type === ARRAY) vocabulary = readTexts(at, key)
    else if (key === 'tokenizer.ggml.token_type' && type === ARRAY) tokenTypes = readInts(at, key)
    else if (type === STRING && key.startsWith('tokenizer.chat_template')) found.texts.set(key, at.text(key))
    else if (type === UINT32 || type === INT32) found.numbers.set(key, at.uint32(key))
    else skipValue(at, type, { key, depth: 0 })
  }
  return { ...found, vocabulary, tokenTypes }
}

interface Cursor {
  bytes(length: number, what: string): Buffer
  uint32(what: string): number
  /** Exact up to 2^53; what is larger is larger than any file. */
  uint64(what: string): number
  text(what: string): string
  skip(length: number, what: string): void
}

function createCursor(reader: ByteReader): Cursor {
  const whole = reader.left()
  const cut = (what: string): GgufFault => {
    const name = JSON.stringify(what.length > 60 ? `${what.slice(0, 59)}…` : what)
    return new GgufFault(`is cut or damaged: ${whole} bytes end within the metadata, at ${name}.`)
  }
  const guard = (length: number): void => {
    if (whole - reader.left() + length > MAX_METADATA)
      throw new GgufFault('has more than 512 MB of metadata before the end of them. It is damaged.')
  }
  const bytes = (length: number, what: string): Buffer => {
    guard(length)
    const taken = reader.take(length)
    if (taken === null) throw cut(what)
    return taken
  }
  const uint32 = (what: string): number => bytes(4, what).readUInt32LE()
  const uint64 = (what: string): number => {
    const taken = bytes(8, what)
    return taken.readUInt32LE() + taken.readUInt32LE(4) * 2 ** 32
  }
  const text = (what: string): string => {
    const length = uint64(what)
    if (length > reader.left()) throw cut(what)
    if (length > MAX_TEXT) throw new GgufFault(`has a text of ${length} bytes in its metadata. It is damaged.`)
    return bytes(length, what).toString('utf8')
  }
  const skip = (length: number, what: string): void => {
    if (length > reader.left()) throw cut(what)
    guard(length)
    reader.skip(length)
  }
  return { bytes, uint32, uint64, text, skip }
}

interface ArrayHead {
  readonly type: number
  readonly length: number
}

function readArrayHead(at: Cursor, key: string): ArrayHead {
  return { type: at.uint32(key), length: at.uint64(key) }
}

function readTexts(at: Cursor, key: string): readonly string[] {
  const head = readArrayHead(at, key)
  if (head.type !== STRING || head.length > MAX_TOKENS) {
    skipItems(at, head, { key, depth: 1 })
    return []
  }
  return Array.from({ length: head.length }, () => at.text(key))
}

function readInts(at: Cursor, key: string): readonly number[] {
  const head = readArrayHead(at, key)
  if ((head.type !== INT32 && head.type !== UINT32) || head.length > MAX_TOKENS) {
    skipItems(at, head, { key, depth: 1 })
    return []
  }
  return Array.from({ length: head.length }, () => at.uint32(key))
}

interface Skipped {
  readonly key: string
  readonly depth: number
}

function skipValue(at: Cursor, type: number, { key, depth }: Skipped): void {
  if (type === ARRAY) {
    if (depth >= MAX_DEPTH) throw new GgufFault('has arrays within arrays without end in its metadata. It is damaged.')
    return skipItems(at, readArrayHead(at, key), { key, depth: depth + 1 })
  }
  if (type === STRING) return at.skip(at.uint64(key), key)
  const size = SIZES[type]
  if (size === undefined) throw new GgufFault(`has a value of unknown type ${type} in its metadata. It is damaged.`)
  at.skip(size, key)
}

function skipItems(at: Cursor, { type, length }: ArrayHead, skipped: Skipped): void {
  const size = SIZES[type]
  if (size !== undefined) return at.skip(size * length, skipped.key)
  // Each item takes eight bytes at least, so that a count without items ends at the end of the file.
  for (let index = 0; index < length; index += 1) skipValue(at, type, skipped)
}
