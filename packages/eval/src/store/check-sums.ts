import { RunError } from '../trace/run-error.ts'

import { crc32 } from 'node:zlib'

/** The changes of a recorded run that are accepted. */
export interface Edits {
  /** Records a change. @throws RunError for one that is not accepted; `advice` says what to do */
  found(what: string, advice?: string): void
  /** All accepted changes, in the order in which they were found, without repetitions. */
  accepted(): readonly string[]
}

/** At most so many are named. */
const NAMED = 100
const MORE = 'and more'

/**
 * Accepts the changes that a run is marked with already, and with `acceptsAll` all others.
 *
 * @param folder for messages; the names of changes do not contain it
 */
export function createEdits(
  folder: string,
  { marked, acceptsAll }: { readonly marked: readonly string[]; readonly acceptsAll: boolean },
): Edits {
  const names = new Set(marked)
  return {
    found: (what, advice = ADVICE) => {
      if (names.has(what) || names.has(MORE)) return
      if (!acceptsAll) throw new RunError(`${folder}/${what}. ${advice}`)
      names.add(names.size < NAMED ? what : MORE)
    },
    accepted: () => [...names],
  }
}

const ADVICE =
  'Put back what was there, or accept it with callspec rescore RUN --accept-edited, which marks the run as edited.'

/** The number of the last line of a journal, and the sum of all lines up to it. */
export interface Seal {
  /** From 1; 0 before the first line. */
  readonly line: number
  readonly sum: number
}

/** The seal before the first line of a plan, so that lines of another run do not fit. */
export function firstSeal(config: string): Seal {
  return { line: 0, sum: crc32(Buffer.from(config), 0) }
}

/** Adds number and check sum to JSON objects, as their last members. A sum continues that of the line before, so no line can be removed. */
export interface Sealer {
  /** The sealed line of an object, with its line feed. The bytes are valid until the next call. */
  line(json: string): Uint8Array
  /** The last line has been written: the next one continues from it. */
  written(): void
  seal(): Seal
}

/** Length of a sum, and the end of the object and of the line. */
const SUM_DIGITS = 8
const END = '"}\n'
/** Number and sum of a line are shorter. */
const ROOM = 64
const SCRATCH = 1 << 14
/** A longer line gets a buffer that is not kept. */
const LARGEST_SCRATCH = 1 << 20

/** @param begin the seal before the first line */
export function createSealer(begin: Seal): Sealer {
  let scratch = Buffer.allocUnsafe(SCRATCH)
  let [last, next] = [begin, begin]
  return {
    line: (json) => {
      const most = 3 * json.length + ROOM
      const bytes = most <= scratch.length ? scratch : Buffer.allocUnsafe(most)
      if (most <= LARGEST_SCRATCH) scratch = bytes
      const line = last.line + 1
      // This replaces the closing bracket of the object.
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

/** A line that was read: its JSON text without the seal, the seal, and whether it continues `before`. */
export interface ReadSeal {
  readonly json: string
  readonly seal: Seal
  readonly fits: (before: Seal) => boolean
}

const SEAL = /,"line":(\d{1,15}),"sum":"([0-9a-f]{8})"\}$/
/** A seal is not longer. */
const LONGEST_SEAL = 60

/** The seal of a line (without its line feed); null for a line without a check sum. */
export function readSeal(text: string): ReadSeal | null {
  const from = Math.max(0, text.length - LONGEST_SEAL)
  const match = SEAL.exec(text.slice(from))
  if (match === null) return null
  const [, line = '', sum = ''] = match
  const seal = { line: Number(line), sum: Number.parseInt(sum, 16) }
  return {
    json: `${text.slice(0, from + match.index)}}`,
    seal,
    fits: ({ sum: before }) => crc32(Buffer.from(text.slice(0, -SUM_DIGITS - END.length + 1)), before) === seal.sum,
  }
}

function hex(sum: number): string {
  return sum.toString(16).padStart(SUM_DIGITS, '0')
}

/** Compares the lines of a journal with their check sums, one after the other. */
export interface LineCheck {
  /** The JSON text of a line, without number and sum. @throws RunError for a change that is not accepted */
  open(text: string, number: number): string
  /** The seal that the next line continues. */
  seal(): Seal
}

/**
 * Finds lines that were changed, removed, inserted or moved. After a changed line its stored sum counts, so every change is found once
 * and at its place.
 *
 * @param begin see `firstSeal`
 */
export function createLineCheck(name: string, begin: Seal, edits: Edits): LineCheck {
  let last = begin
  // After a gap the sum is unknown.
  let isKnown = true
  let unsealed = 0
  const missing = (from: number, to: number): void =>
    edits.found(from === to ? `${name} lacks line ${from}` : `${name} lacks lines ${from} to ${to}`)
  return {
    open: (text, number) => {
      const read = readSeal(text)
      if (read === null) {
        edits.found(`${name} line ${number} carries no check sum`)
        // It may have been inserted, or may replace another line.
        unsealed += 1
        isKnown = false
        return text
      }
      const { json, seal, fits } = read
      if (seal.line < last.line + 1) {
        edits.found(`${name} line ${number} appears a second time, or not in its place`)
        return json
      }
      if (seal.line > last.line + 1) {
        if (seal.line > last.line + 1 + unsealed) missing(last.line + 1 + unsealed, seal.line - 1)
        isKnown = false
      }
      if (isKnown && !fits(last)) edits.found(`${name} line ${number} is not as it was written`)
      last = seal
      isKnown = true
      unsealed = 0
      return json
    },
    seal: () => last,
  }
}

/** The check for a journal of a version without check sums. */
export function createNoCheck(): LineCheck {
  return { open: (text) => text, seal: () => ({ line: 0, sum: 0 }) }
}
