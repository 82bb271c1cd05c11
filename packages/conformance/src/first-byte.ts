/** The first byte, in UTF-8, in which two texts differ. */
export interface ByteDifference {
  /** From 0. */
  readonly at: number
  /** Such as `0x20`; `the end` where a text has ended. */
  readonly expected: string
  readonly actual: string
}

/** Where two texts part, in bytes; null when they have the same ones. Unpaired surrogates have the bytes of U+FFFD. */
export function firstByte(expected: string, actual: string): ByteDifference | null {
  const [left, right] = [ENCODER.encode(expected), ENCODER.encode(actual)]
  let at = 0
  while (at < left.length && left[at] === right[at]) at += 1
  if (at === left.length && at === right.length) return null
  return { at, expected: hex(left[at]), actual: hex(right[at]) }
}

const ENCODER = new TextEncoder()

function hex(byte: number | undefined): string {
  return byte === undefined ? 'the end' : `0x${byte.toString(16).toUpperCase().padStart(2, '0')}`
}
