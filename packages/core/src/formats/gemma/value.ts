import { jsonNumber } from '../../grammar/values.ts'
import { afterSpace, beforeSpace, dumps, standardKind } from '@callspec/python'

/**
 * The JSON of a value as the models of the family write it; null for what is none. Its pieces are turned into those of JSON,
 * and whether they stand where they may is asked of the JSON that comes out: nothing says how deep a model nests.
 *
 *     {tags:[<|"|>a<|"|>,1],n:null}   is   {"tags": ["a", 1], "n": null}
 */
export function jsonOfValue(text: string, quote: string): string | null {
  const pieces = piecesOf(text, quote)
  if (pieces === null) return null
  const spelt = pieces.map((piece, index) =>
    jsonOfPiece(piece, { before: pieces[index - 1], after: pieces[index + 1] }),
  )
  if (spelt.includes(null)) return null
  const json = spelt.join('')
  return standardKind(json) === 'none' ? null : json
}

/** A string without its quotes, a sign, or what stands between those. */
interface Piece {
  readonly kind: 'string' | 'sign' | 'word'
  readonly text: string
}

/** Null where a string has no end. */
function piecesOf(text: string, quote: string): readonly Piece[] | null {
  const parts = text.split(quote)
  if (parts.length % 2 === 0) return null
  return parts.flatMap((part, index): readonly Piece[] => {
    if (index % 2 === 1) return [{ kind: 'string', text: part }]
    const words = part.match(SIGN_OR_WORD) ?? []
    return words.flatMap((each): readonly Piece[] => {
      const word = each.slice(afterSpace(each), beforeSpace(each))
      return word === '' ? [] : [{ kind: SIGNS.has(word) ? 'sign' : 'word', text: word }]
    })
  })
}

const SIGN_OR_WORD = /[{}[\],:]|[^{}[\],:]+/g
const SIGNS: ReadonlySet<string> = new Set('{}[],:')

interface Neighbours {
  readonly before: Piece | undefined
  readonly after: Piece | undefined
}

function jsonOfPiece({ kind, text }: Piece, { before, after }: Neighbours): string | null {
  if (kind === 'sign') {
    if (text !== ':') return text === ',' ? ', ' : text
    // A key may be empty.
    return isSign(before, '{') || isSign(before, ',') ? '"": ' : ': '
  }
  return kind === 'string' || isSign(after, ':') ? dumps(text) : scalarOf(text)
}

function isSign(piece: Piece | undefined, sign: string): boolean {
  return piece?.kind === 'sign' && piece.text === sign
}

/** The older template shows null as Python's `None`, and so models write it. */
function scalarOf(word: string): string | null {
  if (word === 'true' || word === 'false') return word
  if (word.length === 4 && /^(?:null|none)$/i.test(word)) return 'null'
  return jsonNumber(word)
}
