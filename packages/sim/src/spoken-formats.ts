import type { Format } from '@callspec/core'
import { FORMATS } from '@callspec/core'
import { formats } from '@callspec/core/qwen-agent'

/**
 * How a reply writes a call: with marks before its name and arguments, between tags, in words at the beginning of
 * lines, as the number of a state, or next to the text.
 */
export type Manner = (typeof MANNERS)[number]

/** Each `Manner`. */
export const MANNERS = ['marked', 'tagged', 'worded', 'stated', 'native'] as const

/**
 * The formats with words of their own, one of each manner, by the names under which runs write them down; those of the last
 * two are written down once more because the two sides share nothing.
 */
export const SPOKEN: Readonly<Record<Manner, SimFormat>> = {
  marked: recordedName(formats.qwen),
  tagged: recordedName(formats.nous),
  worded: recordedName(formats.react),
  stated: 'role-react',
  native: 'native',
}

/** The same as a list. */
export const SPOKEN_FORMATS: readonly SimFormat[] = MANNERS.map((manner) => SPOKEN[manner])

function recordedName({ id, recordedAs = id }: Format): SimFormat {
  return recordedAs
}

let known: readonly Format[] = FORMATS.filter(({ id, prompt }) => prompt !== null && !Object.hasOwn(formats, id))

/**
 * The formats that are spoken as core writes them: all with a prompt, except those of the manners above, and those that
 * a user added. A new list after each addition.
 */
export function simFormats(): readonly Format[] {
  return known
}

/** Teaches every simulated model of this process a format, in place of the one that had its id. */
export function addSimFormat(format: Format): void {
  if (!known.includes(format)) known = [...known.filter(({ id }) => id !== format.id), format]
}

/** The format that `format@version` names; null for the name of a format. Their prompts begin alike, so one is known where it is expected. */
export function versionNamed(name: SimFormat): Format | null {
  const at = name.indexOf('@')
  return (
    (at < 0 ? undefined : FORMATS.find(({ id }) => id === name.slice(0, at))?.inVersion?.(name.slice(at + 1))) ?? null
  )
}

/** The formats that simulated models speak. */
export function simFormatNames(): readonly SimFormat[] {
  return [...SPOKEN_FORMATS, ...known.map(({ id }) => id)]
}

/** The name of a format in run folders; one of `simFormatNames()`. */
export type SimFormat = string

/** Whether a format is spoken as core writes it. */
export function isSpokenFormat(name: SimFormat): boolean {
  return known.some(({ id }) => id === name)
}
