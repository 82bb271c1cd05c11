/** One value in the head of a GGUF file. */
export type GgufValue =
  | { readonly type: 'u32' | 'f32'; readonly value: number }
  | { readonly type: 'bool'; readonly value: boolean }
  | { readonly type: 'text'; readonly value: string }
  | { readonly type: 'texts'; readonly value: readonly string[] }
  | { readonly type: 'i32s'; readonly value: readonly number[] }

/** A matrix (or, with one row, a vector) of weights, row by row. */
export interface GgufTensor {
  readonly name: string
  readonly rows: number
  readonly columns: number
  readonly values: Float32Array
  /** `q8`: blocks of 32 values as signed bytes with one scale each; `columns` has to be a multiple of 32. */
  readonly storage: 'f32' | 'q8'
}

/**
 * A GGUF file, version 3: little-endian, tensors aligned to 32 bytes. Source: docs/gguf.md of ggml.
 *
 * @param metadata by key, in the order in which they are written
 */
export function ggufBytes({
  metadata,
  tensors,
}: {
  readonly metadata: Readonly<Record<string, GgufValue>>
  readonly tensors: readonly GgufTensor[]
}): Uint8Array {
  const entries = Object.entries(metadata)
  const head: Uint8Array[] = [Buffer.from('GGUF'), u32(3), u64(tensors.length), u64(entries.length)]
  for (const [key, value] of entries) head.push(text(key), typed(value))
  const contents = tensors.map(tensorBytes)
  let offset = 0
  for (const [at, tensor] of tensors.entries()) {
    head.push(text(tensor.name), ...shapeOf(tensor), u32(tensor.storage === 'f32' ? 0 : 8), u64(offset))
    offset += aligned(contents[at]?.length ?? 0)
  }
  return Buffer.concat([padded(Buffer.concat(head)), ...contents.map(padded)])
}

const ALIGNMENT = 32

/** The numbers by which GGUF knows its types. */
const TYPE = { u32: 4, i32: 5, f32: 6, bool: 7, text: 8, list: 9 } as const

function typed(given: GgufValue): Uint8Array {
  switch (given.type) {
    case 'u32':
      return Buffer.concat([u32(TYPE.u32), u32(given.value)])
    case 'f32':
      return Buffer.concat([u32(TYPE.f32), f32(given.value)])
    case 'bool':
      return Buffer.concat([u32(TYPE.bool), Uint8Array.of(given.value ? 1 : 0)])
    case 'text':
      return Buffer.concat([u32(TYPE.text), text(given.value)])
    case 'texts':
      return listOf(TYPE.text, given.value.map(text))
    case 'i32s':
      return listOf(TYPE.i32, given.value.map(i32))
    default:
      return given satisfies never
  }
}

function listOf(type: number, entries: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat([u32(TYPE.list), u32(type), u64(entries.length), Buffer.concat(entries)])
}

/** The inner dimension comes first. */
function shapeOf({ rows, columns }: GgufTensor): readonly Uint8Array[] {
  return rows === 1 ? [u32(1), u64(columns)] : [u32(2), u64(columns), u64(rows)]
}

function tensorBytes({ storage, values }: GgufTensor): Uint8Array {
  return storage === 'f32' ? new Uint8Array(values.buffer, values.byteOffset, values.byteLength) : q8Bytes(values)
}

const BLOCK = 32

function q8Bytes(values: Float32Array): Uint8Array {
  const blocks = values.length / BLOCK
  const bytes = Buffer.alloc(blocks * (2 + BLOCK))
  for (let block = 0; block < blocks; block += 1) {
    const from = block * BLOCK
    let largest = 0
    for (let at = from; at < from + BLOCK; at += 1) largest = Math.max(largest, Math.abs(values[at] ?? 0))
    const scale = largest / 127
    const to = block * (2 + BLOCK)
    bytes.writeUInt16LE(halfBits(scale), to)
    for (let at = 0; at < BLOCK; at += 1) {
      bytes.writeInt8(scale === 0 ? 0 : Math.round((values[from + at] ?? 0) / scale), to + 2 + at)
    }
  }
  return bytes
}

/** The bits of a positive number of ordinary size as a 16-bit float; what is too small for one becomes zero. */
function halfBits(value: number): number {
  if (value < 2 ** -14) return 0
  const exponent = Math.floor(Math.log2(value))
  const fraction = Math.round((value / 2 ** exponent - 1) * 1024)
  return ((exponent + 15) << 10) + fraction
}

function text(value: string): Uint8Array {
  const bytes = Buffer.from(value)
  return Buffer.concat([u64(bytes.length), bytes])
}

function u32(value: number): Uint8Array {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

function i32(value: number): Uint8Array {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32LE(value)
  return bytes
}

function f32(value: number): Uint8Array {
  const bytes = Buffer.alloc(4)
  bytes.writeFloatLE(value)
  return bytes
}

function u64(value: number): Uint8Array {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(BigInt(value))
  return bytes
}

function aligned(length: number): number {
  return Math.ceil(length / ALIGNMENT) * ALIGNMENT
}

function padded(bytes: Uint8Array): Uint8Array {
  return Buffer.concat([bytes, Buffer.alloc(aligned(bytes.length) - bytes.length)])
}
