import type { Format } from '@callspec/core'
import type { Repair } from '../../reading/call-block.ts'
import type { RepairedText } from './repaired-text.ts'

/**
 * Puts the keywords of a call on lines of their own, in the words of the format: the last that begins arguments, and the last
 * before it that begins a call. Text after a result is ignored: a host acts on the text before it.
 */
export function withKeywords({ markers, stops }: Format, given: string): RepairedText {
  const [start, inner] = [markers.callStart.find(isKeyword), markers.callInner.find(isKeyword)]
  if (start === undefined || inner === undefined) return { text: given, repairs: [] }
  const words = (marker: string): readonly string[] => [wordOf(marker), ...(markers.alsoWritten?.[marker] ?? [])]
  const head = given.slice(0, endOfHead(given, stops.words))
  const input = lastOf(head, words(inner))
  const action = input === null ? null : lastOf(head.slice(0, input.at), words(start))
  if (input === null || action === null) return { text: given, repairs: [] }
  const text = [
    onLine(given.slice(0, action.at), start),
    onLine(given.slice(action.at + action.text.length, input.at), inner),
    given.slice(input.at + input.text.length),
  ].join('')
  if (text === given) return { text, repairs: [] }
  const repairs = [...repairsOf(given, action, start), ...repairsOf(given, input, inner)]
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

/** A keyword as it was written. */
interface Written {
  readonly at: number
  readonly text: string
}

function lastOf(text: string, words: readonly string[]): Written | null {
  const spellings = words.map((word) => word.replaceAll(' ', () => '[ _]')).join('|')
  const last = [...text.matchAll(new RegExp(`[*_]{0,2}(?:${spellings})[ \\t]*[*_]{0,2}[:：][*_]{0,2}`, 'giu'))].at(-1)
  return last === undefined ? null : { at: last.index, text: last[0] }
}

function onLine(before: string, marker: string): string {
  return before.endsWith('\n') ? before + marker.slice(1) : before + marker
}

function repairsOf(text: string, { at, text: written }: Written, marker: string): readonly Repair[] {
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
