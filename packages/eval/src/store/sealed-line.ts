import { crc32 } from './crc32.ts'

/** How far a journal has come: the number of its last line, and the sum of all lines up to there. */
export interface Seal {
  /** From 1; 0 before the first line. */
  readonly line: number
  readonly sum: number
}

/** Where the journal of a plan begins, so that lines of another run do not fit. */
export function firstSeal(config: string): Seal {
  return { line: 0, sum: crc32(Buffer.from(config), 0) }
}

/** Writes number and check sum behind the members of JSON objects. The sum goes on from line to line, so none can be taken out. */
export interface Sealer {
  /** The line of an object, with its line feed; the bytes count until the next call. */
  line(json: string): Uint8Array
  /** The last line has been written: the next one goes on from it. */
  written(): void
  seal(): Seal
}

/** Eight digits, and what ends the object and the line. */
const DIGITS = 8
const END = '"}\n'
/** Number and sum of a line take less. */
const ROOM = 64
const SCRATCH = 1 << 14
/** A rare long line is not to hold its room for ever. */
const LARGEST_SCRATCH = 1 << 20

/** @param begin what the first line goes on from */
export function createSealer(begin: Seal): Sealer {
  // Used again for every line: making one for each would cost more than the sum.
  let scratch = Buffer.allocUnsafe(SCRATCH)
  let [last, next] = [begin, begin]
  return {
    line: (json) => {
      const most = 3 * json.length + ROOM
      const bytes = most <= scratch.length ? scratch : Buffer.allocUnsafe(most)
      if (most <= LARGEST_SCRATCH) scratch = bytes
      const line = last.line + 1
      // In the place of the bracket that closes the object.
      const head = bytes.write(json, 0, 'utf8') - 1
      const at = head + bytes.write(`,"line":${line},"sum":"`, head, 'latin1')
      const sum = crc32(bytes.subarray(0, at), last.sum)
      next = { line, sum }
      return bytes.subarray(0, at + bytes.write(`${hex(sum)}${END}`, at, 'latin1'))
    },
    written: () => {
      last = next
    },
    seal: () => last,
  }
}

/** A line that was read: the JSON text that was sealed, its seal, and whether that is the right one behind `before`. */
export interface ReadSeal {
  readonly json: string
  readonly seal: Seal
  readonly fits: (before: Seal) => boolean
}

const SEAL = /,"line":(\d{1,15}),"sum":"([0-9a-f]{8})"\}$/
/** A seal is no longer than this. */
const LONGEST = 60

/** What a line, without its line feed, says of itself; null where it carries no check sum. */
export function readSeal(text: string): ReadSeal | null {
  const from = Math.max(0, text.length - LONGEST)
  const match = SEAL.exec(text.slice(from))
  if (match === null) return null
  const [, line = '', sum = ''] = match
  const seal = { line: Number(line), sum: Number.parseInt(sum, 16) }
  return {
    json: `${text.slice(0, from + match.index)}}`,
    seal,
    fits: ({ sum: before }) => crc32(Buffer.from(text.slice(0, -DIGITS - END.length + 1)), before) === seal.sum,
  }
}

function hex(sum: number): string {
  return sum.toString(16).padStart(DIGITS, '0')
}
