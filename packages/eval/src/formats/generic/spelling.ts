import type { Format } from '@callspec/core'
import type { Repair } from '../../reading/call-block.ts'
import { oncePerFormat } from './read-format.ts'

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
  const all = [...markers.callStart, ...markers.callInner, ...markers.callEnd, ...markers.others].filter(isSignMarker)
  const longestFirst = all.toSorted((one, other) => other.length - one.length)
  return {
    exact: new Set(all),
    framed: new Map(all.filter((marker) => FRAMED.test(marker)).map((marker) => [spellingKey(marker), marker])),
    inCase: new Map(all.map((marker) => [marker.toLowerCase(), marker])),
    pattern: new RegExp(all.length === 0 ? '(?!)' : longestFirst.map(markerPattern).join('|'), 'giu'),
  }
})

function withSigns({ exact, framed, inCase, pattern }: Spellings, given: string): RepairedText {
  const repairs = new Set<Repair>()
  const text = given.replaceAll(pattern, (found) => {
    const meant = framed.get(spellingKey(found)) ?? (exact.has(found) ? found : inCase.get(found.toLowerCase()))
    if (meant === undefined || meant === found) return found
    for (const repair of signRepairs(found, meant)) repairs.add(repair)
    return meant
  })
  return { text, repairs: [...repairs] }
}

/** Long enough to be recognised in any case; keywords are recognised by their position. */
function isSignMarker(marker: string): boolean {
  return /[a-z]{3}/i.test(marker) && !/^\n[A-Za-z]/.test(marker)
}

function markerPattern(marker: string): string {
  const [, open = '', word = '', close = ''] = FRAMED.exec(marker) ?? []
  return word === '' ? asPattern(marker) : `${asPattern(open)}[ \\t]*${word}[ \\t]*${asPattern(close)}[ \\t]*[:：]?`
}

/** A spelling without blanks and the colon after it. */
function spellingKey(marker: string): string {
  return marker
    .toLowerCase()
    .replaceAll(/[ \t]/g, '')
    .replace(/[:：]$/, '')
}

function signRepairs(found: string, meant: string): readonly Repair[] {
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
  const inner = markers.callEnd.length === 0 ? markers.callInner.filter(isSignMarker) : []
  const signs = [...markers.callStart, ...inner].filter((marker) => !marker.startsWith('\n')).map(beginningOf)
  const keywords = markers.callStart.filter((marker) => marker.startsWith('\n')).map(asPattern)
  const all = [...signs.map(inAnyCase), ...keywords]
  return new RegExp(all.length === 0 ? '(?!)' : all.join('|'), 'u')
}

function beginningOf(marker: string): string {
  const [, open = '', word = ''] = FRAMED.exec(marker) ?? []
  if (word !== '') return `${asPattern(open)}[ \\t]*${word}`
  if (/^\w+$/.test(marker)) return `${marker}\\s{0,4}[\\[{]`
  // A tag may have attributes.
  if (/^<[\w:]+>$/.test(marker)) return `${asPattern(marker.slice(0, -1))}[\\s>]`
  const begun = marker.replace(/[>\]|｜]+$/u, '')
  return asPattern(begun === '' ? marker : begun)
}

/** The pattern for both cases of its letters; those of an escape have one. */
function inAnyCase(pattern: string): string {
  return pattern.replaceAll(/\\.|[a-z]/gi, (sign) =>
    sign.startsWith('\\') ? sign : `[${sign.toLowerCase()}${sign.toUpperCase()}]`,
  )
}

/** A text as a pattern that is that text. */
export function asPattern(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, (sign) => `\\${sign}`)
}

/** A text with repairs made, so that the format's own reader can read it. */
export interface RepairedText {
  readonly text: string
  readonly repairs: readonly Repair[]
}

/**
 * Puts the keywords of a call on lines of their own, in the words of the format: the last that begins arguments, and the last
 * before it that begins a call. Text after a result is ignored: a host acts on the text before it.
 */
export function withKeywords({ markers, stops }: Format, given: string): RepairedText {
  const [start, inner] = [markers.callStart.find(isKeyword), markers.callInner.find(isKeyword)]
  if (start === undefined || inner === undefined) return { text: given, repairs: [] }
  const words = (marker: string): readonly string[] => [wordOf(marker), ...(markers.alsoWritten?.[marker] ?? [])]
  const head = given.slice(0, endOfHead(given, stops.words))
  const input = lastKeyword(head, words(inner))
  const action = input === null ? null : lastKeyword(head.slice(0, input.at), words(start))
  if (input === null || action === null) return { text: given, repairs: [] }
  const text = [
    onLine(given.slice(0, action.at), start),
    onLine(given.slice(action.at + action.text.length, input.at), inner),
    given.slice(input.at + input.text.length),
  ].join('')
  if (text === given) return { text, repairs: [] }
  const repairs = [...keywordRepairs(given, action, start), ...keywordRepairs(given, input, inner)]
  return { text, repairs: [...new Set(repairs)] }
}

/** A marker that is words at the beginning of a line. */
function isKeyword(marker: string): boolean {
  return /^\n[A-Za-z][A-Za-z ]*:$/.test(marker)
}

function wordOf(marker: string): string {
  return marker.slice(1, -1)
}

function endOfHead(text: string, stopWords: readonly string[]): number {
  const places = stopWords.map((word) => text.indexOf(`\n${word}`)).filter((at) => at >= 0)
  return places.length === 0 ? text.length : Math.min(...places)
}

interface WrittenKeyword {
  readonly at: number
  readonly text: string
}

function lastKeyword(text: string, words: readonly string[]): WrittenKeyword | null {
  const spellings = words.map((word) => word.replaceAll(' ', () => '[ _]')).join('|')
  const last = [...text.matchAll(new RegExp(`[*_]{0,2}(?:${spellings})[ \\t]*[*_]{0,2}[:：][*_]{0,2}`, 'giu'))].at(-1)
  return last === undefined ? null : { at: last.index, text: last[0] }
}

function onLine(before: string, marker: string): string {
  return before.endsWith('\n') ? before + marker.slice(1) : before + marker
}

function keywordRepairs(text: string, { at, text: written }: WrittenKeyword, marker: string): readonly Repair[] {
  // Models that write Markdown make keywords bold.
  const bare = written.replaceAll(/^[*_]+|[*_]+$/g, '')
  const word = bare.replace(/[ \t]*[*_]*[:：]$/, '')
  const isTranslated = word.replaceAll('_', ' ').toLowerCase() !== wordOf(marker).toLowerCase()
  const repairs: Repair[] = []
  if (at === 0 || text[at - 1] !== '\n') repairs.push('action-line')
  if (isTranslated) repairs.push('localised-keyword')
  else if (word !== wordOf(marker) || /[*_]{2}/.test(written)) repairs.push('keyword-case')
  if (bare.endsWith('：')) repairs.push('full-width')
  return repairs
}
