import type { PyDict, PyValue } from '@callspec/python'
import { afterSpace, dumps, isDict } from '@callspec/python'
import type { ValuePlace } from '../../grammar/grammar.ts'
import { allowsText, resolvedSchema, typesOf, typeValueBySchema } from '../../grammar/values.ts'

/** One token, before every tag. */
export const TOKEN = ']<]minimax[>['
/** Around a thought. */
export const THINK = '<mm:think>'
export const END_THINK = '</mm:think>'

/** A tag after its token. */
interface Tag {
  /** Of the token. */
  readonly start: number
  readonly end: number
  readonly name: string
  readonly isClosing: boolean
}

/** The text of a call, with its tags. */
interface Tagged {
  readonly text: string
  readonly tags: readonly Tag[]
  /** By name: the places in `tags` of closing tags after which the grammar can go on. */
  readonly ends: ReadonlyMap<string, readonly number[]>
  readonly root: PyDict | null
}

/** Tags that follow each other, as JSON. `next` is the place in `tags` after them. */
interface ReadMembers {
  readonly members: readonly (readonly [name: string, json: string])[]
  readonly next: number
}

/**
 * The arguments of a call, typed by the schema of its tool; empty for none, and null for what is not tags. Objects have tags for
 * members, lists for elements. Deep nesting is text.
 *
 *   > ]<]minimax[>[<x>]<]minimax[>[<a>1]<]minimax[>[</a>]<]minimax[>[</x>
 *     ^                                                                  ^   {"x": {"a": 1}}, if a is an integer
 */
export function readTags(text: string, root: PyDict | null): string | null {
  if (afterSpace(text) === text.length) return ''
  const tagged = taggedText(text, root)
  const found = readMembers(tagged, { from: 0, at: 0, schema: root, depth: 0 })
  if (found === null || found.next < tagged.tags.length || found.members.length === 0) return null
  const last = tagged.tags.at(-1)
  return last === undefined || afterSpace(text, last.end) < text.length ? null : objectText(found)
}

function taggedText(text: string, root: PyDict | null): Tagged {
  const tags: Tag[] = []
  for (const match of text.matchAll(TAG)) {
    const [written, slash = '', name = ''] = match
    tags.push({ start: match.index, end: match.index + written.length, name, isClosing: slash !== '' })
  }
  const ends = new Map<string, number[]>()
  for (const [index, { name, isClosing, end }] of tags.entries()) {
    if (!isClosing || !continues(text, tags[index + 1]?.start ?? text.length, end)) continue
    const places = ends.get(name)
    if (places === undefined) ends.set(name, [index])
    else places.push(index)
  }
  return { text, tags, ends, root }
}

const TAG = /\]<\]minimax\[>\[[ \t\r\n]{0,8}<(\/?)([^>]{0,200})>/g

/** Whether nothing but white space is between a closing tag and what follows. */
function continues(text: string, next: number, end: number): boolean {
  return afterSpace(text, end, next) === next
}

interface Place {
  /** Where the text before the first tag begins. */
  readonly from: number
  /** The first tag. */
  readonly at: number
  /** Of the object or list in which the tags are. */
  readonly schema: PyValue
  readonly depth: number
}

/** Null where a tag has no end, or text is between tags. */
function readMembers(tagged: Tagged, { from, at, schema, depth }: Place): ReadMembers | null {
  const { text, tags, root } = tagged
  const members: (readonly [string, string])[] = []
  const types = typesOf(schema, root)
  const isArray = types.includes('array') && !types.includes('object')
  const resolved = resolvedSchema(schema, root)
  for (let [next, before] = [at, from]; ;) {
    const tag = tags[next]
    if (tag === undefined || tag.isClosing || afterSpace(text, before, tag.start) < tag.start) return { members, next }
    const inner = isArray ? (resolved?.get('items') ?? null) : memberSchema(resolved, tag.name)
    const value = readValue(tagged, { from: tag.end, at: next + 1, schema: inner, depth: depth + 1 }, tag.name)
    if (value === null) return null
    members.push([tag.name, value.json])
    next = value.next
    before = tags[next - 1]?.end ?? text.length
  }
}

function memberSchema(schema: PyDict | null, key: string): PyValue {
  const properties = schema?.get('properties')
  return (isDict(properties) ? properties.get(key) : null) ?? schema?.get('items') ?? null
}

interface ReadValue {
  readonly json: string
  readonly next: number
}

/** The value of a tag: tags, or the text up to its end. */
function readValue(tagged: Tagged, place: Place, name: string): ReadValue | null {
  const { text, tags, root } = tagged
  const { from, at, schema, depth } = place
  const nested = depth < DEEPEST && mayNest(typesOf(schema, root)) ? readMembers(tagged, place) : null
  const close = nested === null ? undefined : tags[nested.next]
  const isWhole = close?.isClosing === true && close.name === name && nested !== null && nested.members.length > 0
  if (isWhole && afterSpace(text, tags[nested.next - 1]?.end ?? from, close.start) === close.start)
    return { json: nestedText(nested, typesOf(schema, root)), next: nested.next + 1 }
  const end = firstFrom(tagged.ends.get(name) ?? [], at)
  const tag = end === null ? undefined : tags[end]
  if (end === null || tag === undefined) return null
  return { json: scalar(text.slice(from, tag.start), { schema, root, opener: '' }), next: end + 1 }
}

/** Prompts show what has no members or elements without a text, as an empty text. */
function scalar(text: string, place: ValuePlace): string {
  const types = text === '' && !allowsText(place) ? typesOf(place.schema, place.root) : []
  if (types.includes('object')) return '{}'
  return types.includes('array') ? '[]' : typeValue(text, place)
}

/** Deeper tags are the text of their value. */
const DEEPEST = 64

const typeValue = typeValueBySchema({ lineFeeds: 0, pythonWords: false })

/** Whether tags in a value are its members: not where only a text is asked for. */
function mayNest(types: readonly string[]): boolean {
  return types.length === 0 || types.includes('object') || types.includes('array')
}

function nestedText(found: ReadMembers, types: readonly string[]): string {
  const isList =
    found.members.every(([name]) => name === 'item') && (types.includes('array') || !types.includes('object'))
  return isList ? `[${found.members.map(([, json]) => json).join(', ')}]` : objectText(found)
}

function objectText({ members }: ReadMembers): string {
  return `{${members.map(([name, json]) => `${dumps(name)}: ${json}`).join(', ')}}`
}

/** The first of sorted numbers that is not below another one. */
function firstFrom(sorted: readonly number[], least: number): number | null {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sorted[middle] ?? 0) < least) low = middle + 1
    else high = middle
  }
  return sorted[low] ?? null
}
