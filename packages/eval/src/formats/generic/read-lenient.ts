import { callsOf } from '@callspec/core'
import { isDict } from '@callspec/python'
import type { Format, ReplyItem } from '@callspec/core'
import type { Reading, Repair } from '../../reading/call-block.ts'
import { readLenientJson, readStrictJson } from '../../reading/lenient-json.ts'
import type { LenientValue } from '../../reading/lenient-json.ts'
import { readFormat } from './read-format.ts'
import type { ReadInput } from './read-format.ts'
import { errorsOf, readArguments, readStrict } from './read-strict.ts'
import { callRegions } from './regions.ts'
import { repaired } from './repair.ts'

/**
 * The calls of a reply under the named repairs of `REPAIRS`: as given where only arguments have to be read loosely, with
 * markers inside of strings as text, and else with the text put right. It is the format's reader that reads, each time.
 */
export function readLenient(format: Format, input: ReadInput): Reading {
  const asGiven = readQuoted(format, input, [])
  if (asGiven !== null) return asGiven
  const { text, repairs } = repaired(format, input.text)
  // What needed no repair has just been read.
  if (text === input.text && repairs.length === 0) return readStrict(format, input)
  return readQuoted(format, { ...input, text }, repairs) ?? readStrict(format, input)
}

/** As the reader has it, or else with markers inside of strings as text. */
function readQuoted(format: Format, input: ReadInput, made: readonly Repair[]): Reading | null {
  const read = readLoosely(format, input, made)
  if (read !== null || !quotesMarker(format, input)) return read
  return readLoosely(format, { ...input, version: STRICT }, [...made, 'quoted-marker'])
}

const STRICT = 'strict'

/** Whether a version that knows strings could distinguish a marker in a string from a marker of the format. */
function quotesMarker(format: Format, { text, version }: ReadInput): boolean {
  const { versions, markers } = format
  if ((version ?? versions[0]) === STRICT || !versions.includes(STRICT)) return false
  const marks = [...markers.callStart, ...markers.callEnd]
  return callRegions(format, text).some(({ body, bodyEnd }) => {
    const inside = text.slice(body, bodyEnd)
    return marks.some((mark) => inside.includes(mark))
  })
}

/** Null where calls are missing, or cannot be read. */
function readLoosely(format: Format, input: ReadInput, made: readonly Repair[]): Reading | null {
  const { items, error } = readFormat(format, input.text, input)
  const calls = callsOf(items)
  const errors = errorsOf(format, items)
  const isRepaired = made.length > 0
  if (error !== null || calls.length === 0) return null
  if (!errors.every(({ code }) => TOLERATED.has(code) || (isRepaired && code === JSON5_READ))) return null
  const read = readArguments(calls, readLoose)
  // Truncated arguments do not become complete because the reader dropped the text after their last bracket.
  if (read.repairs.includes('closing-bracket') && items.some(dropsText)) return null
  const seen = errors.flatMap(({ code }) => TOLERATED.get(code) ?? [])
  return read.calls === null ? null : { ...read, repairs: [...new Set([...made, ...seen, ...read.repairs])] }
}

function dropsText(item: ReplyItem): boolean {
  return item.kind === 'issue' && item.code === 'text-after-call-dropped'
}

/** The version's reader takes JSON5; what of it is no JSON has a name once the text was put right. */
const JSON5_READ = 'call-not-strict-json'

/** What is wrong with calls that are all there, and the repair of it where no reading of arguments names one. */
const TOLERATED: ReadonlyMap<string, readonly Repair[]> = new Map<string, readonly Repair[]>([
  ['arguments-not-json', []],
  ['arguments-not-object', []],
  ['call-without-arguments', ['empty-arguments']],
  ['argument-list', ['call-list']],
  ['marker-removed', ['trailing-text']],
  ['value-not-closed', ['close-tag']],
  ['thought-not-closed', ['close-tag']],
])

/** Arguments as data; what was encoded twice is decoded twice. */
function readLoose(text: string): LenientValue | null {
  if (text.trim() === '') return { value: new Map(), repairs: ['empty-arguments'] }
  const outer = readLenientJson(text)
  if (typeof outer?.value !== 'string') return outer
  const inner = readStrictJson(outer.value)
  return inner !== undefined && isDict(inner) ? { value: inner, repairs: [...outer.repairs, 'double-encoding'] } : outer
}
