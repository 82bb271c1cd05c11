import fc from 'fast-check'

import { markersOf } from '../language.ts'
import type { Language } from '../language.ts'
import { BLANKS, ODDITIES, RUINS, WORDS } from './words.ts'

/** All texts of a language that mean something, and their beginnings. */
export function hotPieces(language: Language): readonly string[] {
  const { stopWords, partialStopWords, others, call } = language
  const markers = markersOf(language)
  const spelled =
    call === null ? [] : [call.beforeName, call.betweenNameAndArguments, call.afterArguments, ...spelledCalls(language)]
  const near = markers.flatMap((marker) => [
    marker.slice(0, -1),
    marker.slice(1),
    marker.toLowerCase(),
    marker.slice(0, marker.length >> 1),
  ])
  return [...new Set([...markers, ...stopWords, ...partialStopWords, ...others, ...spelled, ...near])].filter(
    (piece) => piece !== '',
  )
}

function spelledCalls({ call }: Language): readonly string[] {
  if (call === null) return []
  const { beforeName, betweenNameAndArguments, afterArguments } = call
  return [
    `${beforeName}clock${betweenNameAndArguments}{"zone": "UTC"}${afterArguments}`,
    `${beforeName}f${betweenNameAndArguments}`,
    `${betweenNameAndArguments}{"a": 1}${afterArguments}`,
  ]
}

/** A call around each of the ruins: as its whole inside, and as its arguments. */
function shells({ callStart, callInner, callEnd, call }: Language): readonly string[] {
  const [end = ''] = callEnd
  return RUINS.flatMap((ruin) => [
    ...callStart.map((start) => `${start}${ruin}${callInner[0] ?? ''}${end}`),
    ...callStart.flatMap((start) => callInner.map((inner) => `${start} f${inner} ${ruin}${end}`)),
    ...(call === null ? [] : [`${call.beforeName}f${call.betweenNameAndArguments}${ruin}${call.afterArguments}`]),
  ])
}

/** A soup of markers, their beginnings, JSON and its ruins, words, white space and oddities: `maxPieces` of them. */
export function markerSoup(language: Language, maxPieces = 14): fc.Arbitrary<string> {
  const hot = hotPieces(language)
  // Every kind of piece is as likely as its weight says, however many there are of it.
  const pieces = [
    ...weighted(hot, 500),
    ...weighted(shells(language), 180),
    ...weighted(RUINS, 200),
    ...weighted(WORDS, 80),
    ...weighted(BLANKS, 100),
    ...weighted(ODDITIES, 20),
  ]
  return fc.array(fc.constantFrom(...pieces), { maxLength: maxPieces }).map((parts) => parts.join(''))
}

function weighted(pieces: readonly string[], weight: number): readonly string[] {
  return pieces.length === 0 ? [] : Array.from({ length: weight }, (_, index) => pieces[index % pieces.length] ?? '')
}

/** One change of a text: at a part of its length, on a few characters. */
export interface Change {
  readonly kind: 'delete' | 'insert' | 'replace' | 'double' | 'truncate'
  /** In parts of 65 536. */
  readonly at: number
  readonly length: number
  readonly piece: string
}

/** One or two changes that make a well-formed text a near miss. */
export function changes(language: Language): fc.Arbitrary<readonly Change[]> {
  const change = fc.record({
    kind: fc.constantFrom(
      'delete' as const,
      'insert' as const,
      'replace' as const,
      'double' as const,
      'truncate' as const,
    ),
    at: fc.nat(1 << 16),
    length: fc.integer({ min: 1, max: 12 }),
    piece: fc.constantFrom(...hotPieces(language), ...RUINS, ...BLANKS, ...ODDITIES),
  })
  return fc.array(change, { minLength: 1, maxLength: 2 })
}

/** The text with the changes made, one after the other. */
export function changed(text: string, made: readonly Change[]): string {
  let now = text
  for (const { kind, at, length, piece } of made) {
    const start = Math.round((at / (1 << 16)) * now.length)
    const end = Math.min(now.length, start + length)
    now = applied(now, { kind, start, end, piece })
  }
  return now
}

function applied(
  text: string,
  { kind, start, end, piece }: { kind: Change['kind']; start: number; end: number; piece: string },
): string {
  switch (kind) {
    case 'delete':
      return text.slice(0, start) + text.slice(end)
    case 'insert':
      return text.slice(0, start) + piece + text.slice(start)
    case 'replace':
      return text.slice(0, start) + piece + text.slice(end)
    case 'double':
      return text.slice(0, end) + text.slice(start)
    default:
      return text.slice(0, start)
  }
}
