import { formatNamed } from '@callspec/core'
import type { PyValue } from '@callspec/python'
import { isDict, isList, pyIndex } from '@callspec/python'
import { STRICT } from '../protocol/declaration.ts'
import type { Case } from './case.ts'

/** Which cuts are run, and which of them a user of the implementation can meet. */
export interface CutPlan {
  readonly cuts: readonly CutName[]
  /** As it declares them, `groups` for all five; absent where it does not say: then all count. */
  readonly met?: readonly string[]
}

/** The texts of cases of `parse` and `stream` as streams that are cut at tokens. A text that comes twice is cut once; other cases are left out. */
export async function* cutCases(cases: AsyncIterable<Case>, { cuts, met }: CutPlan): AsyncGenerator<Case> {
  const seen = new Set<string>()
  for await (const item of cases) {
    for (const name of cuts) {
      const cut = cutCase(item, name)
      if (cut === null) continue
      const key = JSON.stringify([item.format, item.profile, name, replyText(item)])
      if (seen.has(key)) continue
      seen.add(key)
      yield met === undefined || met.includes(familyOf(name)) ? cut : { ...cut, isSynthetic: true }
    }
  }
}

/** A case whose text arrives in these pieces; null where it has no text that a stream could bring. */
export function cutCase(item: Case, name: CutName): Case | null {
  const text = replyText(item)
  if (text === null) return null
  const chunks = cutText(text, name, {
    special: specialTokensOf(item),
    ...(item.plain ? { plain: item.plain } : {}),
  })
  const input = new Map([...item.input].filter(([key]) => key !== 'text')).set('chunks', [...chunks])
  return {
    ...item,
    op: 'stream',
    id: `${item.id} ~${name}`,
    input,
    expected: streamed(item),
    cutFrom: { id: item.id, cut: name },
  }
}

/**
 * Whether a case of `stream` cuts inside a special token, as no engine that decodes token by token does. Characters that only look like
 * one (`plain`) may be cut.
 */
export function isCutInToken(item: Case): boolean {
  const { op, input, plain } = item
  const chunks = input.get('chunks')
  const special = specialTokensOf(item)
  if (op !== 'stream' || special.length === 0 || !isList(chunks)) return false
  const texts = chunks.filter((chunk) => typeof chunk === 'string')
  const cuts = new Set<number>()
  let end = 0
  for (const chunk of texts) cuts.add((end += chunk.length))
  let at = 0
  return atSpecialTokens(texts.join(''), { special, ...(plain ? { plain } : {}) }).some(({ text, isToken }) => {
    const start = at
    at += text.length
    return isToken && Array.from(text.slice(1), (_, offset) => start + offset + 1).some((place) => cuts.has(place))
  })
}

/** The cut that the id of a case says, and the id without it; null for any other id. */
export function cutInId(id: string): { readonly id: string; readonly cut: CutName } | null {
  const at = id.lastIndexOf(' ~')
  const cut = CUT_NAMES.find((name) => name === id.slice(at + 2))
  return at < 0 || cut === undefined ? null : { id: id.slice(0, at), cut }
}

/** `groups` for each of the five. */
export function familyOf(name: CutName): string {
  return name.replace(/-\d$/, '')
}

function replyText({ op, input }: Case): string | null {
  const [text, chunks] = [input.get('text'), input.get('chunks')]
  if (op === 'parse') return typeof text === 'string' ? text : null
  const isWhole = op === 'stream' && isList(chunks) && chunks.every((chunk) => typeof chunk === 'string')
  return isWhole ? chunks.join('') : null
}

/** What is right at the end. After each piece nothing is asked: the pieces are others. */
function streamed({ op, expected }: Case): Case['expected'] {
  if (expected.kind !== 'returned' || !isDict(expected.value)) return expected
  if (op === 'stream') {
    const final = expected.value.get('final')
    return final === undefined ? expected : { kind: 'returned', value: new Map([['final', final]]) }
  }
  const all = expected.value.get('any_of')
  if (!isList(all)) return { kind: 'returned', value: new Map([['final', expected.value]]) }
  const value: PyValue = all.map((each) => (isDict(each) && each.has('error') ? each : new Map([['final', each]])))
  return { kind: 'returned', value: new Map([['any_of', value]]) }
}

/** The texts that are one token each for the models of a format, or of its version; none where that is not known. */
export function specialTokensOf({ format, profile }: Pick<Case, 'format' | 'profile'>): readonly string[] {
  const known = format === undefined ? null : (formatNamed(`${format}@${profile}`) ?? formatNamed(format))
  return known?.specialTokens?.tokens ?? []
}

