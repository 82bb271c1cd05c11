import * as zlib from 'node:zlib'

/**
 * CRC-32 (as in zip files) of some bytes, going on from the value of what stood before them (0 for nothing). Node has one that
 * costs next to nothing, but not in all versions that this program runs on.
 */
export const crc32: (bytes: Uint8Array, value: number) => number =
  typeof zlib.crc32 === 'function' ? (bytes, value) => zlib.crc32(bytes, value) : tableCrc32

const POLYNOMIAL = 0xedb88320

const TABLE: Uint32Array = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ POLYNOMIAL : value >>> 1
  return value
})

/** The same, byte by byte. */
export function tableCrc32(bytes: Uint8Array, value: number): number {
  let sum = ~value
  for (const byte of bytes) sum = (sum >>> 8) ^ (TABLE[(sum ^ byte) & 0xff] ?? 0)
  return ~sum >>> 0
}
