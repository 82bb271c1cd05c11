import type { CharacterSet } from './character-set.ts'
import type { LookNode, RegexNode } from './node.ts'
import { largest } from './shape.ts'

/** Any number of characters of a set, and then one of these texts, none of which begins with such a character. */
export interface Lead {
  readonly set: CharacterSet | null
  readonly texts: readonly string[]
}

/** How every match of a pattern begins, or null where that is not one of a few texts. */
export function leadOf(root: RegexNode): Lead | null {
  const prefix = prefixOf(root)
  if (prefix !== '') return { set: null, texts: [prefix] }
  const texts = beginnings(root)
  if (isLead(texts)) return { set: null, texts }
  if (root.kind !== 'sequence') return null
  const [loop, ...items] = root.items
  if (loop?.kind !== 'repeat' || loop.min !== 0 || loop.max !== Infinity || loop.mode !== 'greedy') return null
  const set = loop.body.kind === 'set' ? loop.body.set : null
  const next = beginnings({ kind: 'sequence', items })
  if (set === null || !isLead(next) || next.some((text) => set.has(text.codePointAt(0) ?? 0))) return null
  return { set, texts: next }
}

/** The one text with which every match begins. as in the reference: what a look-around wants does not count before a text. */
function prefixOf(node: RegexNode): string {
  if (node.kind === 'text') return node.text
  if (node.kind === 'group' || node.kind === 'atomic') return prefixOf(node.body)
  if (node.kind !== 'sequence') return ''
  const item = node.items.find(({ kind }) => kind !== 'assertion' && kind !== 'look')
  return item === undefined ? '' : prefixOf(item)
}

/** More texts than this are not looked for one by one. */
const MAX_TEXTS = 16

function isLead(texts: readonly string[] | null): texts is readonly string[] {
  return texts !== null && texts.length <= MAX_TEXTS && !texts.includes('')
}

/** The texts with which matches of a node begin; `''` is one of them if it may match nothing. Null where they are not known. */
function beginnings(node: RegexNode): readonly string[] | null {
  switch (node.kind) {
    case 'text':
      return [node.text]
    case 'group':
    case 'atomic':
      return beginnings(node.body)
    case 'choice':
      return united(node.options.map(beginnings))
    case 'sequence':
      return sequenceBeginnings(node.items)
    case 'repeat':
      return node.min > 0 ? beginnings(node.body) : united([beginnings(node.body), ['']])
    case 'assertion':
      return ['']
    case 'look':
      return lookBeginnings(node)
    default:
      return null
  }
}

function sequenceBeginnings(items: readonly RegexNode[]): readonly string[] | null {
  const known: string[] = []
  for (const item of items) {
    const texts = beginnings(item)
    if (texts === null || known.length > MAX_TEXTS) return null
    known.push(...texts.filter((text) => text !== ''))
    if (!texts.includes('')) return known
  }
  return [...known, '']
}

/** A text that must follow is how the match begins. What must not follow may still be arriving: nothing is known. */
function lookBeginnings({ isBehind, isNegative, body }: LookNode): readonly string[] | null {
  if (isBehind) return ['']
  const texts = isNegative ? null : beginnings(body)
  return isLead(texts) ? texts : null
}

function united(lists: readonly (readonly string[] | null)[]): readonly string[] | null {
  return lists.some((texts) => texts === null) ? null : [...new Set(lists.flatMap((texts) => texts ?? []))]
}

/** Finds the next of several texts at or after an offset that never decreases; each part of the text is searched once for each of them. */
export function textFinder(texts: readonly string[], text: string): (from: number) => FoundText | null {
  const found = texts.map((): FoundText => ({ start: -1, text: '' }))
  return (from) => {
    let best: FoundText | null = null
    for (const [index, wanted] of texts.entries()) {
      let last = found[index] ?? { start: -1, text: '' }
      if (last.start < from) {
        const at = text.indexOf(wanted, from)
        last = { start: at < 0 ? Infinity : at, text: wanted }
        found[index] = last
      }
      if (last.start < (best?.start ?? Infinity)) best = last
    }
    return best
  }
}

/** A text that was found, and the offset where it begins. */
export interface FoundText {
  readonly start: number
  readonly text: string
}

/** The earliest offset from `from` on at which the end of the text is the beginning of one of the texts; the end itself if there is none. */
export function partialStart(texts: readonly string[], text: string, from: number): number {
  const longest = largest(texts.map(({ length }) => length))
  for (let at = Math.max(from, text.length - longest + 1); at < text.length; at++) {
    if (texts.some((wanted) => wanted.length > text.length - at && startsWithRest(wanted, text, at))) return at
  }
  return text.length
}

function startsWithRest(wanted: string, text: string, at: number): boolean {
  for (let offset = at; offset < text.length; offset++) {
    if (wanted.charCodeAt(offset - at) !== text.charCodeAt(offset)) return false
  }
  return true
}

/** Finds the next offset, at or after one that never decreases, at which a match can begin; -1 if there is none. */
export function leadFinder({ set, texts }: Lead, text: string): (from: number) => number {
  const next = textFinder(texts, text)
  return (from) => {
    const found = next(from)
    return found === null ? -1 : beforeRun(set, text, { from, at: found.start })
  }
}

/** The same where more text may come: one of the texts may be arriving at the end. Never -1, at most the end. */
export function partialLeadFinder({ set, texts }: Lead, text: string): (from: number) => number {
  const next = textFinder(texts, text)
  let arriving = -1
  return (from) => {
    if (arriving < from) arriving = partialStart(texts, text, from)
    return beforeRun(set, text, { from, at: Math.min(next(from)?.start ?? Infinity, arriving) })
  }
}

/** Where the characters of the set before `at` begin. */
function beforeRun(
  set: CharacterSet | null,
  text: string,
  { from, at }: { readonly from: number; readonly at: number },
): number {
  let start = at
  while (set !== null && start > from) {
    const low = start - 1
    const size = (text.codePointAt(low - 1) ?? 0) > 0xffff && low > from ? 2 : 1
    if (!set.has(text.codePointAt(start - size) ?? 0)) break
    start -= size
  }
  return start
}