/** How a reply may come in pieces: whole, at the special tokens of its models, token by token, or in groups of tokens. */
export type CutName = 'whole' | 'special' | 'tokens' | `groups-${1 | 2 | 3 | 4 | 5}`

/** All cuts, in the order in which they are run. */
export const CUT_NAMES: readonly CutName[] = [
  ...(['whole', 'special', 'tokens'] as const),
  ...(['groups-1', 'groups-2', 'groups-3', 'groups-4', 'groups-5'] as const),
]

export interface CutTokens {
  /** Texts that are one token each. */
  readonly special: readonly string[]
  /** Ranges `[start, end)` of the text in which they are ordinary characters; in code points. */
  readonly plain?: readonly (readonly [start: number, end: number])[]
}

/** So many tokens are in a group at most, as with speculation of 7. */
const LARGEST_GROUP = 8

/** The pieces of a text; their concatenation is the text. Groups of 1 to 8 tokens depend on their number and the text alone. */
export function cutText(text: string, cut: CutName, known: CutTokens): readonly string[] {
  if (cut === 'whole') return text === '' ? [] : [text]
  const pieces = atSpecialTokens(text, known)
  if (cut === 'special') return pieces.map(({ text: piece }) => piece)
  const tokens = pieces.flatMap(({ text: piece, isToken }) => (isToken ? [piece] : (piece.match(PLAIN_TOKENS) ?? [])))
  return cut === 'tokens' ? tokens : inGroups(tokens, Number(cut.slice('groups-'.length)))
}

/** Words with the blank before them, digits one by one, blanks, signs: near to what vocabularies have. */
const PLAIN_TOKENS = / ?\p{L}{1,8}|\p{N}|\s+|[^\p{L}\p{N}\s]/gu

interface TextPiece {
  readonly text: string
  readonly isToken: boolean
}

function atSpecialTokens(text: string, { special, plain = [] }: CutTokens): readonly TextPiece[] {
  // The longest first: a token may begin as another one does.
  const longest = special.filter((token) => token !== '').toSorted((one, other) => other.length - one.length)
  if (longest.length === 0) return text === '' ? [] : [{ text, isToken: false }]
  const pattern = new RegExp(longest.map((token) => token.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')).join('|'), 'g')
  const pieces: TextPiece[] = []
  let end = 0
  const add = (piece: string, isToken: boolean): void => {
    if (piece !== '') pieces.push({ text: piece, isToken })
  }
  for (const { index, 0: token } of text.matchAll(pattern)) {
    const start = plain.length === 0 ? 0 : pyIndex(text, index)
    if (plain.some(([from, to]) => from <= start && start < to)) continue
    add(text.slice(end, index), false)
    add(token, true)
    end = index + token.length
  }
  add(text.slice(end), false)
  return pieces
}

/**
 * The chunks of a stream as users of a program meet them: a cut inside a token moves to its end. Without `met` they stay as they are;
 * without `groups` in it, the text comes in the smallest pieces that are met.
 *
 * @param format whose special tokens are one token each
 */
export function arrivingChunks(
  chunks: readonly string[],
  { met, format }: { readonly met: readonly string[] | undefined; readonly format: string },
): readonly string[] {
  if (met === undefined) return chunks
  const known = { special: specialTokensOf({ format, profile: STRICT }) }
  const text = chunks.join('')
  const smallest = (['tokens', 'special'] as const).find((name) => met.includes(name)) ?? 'whole'
  if (!met.includes('groups')) return cutText(text, smallest, known)
  const ends = new Set<number>()
  let end = 0
  for (const chunk of chunks) ends.add((end += chunk.length))
  return groupsUntil(cutText(text, 'tokens', known), ends, met.includes('whole') ? Infinity : LARGEST_GROUP)
}

/** Tokens joined up to each token in which one of the ends is, and at most so many. */
function groupsUntil(tokens: readonly string[], ends: ReadonlySet<number>, most: number): readonly string[] {
  const groups: string[] = []
  let [group, count, at] = ['', 0, 0]
  for (const token of tokens) {
    const start = at
    at += token.length
    const isCut = hasEndBetween(ends, start, at)
    group += token
    count += 1
    if (!isCut && count < most) continue
    groups.push(group)
    group = ''
    count = 0
  }
  return group === '' ? groups : [...groups, group]
}

function hasEndBetween(ends: ReadonlySet<number>, start: number, end: number): boolean {
  for (let at = start + 1; at <= end; at += 1) if (ends.has(at)) return true
  return false
}

function inGroups(tokens: readonly string[], seed: number): readonly string[] {
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
