import { attempt, isDict, loads, unreachable } from '@callspec/python'
import type { PyDict } from '@callspec/python'
import type { Conversation, PromptOutcome } from '../conversation/conversation.ts'
import { compileGrammar } from '../grammar/compile.ts'
import type { AnyState, Grammar } from '../grammar/grammar.ts'
import { grammarReaders } from '../grammar/reader.ts'
import type { GrammarReaders } from '../grammar/reader.ts'
import type { CallItem, ReplyItem } from '../reply/item.ts'
import type {
  Format,
  FormatAbout,
  FormatMarkers,
  FormatNotes,
  FormatStops,
  FormatTraits,
  ItemSpelling,
} from './format.ts'
import { markersOf, traitsOf } from './grammar-traits.ts'

type WritePrompt = (conversation: Conversation) => PromptOutcome

/** A format whose replies a grammar reads. */
export interface GrammarFormat extends FormatNotes {
  readonly id: string
  readonly about: FormatAbout
  readonly grammar: Grammar
  readonly spelling: ItemSpelling
  /** Writes a reply, for formats whose items are not written one by one. */
  readonly write?: (items: readonly ReplyItem[]) => string
  /** Markers that the grammar does not show, such as those of a head. */
  readonly markers?: Partial<FormatMarkers>
  readonly prompt: WritePrompt | null
  /** Which of the stops of the grammar hand over to the tools. Default: none. */
  readonly handOver?: readonly string[]
  /** Further versions, by their names: one that differs in its prompt alone is that prompt. */
  readonly versions?: { readonly [version: string]: WritePrompt | VersionParts }
}

/** What differs in a version; all else is as in the format. */
export interface VersionParts extends Pick<FormatNotes, 'specialTokens' | 'servedAs'> {
  readonly about?: FormatAbout
  readonly prompt?: WritePrompt | null
  /** Absent: replies are read and written as those of the format. */
  readonly make?: () => Pick<GrammarFormat, 'grammar' | 'spelling'>
}

/** The same, where a function makes grammar and spelling: it is called when the format is first used. */
export interface LazyGrammarFormat extends Omit<GrammarFormat, 'grammar' | 'spelling'> {
  readonly make: () => Pick<GrammarFormat, 'grammar' | 'spelling'>
}

/**
 * The format that grammar, spelling and prompt make. Nothing is computed before it is used: markers and traits are derived from the
 * grammar when they are requested, and the grammar is compiled for the first reply. So a grammar that contradicts itself throws only
 * then; `checkedFormat` finds it at once.
 */
export function grammarFormat(given: GrammarFormat | LazyGrammarFormat): Format {
  const { id, about, prompt, handOver = [], versions = {}, markers, write, ...notes } = withoutTables(given)
  let tables: Pick<GrammarFormat, 'grammar' | 'spelling'> | null = null
  let readers: GrammarReaders | null = null
  let stops: FormatStops | null = null
  let allMarkers: FormatMarkers | null = null
  let traits: FormatTraits | null = null
  const made = (): Pick<GrammarFormat, 'grammar' | 'spelling'> => (tables ??= 'make' in given ? given.make() : given)
  const reading = (): GrammarReaders => (readers ??= grammarReaders(made().grammar))
  const own = new Map<string, Format>()
  const inVersion = (version: string): Format | null => {
    const parts = Object.hasOwn(versions, version) ? versions[version] : undefined
    if (parts === undefined) return null
    const known = own.get(version) ?? formatOfVersion(given, version, parts)
    own.set(version, known)
    return known
  }
  const readVersions = ['strict', ...Object.keys(versions).filter((name) => readsByItself(versions[name]))]
  const readerIn = (version = 'strict'): Pick<Format, 'read' | 'createReader'> =>
    (readVersions.includes(version) ? inVersion(version) : null) ?? reading()
  const format: Format = {
    id,
    about,
    ...notes,
    get stops() {
      return (stops ??= { end: made().grammar.stops.filter((stop) => !handOver.includes(stop)), handOver, words: [] })
    },
    get markers() {
      return (allMarkers ??= { ...markersOf(made().grammar, made().spelling), ...markers })
    },
    get traits() {
      return (traits ??= traitsOf(made().grammar))
    },
    get grammar() {
      return made().grammar
    },
    createReader: (options) => readerIn(options?.version).createReader(options),
    read: (text, options) => readerIn(options?.version).read(text, options),
    write: write ?? ((items) => writeItems(made().spelling, items)),
    versions: ['strict', ...Object.keys(versions)],
    readVersions,
    prompt: promptOf(prompt, inVersion),
    ...(Object.keys(versions).length === 0 ? {} : { inVersion }),
  }
  keepParts(format, () => ({ ...withoutTables(given), grammar: made().grammar, spelling: made().spelling }))
  return format
}

