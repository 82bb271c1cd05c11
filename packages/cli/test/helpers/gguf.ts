/** A value of a GGUF's metadata, as far as tests need them. */
export type GgufValue =
  | { readonly type: 'uint32'; readonly value: number }
  | { readonly type: 'text'; readonly value: string }
  | { readonly type: 'texts'; readonly value: readonly string[] }
  | { readonly type: 'int32s'; readonly value: readonly number[] }
  | { readonly type: 'float32'; readonly value: number }

/** The head of a GGUF without tensors, and some bytes that stand for them. */
export function gguf(entries: readonly (readonly [string, GgufValue])[]): Buffer {
  const body = entries.map(([key, value]) => Buffer.concat([text(key), valueBytes(value)]))
  const tensors = Buffer.alloc(64, 7)
  return Buffer.concat([Buffer.from('GGUF'), uint32(3), uint64(1), uint64(entries.length), ...body, tensors])
}

function valueBytes(given: GgufValue): Buffer {
  switch (given.type) {
    case 'uint32':
      return Buffer.concat([uint32(4), uint32(given.value)])
    case 'float32': {
      const bytes = Buffer.alloc(4)
      bytes.writeFloatLE(given.value)
      return Buffer.concat([uint32(6), bytes])
    }
    case 'text':
      return Buffer.concat([uint32(8), text(given.value)])
    case 'texts':
      return Buffer.concat([uint32(9), uint32(8), uint64(given.value.length), ...given.value.map(text)])
    case 'int32s':
      return Buffer.concat([uint32(9), uint32(5), uint64(given.value.length), ...given.value.map(uint32)])
  }
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value)
  return Buffer.concat([uint64(bytes.length), bytes])
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

/** Little-endian, as all numbers of the format. */
export function uint64(value: number | bigint): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(BigInt(value))
  return bytes
}
