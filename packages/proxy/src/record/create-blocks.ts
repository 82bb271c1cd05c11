import type { Writer } from './create-writer.ts'

/** Memory that is filled, and handed on block by block. */
export interface Blocks {
  putByte(byte: number): void
  putBytes(bytes: Uint8Array): void
  putText(text: string): void
  /** A whole number that is not negative, in digits. */
  putNumber(value: number): void
  /** Hands on what is there, though it fills no block. */
  flush(): void
}

/** So much is written at once. */
const BLOCK_BYTES = 262_144
/** Blocks of memory that are kept, 16 MB: new ones cost the system more than filling them does. */
const MOST_SPARE = 64
const ZERO = 48
/** Of any whole number that JavaScript counts with. */
const MOST_DIGITS = 16

/** Hands on to a writer, and uses a block again when that is done with it. */
export function createBlocks(writer: Writer): Blocks {
  const spare: Buffer[] = []
  let block: Buffer = Buffer.allocUnsafeSlow(BLOCK_BYTES)
  let used = 0
  const flush = (): void => {
    if (used === 0) return
    const full = block
    writer.write(full.subarray(0, used), () => {
      if (spare.length < MOST_SPARE) spare.push(full)
    })
    block = spare.pop() ?? Buffer.allocUnsafeSlow(BLOCK_BYTES)
    used = 0
  }
  const putBytes = (bytes: Uint8Array): void => {
    if (bytes.length > block.length - used) flush()
    if (bytes.length > block.length) return writer.write(bytes)
    // A copy: whoever keeps a chunk keeps the block of memory that it came in.
    block.set(bytes, used)
    used += bytes.length
  }
  return {
    flush,
    putBytes,
    putByte: (byte) => {
      if (used === block.length) flush()
      block[used] = byte
      used += 1
    },
    putText: (text) => {
      // No character takes more than three bytes for each of its units.
      if (text.length * 3 > block.length) return putBytes(Buffer.from(text))
      if (text.length * 3 > block.length - used) flush()
      used += block.write(text, used)
    },
    putNumber: (value) => {
      if (MOST_DIGITS > block.length - used) flush()
      used = writeNumber(block, value, used)
    },
  }
}

/** Gives where its digits end. */
function writeNumber(block: Buffer, value: number, from: number): number {
  let end = from + 1
  for (let rest = value; rest >= 10; rest = Math.floor(rest / 10)) end += 1
  let rest = value
  for (let at = end - 1; at >= from; at -= 1) {
    block[at] = ZERO + (rest % 10)
    rest = Math.floor(rest / 10)
  }
  return end
}
