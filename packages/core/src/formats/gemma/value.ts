import { afterSpace, beforeSpace } from '../../grammar/edges.ts'
import { dumps } from '@callspec/python'

/** What may stand next in a value. */
type Wanted = 'value' | 'value or end' | 'key' | 'key or end' | 'colon' | 'comma or end'

/** How far a value has been turned into JSON. */
interface Progress {
  json: string
  wanted: Wanted
  /** The brackets that are open. */
  readonly open: ('{' | '[')[]
}

/**
 * The JSON of a value as the models of the family write it; null for what is none. One pass over its pieces, without
 * recursion: nothing says how deep a model nests.
 *
 *   > {tags:[<|"|>a<|"|>,1],n:null}   is   {"tags": ["a", 1], "n": null}
 */
export function jsonOfValue(text: string, quote: string): string | null {
  const progress: Progress = { json: '', wanted: 'value', open: [] }
  for (const piece of piecesOf(text, quote)) if (!takes(progress, piece)) return null
  return progress.open.length === 0 && progress.wanted === 'comma or end' ? progress.json : null
}

/** A string without its quotes, a sign, or what stands between those. */
interface Piece {
  readonly kind: 'string' | 'sign' | 'word'
  readonly text: string
}

const SIGNS = '{}[],:'

function* piecesOf(text: string, quote: string): Generator<Piece> {
  let at = afterSpace(text)
  while (at < text.length) {
    const sign = text[at] ?? ''
    if (text.startsWith(quote, at)) {
      const close = text.indexOf(quote, at + quote.length)
      const end = close < 0 ? text.length : close
      yield { kind: close < 0 ? 'word' : 'string', text: text.slice(at + quote.length, end) }
      at = end + quote.length
    } else if (SIGNS.includes(sign)) {
      yield { kind: 'sign', text: sign }
      at += 1
    } else {
      const start = at
      while (at < text.length && !SIGNS.includes(text[at] ?? '') && !text.startsWith(quote, at)) at++
      const word = text.slice(start, at)
      yield { kind: 'word', text: word.slice(0, beforeSpace(word)) }
    }
    at = afterSpace(text, at)
  }
}

/** Whether the piece may stand there. */
function takes(progress: Progress, piece: Piece): boolean {
  const { wanted } = progress
  if (piece.kind === 'sign') return takesSign(progress, piece.text)
  switch (wanted) {
    case 'key':
    case 'key or end':
      progress.json += dumps(piece.text)
      progress.wanted = 'colon'
      return true
    case 'value':
    case 'value or end': {
      const json = piece.kind === 'string' ? dumps(piece.text) : scalarOf(piece.text)
      progress.json += json ?? ''
      progress.wanted = 'comma or end'
      return json !== null
    }
    default:
      return false
  }
}

function takesSign(progress: Progress, sign: string): boolean {
  const { wanted, open } = progress
  const isValue = wanted === 'value' || wanted === 'value or end'
  switch (sign) {
    case '{':
    case '[':
      open.push(sign)
      progress.json += sign
      progress.wanted = sign === '{' ? 'key or end' : 'value or end'
      return isValue
    case '}':
    case ']': {
      const isOpen = open.pop() === (sign === '}' ? '{' : '[')
      progress.json += sign
      progress.wanted = 'comma or end'
      return isOpen && wanted.endsWith('or end')
    }
    case ',':
      progress.json += ', '
      progress.wanted = open.at(-1) === '{' ? 'key' : 'value'
      return wanted === 'comma or end' && open.length > 0
    default:
      // A key may be empty.
      if (wanted !== 'colon') progress.json += '""'
      progress.json += ': '
      progress.wanted = 'value'
      return wanted === 'colon' || wanted.startsWith('key')
  }
}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/** The older template shows null as Python's `None`, and so models write it. */
function scalarOf(word: string): string | null {
  if (word === 'true' || word === 'false') return word
  if (word.length === 4 && /^(?:null|none)$/i.test(word)) return 'null'
  if (!NUMBER.test(word)) return null
  // 1e999 is Infinity to every reader, and no JSON has that.
  return !/[.eE]/.test(word) || Number.isFinite(Number(word)) ? word : null
}
