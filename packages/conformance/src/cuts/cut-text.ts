import { pyIndex } from '@callspec/python'

/** How a reply may come in pieces: whole, at the markers of its format, token by token, or in groups of tokens. */
export type CutName = 'whole' | 'special' | 'tokens' | `groups-${1 | 2 | 3 | 4 | 5}`

/** All cuts, in the order in which they are run. */
export const CUT_NAMES: readonly CutName[] = [
  ...(['whole', 'special', 'tokens'] as const),
  ...(['groups-1', 'groups-2', 'groups-3', 'groups-4', 'groups-5'] as const),
]

/** What is known of the tokens of a text. */
export interface CutTokens {
  /** Texts that are one token each. */
  readonly markers: readonly string[]
  /** Ranges `[start, end)` of the text in which they are none, in characters (code points). */
  readonly plain?: readonly (readonly [start: number, end: number])[]
}

/** So many tokens are in a group at most, as with speculation of 7. */
const LARGEST_GROUP = 8

/** The pieces of a text; their concatenation is the text. Groups of 1 to 8 tokens depend on their number and the text alone. */
export function cutText(text: string, cut: CutName, known: CutTokens): readonly string[] {
  if (cut === 'whole') return text === '' ? [] : [text]
  const pieces = atMarkers(text, known)
  if (cut === 'special') return pieces.map(({ text: piece }) => piece)
  const tokens = pieces.flatMap(({ text: piece, isMarker }) => (isMarker ? [piece] : (piece.match(PLAIN) ?? [])))
  return cut === 'tokens' ? tokens : grouped(tokens, Number(cut.slice('groups-'.length)))
}

/** Words with the blank before them, digits one by one, blanks, signs: near to what vocabularies have. */
const PLAIN = / ?\p{L}{1,8}|\p{N}|\s+|[^\p{L}\p{N}\s]/gu

interface Piece {
  readonly text: string
  readonly isMarker: boolean
}

function atMarkers(text: string, { markers, plain = [] }: CutTokens): readonly Piece[] {
  // The longest first: a marker may begin as another one does.
  const longest = markers.filter((marker) => marker !== '').toSorted((one, other) => other.length - one.length)
  if (longest.length === 0) return text === '' ? [] : [{ text, isMarker: false }]
  const pattern = new RegExp(longest.map((marker) => marker.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')).join('|'), 'g')
  const pieces: Piece[] = []
  let end = 0
  const add = (piece: string, isMarker: boolean): void => {
    if (piece !== '') pieces.push({ text: piece, isMarker })
  }
  for (const { index, 0: marker } of text.matchAll(pattern)) {
    const start = plain.length === 0 ? 0 : pyIndex(text, index)
    if (plain.some(([from, to]) => from <= start && start < to)) continue
    add(text.slice(end, index), false)
    add(marker, true)
    end = index + marker.length
  }
  add(text.slice(end), false)
  return pieces
}

function grouped(tokens: readonly string[], seed: number): readonly string[] {
  const draw = drawnFrom(seed)
  const groups: string[] = []
  for (let at = 0; at < tokens.length;) {
    const size = 1 + Math.floor(draw() * LARGEST_GROUP)
    groups.push(tokens.slice(at, at + size).join(''))
    at += size
  }
  return groups
}

/** Numbers from 0 to 1, the same for a seed on every machine. */
function drawnFrom(seed: number): () => number {
  let state = Math.imul(seed, 0x9e3779b9) >>> 0
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}
