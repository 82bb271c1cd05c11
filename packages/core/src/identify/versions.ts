import type { Format } from '../format/format.ts'
import { strip } from '@callspec/python'
import type { ReplyItem } from '../reply/item.ts'
import { callsOf } from '../reply/item.ts'
import type { ReadOptions } from '../reply/reader.ts'

/** The version by which a format reads where none is named: `strict` where it has that, else its default. */
export function versionFor({ readVersions, versions }: Format): string {
  const known = readVersions ?? versions
  return known.includes(STRICT) ? STRICT : (known[0] ?? STRICT)
}

const STRICT = 'strict'

/** How a version of a format's reference reads a reply differently. */
export interface OtherReading {
  readonly version: string
  readonly calls: number
  /** Whether these are the same calls, so that only texts or thoughts differ. */
  readonly sameCalls: boolean
  /** The exception that it raises; null for none. */
  readonly error: string | null
}

/** The versions of a format that read a reply differently than `version`: other calls, texts or thoughts. */
export function otherReadings(
  format: Format,
  text: string,
  { version = versionFor(format), ...options }: ReadOptions = {},
): readonly OtherReading[] {
  const own = format.read(text, { ...options, version })
  const others = (format.readVersions ?? format.versions).filter((name) => name !== version)
  return others.flatMap((name) => {
    const { items, error } = format.read(text, { ...options, version: name })
    if (error === null && own.error === null && hasSameItems(items, own.items)) return []
    if (error !== null && own.error !== null) return []
    const [calls, owns] = [callsOf(items), callsOf(own.items)]
    const sameCalls = calls.length === owns.length && calls.every((call, index) => isSameItem(call, owns[index]))
    return [{ version: name, calls: calls.length, sameCalls, error: error?.type ?? null }]
  })
}

/** Whether two readings have the same items: texts up to the white space around them, calls to the letter. */
export function hasSameItems(one: readonly ReplyItem[], other: readonly ReplyItem[]): boolean {
  const [items, others] = [withoutBlanks(one), withoutBlanks(other)]
  return items.length === others.length && items.every((item, index) => isSameItem(item, others[index]))
}

function withoutBlanks(items: readonly ReplyItem[]): readonly ReplyItem[] {
  return items.filter((item) => item.kind === 'call' || (item.kind !== 'issue' && strip(item.text) !== ''))
}

function isSameItem(one: ReplyItem, other: ReplyItem | undefined): boolean {
  if (one.kind === 'call')
    return other?.kind === 'call' && one.name === other.name && one.id === other.id && one.arguments === other.arguments
  if (one.kind === 'issue' || other === undefined || other.kind === 'issue' || other.kind === 'call') return false
  return one.kind === other.kind && strip(one.text) === strip(other.text)
}
