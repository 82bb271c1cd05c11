import type { Format } from '@callspec/core'
import type { Repair } from '../../reading/call-block.ts'
import { withKeywords } from './keywords.ts'
import { oncePerFormat } from './read-format.ts'
import type { RepairedText } from './repaired-text.ts'

/** Rewrites markers to the spelling that the format's reader expects. Case, blanks and colons may differ. */
export function withSpelling(format: Format, given: string): RepairedText {
  const signs = withSigns(spellingsOf(format), given)
  const words = withKeywords(format, signs.text)
  return { text: words.text, repairs: [...signs.repairs, ...words.repairs] }
}

/** A marker of the kind `✿FUNCTION✿:`, around whose word and before whose colon models put blanks. */
const FRAMED = /^([^\w\s<>[\]]+)(\w+)([^\w\s<>[\]:]+):$/u

/** How the markers of a format may be written. */
interface Spellings {
  readonly exact: ReadonlySet<string>
  readonly framed: ReadonlyMap<string, string>
  readonly inCase: ReadonlyMap<string, string>
  readonly pattern: RegExp
}

const spellingsOf: (format: Format) => Spellings = oncePerFormat(({ markers }) => {
  const all = [...markers.callStart, ...markers.callInner, ...markers.callEnd, ...markers.others].filter(isSign)
  const longestFirst = all.toSorted((one, other) => other.length - one.length)
  return {
    exact: new Set(all),
    framed: new Map(all.filter((marker) => FRAMED.test(marker)).map((marker) => [keyOf(marker), marker])),
    inCase: new Map(all.map((marker) => [marker.toLowerCase(), marker])),
    pattern: new RegExp(all.length === 0 ? '(?!)' : longestFirst.map(patternOf).join('|'), 'giu'),
  }
})

function withSigns({ exact, framed, inCase, pattern }: Spellings, given: string): RepairedText {
  const repairs = new Set<Repair>()
  const text = given.replaceAll(pattern, (found) => {
    const meant = framed.get(keyOf(found)) ?? (exact.has(found) ? found : inCase.get(found.toLowerCase()))
    if (meant === undefined || meant === found) return found
    for (const repair of repairsOf(found, meant)) repairs.add(repair)
    return meant
  })
  return { text, repairs: [...repairs] }
}

/** Long enough to be recognised in any case; keywords are recognised by their position. */
function isSign(marker: string): boolean {
  return /[a-z]{3}/i.test(marker) && !/^\n[A-Za-z]/.test(marker)
}

function patternOf(marker: string): string {
  const [, open = '', word = '', close = ''] = FRAMED.exec(marker) ?? []
  return word === '' ? escaped(marker) : `${escaped(open)}[ \\t]*${word}[ \\t]*${escaped(close)}[ \\t]*[:：]?`
}

/** A spelling without blanks and the colon after it. */
function keyOf(marker: string): string {
  return marker
    .toLowerCase()
    .replaceAll(/[ \t]/g, '')
    .replace(/[:：]$/, '')
}

function repairsOf(found: string, meant: string): readonly Repair[] {
  const isColoned = /[:：]$/.test(found)
  const bare = (marker: string): string => marker.replace(/[ \t]*[:：]$/, '')
  const isOther = bare(found) !== bare(meant) || /[ \t][:：]$/.test(found)
  return [
    ...(found.endsWith('：') ? (['full-width'] as const) : []),
    ...(isOther ? (['tag-case'] as const) : []),
    ...(meant.endsWith(':') && !isColoned ? (['missing-colon'] as const) : []),
  ]
}

/**
 * Whether a text contains the start of a call, in any spelling, whole or partial: then a call is meant, though no reader may see
 * one. A keyword counts as it is written, and a word that prose has as well only before a bracket.
 */
export function callMeant({ markers }: Format): RegExp {
  const inner = markers.callEnd.length === 0 ? markers.callInner.filter(isSign) : []
  const signs = [...markers.callStart, ...inner].filter((marker) => !marker.startsWith('\n')).map(beginningOf)
  const keywords = markers.callStart.filter((marker) => marker.startsWith('\n')).map(escaped)
  const all = [...signs.map(inAnyCase), ...keywords]
  return new RegExp(all.length === 0 ? '(?!)' : all.join('|'), 'u')
}

function beginningOf(marker: string): string {
  const [, open = '', word = ''] = FRAMED.exec(marker) ?? []
  if (word !== '') return `${escaped(open)}[ \\t]*${word}`
  if (/^\w+$/.test(marker)) return `${marker}\\s{0,4}[\\[{]`
  // A tag may have attributes.
  if (/^<[\w:]+>$/.test(marker)) return `${escaped(marker.slice(0, -1))}[\\s>]`
  const begun = marker.replace(/[>\]|｜]+$/u, '')
  return escaped(begun === '' ? marker : begun)
}

/** The pattern for both cases of its letters; those of an escape have one. */
function inAnyCase(pattern: string): string {
  return pattern.replaceAll(/\\.|[a-z]/gi, (sign) =>
    sign.startsWith('\\') ? sign : `[${sign.toLowerCase()}${sign.toUpperCase()}]`,
  )
}

/** A text as a pattern that is that text. */
export function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, (sign) => `\\${sign}`)
}