/** Of a format without a prompt, no version has one. */
function promptOf(strict: WritePrompt | null, inVersion: (version: string) => Format | null): Format['prompt'] {
  if (strict === null) return null
  return (conversation, version = 'strict') => {
    const own = inVersion(version)
    if (own === null) return strict(conversation)
    return own.prompt?.(conversation) ?? { kind: 'refused', reason: `callspec has no prompt of the version ${version}` }
  }
}

function readsByItself(parts: WritePrompt | VersionParts | undefined): boolean {
  return typeof parts === 'object' && parts.make !== undefined
}

/** A version as a format of its own. It reads and writes with the tables of the format where it has none. */
function formatOfVersion(
  given: GrammarFormat | LazyGrammarFormat,
  version: string,
  parts: WritePrompt | VersionParts,
): Format {
  const { versions: _versions, ...rest } = given
  const differing = typeof parts === 'function' ? { prompt: parts } : parts
  return grammarFormat({ ...rest, ...differing, id: `${given.id}@${version}` })
}

function withoutTables<Given extends object>(given: Given): Omit<Given, 'grammar' | 'spelling' | 'make'> {
  const { grammar: _grammar, spelling: _spelling, make: _make, ...parts } = given as Given & Record<string, unknown>
  return parts
}

/**
 * The same, after a check of the grammar: for formats of users.
 *
 * @throws Error for a grammar that contradicts itself, and for a former name of a member
 */
export function checkedFormat(parts: GrammarFormat): Format {
  for (const [name, state] of Object.entries(parts.grammar.states)) checkNames(name, state)
  compileGrammar(parts.grammar)
  return grammarFormat(parts)
}

/** Former names of members of states and transitions, which a user's grammar may still have. */
const RENAMED: ReadonlyMap<string, string> = new Map([
  ['is', 'kind'],
  ['until', 'transitions'],
  ['otherwise', 'fallback'],
  ['begins', 'bodyStart'],
  ['isLast', 'mustEndReply'],
  ['isOpen', 'mayBeTruncated'],
  ['before', 'followedBy'],
])

function checkNames(name: string, state: AnyState): void {
  for (const given of [state, ...Object.values(state.transitions ?? {})]) {
    const old = typeof given === 'object' ? Object.keys(given).find((key) => RENAMED.has(key)) : undefined
    if (old !== undefined)
      throw new Error(`callspec: state "${name}": "${old}" is now called "${RENAMED.get(old)}". Rename it`)
  }
}

/** The same in every copy of this package: the program has its own, and reads formats that were made with the one of a user. */
const PARTS: unique symbol = Symbol.for('@callspec/core grammarParts')

interface WithParts extends Format {
  readonly [PARTS]?: () => GrammarFormat | null
}

/** Remembers what a format was made of. A copy of the format forgets it. */
export function keepParts(format: Format, parts: () => GrammarFormat | null): void {
  Object.defineProperty(format, PARTS, { value: parts })
}

/**
 * What a format was made of, to make another one that differs in a piece; of nous what its version `strict` is made of. Null for
 * formats that no grammar reads.
 */
export function grammarParts(format: Format): GrammarFormat | null {
  return (format as WithParts)[PARTS]?.() ?? null
}

/** The text of a reply, as the model would have written it. Issues are not part of it. */
export function writeItems({ thought, section, ...spelling }: ItemSpelling, items: readonly ReplyItem[]): string {
  let text = ''
  let index = 0
  for (const [at, item] of items.entries()) {
    const isBehindCall = items[at - 1]?.kind === 'call'
    const isBeforeCall = items[at + 1]?.kind === 'call'
    switch (item.kind) {
      case 'text':
        text += (spelling.text?.open ?? '') + item.text + (spelling.text?.close ?? '')
        if (isBeforeCall) text += spelling.beforeCalls ?? ''
        break
      case 'reasoning':
        if (thought !== undefined) text += thought.open + item.text + thought.close
        break
      case 'call':
        if (spelling.text?.beforeCalls === true && !isBehindCall && items[at - 1]?.kind !== 'text')
          text += spelling.text.open + spelling.text.close
        text += isBehindCall ? (spelling.betweenCalls ?? '') : (section?.open ?? '')
        text += spelling.call(item, callArguments(item), index++)
        if (!isBeforeCall) text += section?.close ?? ''
        break
      case 'issue':
        break
      default:
        unreachable(item)
    }
  }
  return text
}

const NOTHING: PyDict = new Map()

/** The arguments of a call, read without loss; empty if they are not an object. */
export function callArguments(call: CallItem): PyDict {
  const outcome = attempt(() => loads(call.arguments))
  return outcome.kind === 'returned' && isDict(outcome.value) ? outcome.value : NOTHING
}
