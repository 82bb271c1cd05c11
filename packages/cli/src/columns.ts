import { eastAsianWidth } from 'get-east-asian-width'
import type { Output } from './output.ts'

/** Texts of letters and signs that take one column each, which most are: what tells other ones apart takes 30 ms to make ready. */
const NARROW = /^[ -~\u00A1-\u00A8\u00AA-\u00AC\u00AF-\u02FF\u0370-\u0373\u0391-\u03A1\u03A3-\u03FF\u0410-\u044F\u2010-\u2027\u2190-\u2193\u2260-\u2265\u2500-\u257F]*$/ // prettier-ignore

/**
 * Columns that one line of `inert` text takes on a terminal. A character of several code points, such as a syllable of Hangul or an emoji,
 * is as wide as its first visible code point (UAX 11, no East Asian context); an emoji takes two.
 */
export function displayWidth(text: string): number {
  if (NARROW.test(text)) return text.length
  let width = 0
  for (const { segment } of graphemesOf(text)) width += graphemeWidth(segment)
  return width
}

let segmenter: Intl.Segmenter | null = null

function graphemesOf(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter()
  return segmenter.segment(text)
}

/** Cuts the text to `columns` columns. `…` replaces its middle, because names and paths often differ at their ends. */
export function fitColumns(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text
  const characters = Array.from(graphemesOf(text), ({ segment }) => segment)
  const head = fittingPrefix(characters, Math.ceil((columns - 1) / 2))
  const tail = fittingPrefix(characters.toReversed(), columns - 1 - displayWidth(head.join('')))
  return `${head.join('')}…${tail.toReversed().join('')}`
}

function fittingPrefix(characters: readonly string[], columns: number): readonly string[] {
  let width = 0
  const end = characters.findIndex((character) => (width += displayWidth(character)) > columns)
  return characters.slice(0, Math.max(0, end))
}

function graphemeWidth(grapheme: string): number {
  const [first, ...rest] = Array.from(grapheme).filter(isSeen)
  if (first === undefined) return 0
  if (isEmojiOfSeveral(grapheme)) return 2
  return rest.filter(standsBehind).reduce((sum, character) => sum + characterWidth(character), characterWidth(first))
}

function characterWidth(character: string): number {
  return eastAsianWidth(character.codePointAt(0) ?? 0)
}

/** Marks, controls and joiners take no column; lone surrogates are not shown. */
function isSeen(character: string): boolean {
  return !/[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\p{Mn}\p{Me}\p{Cs}]/u.test(character)
}

/** Marks that follow their character and take a column: vowels of Indian scripts, voice marks of half-width kana. */
function standsBehind(character: string): boolean {
  return /[\p{Mc}\uFF00-\uFFEF]/u.test(character)
}

/** An emoji, key, flag or skin colour of several code points. An emoji of one code point is wide by itself. */
function isEmojiOfSeveral(grapheme: string): boolean {
  if (grapheme.length === 1) return false
  return /^(?:\p{Emoji}\uFE0F|[\d#*]\u20E3|\p{RI}{2}|\p{Emoji_Modifier_Base}\p{Emoji_Modifier}|\p{ExtPict}\p{M}*\u200D\p{ExtPict})/u.test(grapheme) // prettier-ignore
}

type Width = Pick<Output, 'wrapAt'>

const INDENT = '    '

/** Items after a label, separated by commas, over as many lines as they need. */
export function wrapItems(label: string, items: readonly string[], { wrapAt }: Width): readonly string[] {
  const lines: string[] = []
  let line = label
  for (const [index, item] of items.entries()) {
    const text = index < items.length - 1 ? `${item},` : item
    const isFirst = line === label || line === INDENT
    if (!isFirst && displayWidth(line) + 1 + displayWidth(text) > wrapAt) {
      lines.push(line)
      line = `${INDENT}${text}`
    } else line += isFirst ? text : ` ${text}`
  }
  return [...lines, line]
}

/** A sentence over as many lines as it needs. */
export function wrapWords(text: string, width: Width): readonly string[] {
  return wrapHanging(text, 0, width)
}

/** The same with `indent` spaces before every line. Breaks at spaces and visible signs of them; a longer word or path stays whole. */
export function wrapHanging(text: string, indent: number, { wrapAt }: Width): readonly string[] {
  const lines: string[] = []
  let [line, width] = ['', indent]
  for (const word of text.split(/(?<=[ ␣⏎])/)) {
    const own = displayWidth(word)
    if (line !== '' && width + (word.endsWith(' ') ? own - 1 : own) > wrapAt) {
      lines.push(line.replace(/ $/, ''))
      ;[line, width] = ['', indent]
    }
    line += word
    width += own
  }
  return [...lines, line].map((each) => ' '.repeat(indent) + each)
}
