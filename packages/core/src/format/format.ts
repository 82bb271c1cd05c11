import type { PyDict } from '@callspec/python'
import type { Conversation, PromptOutcome } from '../conversation/conversation.ts'
import type { Grammar } from '../grammar/grammar.ts'
import type { CallItem, Reply, ReplyItem } from '../reply/item.ts'
import type { ReadOptions, ReplyReader } from '../reply/reader.ts'

/** Writes one call. `given` are its arguments, read without loss; empty if they are not a JSON object. */
export type WriteCall = (call: CallItem, given: PyDict, index: number) => string

/** How a model writes the items of a reply, as data. */
export interface ItemSpelling {
  /** Around a thought. Absent: thoughts are left out. */
  readonly thought?: { readonly open: string; readonly close: string }
  /** Around a text. Absent: nothing. `beforeCalls`: calls without a text follow an empty one. */
  readonly text?: { readonly open: string; readonly close: string; readonly beforeCalls?: true }
  /** Between a text and the calls that follow it. */
  readonly beforeCalls?: string
  /** Around all calls of a reply that follow each other. */
  readonly section?: { readonly open: string; readonly close: string }
  readonly betweenCalls?: string
  readonly call: WriteCall
}

/** Where a format comes from. */
export interface FormatAbout {
  /** The models that speak it, for people. */
  readonly models: string
  /** What its behaviour was taken from: template or program, with its version. */
  readonly source: string
  /** SPDX id of the texts that the prompt quotes. */
  readonly licence: string
}

/** Where replies end. */
export interface FormatStops {
  /** Tokens that end a turn. */
  readonly end: readonly string[]
  /** Tokens or words that hand over to the tools. */
  readonly handOver: readonly string[]
  /** Words that have to be given to a server as `stop`. */
  readonly words: readonly string[]
  /** What is left of such a word when its last token is missing, by the word; made with the vocabulary of the models. */
  readonly partials?: ReadonlyMap<string, string>
}

/** The texts to which a format gives a meaning, by that meaning. Writers of test data use them. */
export interface FormatMarkers {
  readonly callStart: readonly string[]
  /** Each is between the pieces of a call. Empty where a call is one JSON value. */
  readonly callInner: readonly string[]
  /** Each ends a call. Empty where a call ends with the reply or with the next call. */
  readonly callEnd: readonly string[]
  /**
   * Around the head of a message, for formats whose replies are messages; a reply begins inside of one. Text between the two
   * is no prose. Absent where there are no heads.
   */
  readonly head?: { readonly open: string; readonly close: string }
  /** Around a thought that is not searched for calls; null where the format knows none. */
  readonly thought: { readonly open: string; readonly close: string } | null
  /** What else the reader reacts to, and what models write in its neighbourhood. */
  readonly others: readonly string[]
  /** What precedes a final answer. Absent where a reply without a call is one. */
  readonly answer?: string
  /** Other words that models write for a marker, without its punctuation: a translation. No reader knows them. */
  readonly alsoWritten?: Readonly<Record<string, readonly string[]>>
}

/**
 * What the strict reader makes of a call that a reply only shows:
 *
 * - `read`: as any other call
 * - `read-with-issue`: as a call, with a note `call-in-code` or `call-in-quote`, so that a host can ask before it runs
 * - `text`: not as a call
 */
export interface QuotedCalls {
  /** Between back-ticks, in a fence of code, after `> `: the markers are those of a call, so that a grammar with prose before calls reads it. */
  readonly shown: 'read' | 'read-with-issue' | 'text'
  /** As pages escape it, `<` as `&lt;` and `[` as `&#91;`: a marker with one of them is no marker. */
  readonly escaped: 'read' | 'text'
}

/** What a format can say, which decides what is asked of its readers. */
export interface FormatTraits {
  /** Whether one reply may hold several calls. */
  readonly severalCalls: boolean
  /** Whether the reply contains the id of a call. */
  readonly ids: boolean
  readonly reasoning: boolean
  /** Whether values are written as text and typed by the schemas of the tools. */
  readonly typedValues: boolean
  readonly quotedCalls: QuotedCalls
  /** Whether a reply is either calls or prose: no call is read after prose. Absent: prose may precede calls. */
  readonly callsAlone?: true
  /** Whether calls count only at the end of a reply. Absent: text may follow them. */
  readonly callsLast?: true
  /** Whether a call needs one of the markers `callStart`. Absent: it may come without. */
  readonly onlyMarkedCalls?: true
  /** Whether names of calls and arguments have to be identifiers: others cannot be written. Absent: any text can. */
  readonly identifiers?: true
  /** Whether calls are pieces of one value, such as a list. Absent: each stands for itself. */
  readonly callsInBody?: true
}

/** How to find a call in a text that no server has read. */
export interface UnreadCall {
  /** The opening mark and as much after it as sets a call apart from a sentence about the format. Its pieces are bounded. */
  readonly opens: RegExp
  /** What the call holds: JSON, or text up to this tag. */
  readonly body: 'json' | { readonly closes: string }
}

/** A law of readers that a format breaks on purpose, because its reference does. */
export interface FormatException {
  /** Id of the law, as `docs/laws.md` lists them. */
  readonly law: string
  readonly breach: string
  /** Texts in which it may happen; everywhere else it is a violation. */
  readonly texts: RegExp
  /** Why it is kept, in one sentence. */
  readonly because: string
  /** Name of the case that shows it, among those of the laws. */
  readonly case: string
}

/** How engines call a format. What is absent has no parser for it. */
export interface ServedAs {
  /** The values of `--tool-call-parser`, from the registries of vLLM (0064cc9) and SGLang (00828e5). */
  readonly vllm?: readonly string[]
  readonly sglang?: readonly string[]
  /** The values of `version` in the `tekken.json` of a model. They decide before its name. */
  readonly tekken?: readonly string[]
}

/** Texts that are one token each in the vocabulary of the models: their replies are never cut inside one. */
export interface SpecialTokens {
  readonly source: string
  readonly tokens: readonly string[]
  /** Their ids, in the same order. Absent where the vocabulary itself was not at hand. */
  readonly ids?: readonly number[]
}

/** Facts about a format that reading and writing do not need. */
export interface FormatNotes {
  /** Those that a reply can contain. Absent: not known. */
  readonly specialTokens?: SpecialTokens
  /** What else files and commands call it. */
  readonly aliases?: readonly string[]
  /** The name under which evaluations write it down, where they began under another one; absent: its id. */
  readonly recordedAs?: string
  readonly servedAs?: ServedAs
  /** How its calls are found in a text; absent where those of another format look the same. */
  readonly unread?: UnreadCall
  /** Absent: it holds every law that applies. */
  readonly exceptions?: readonly FormatException[]
}

/**
 * A prompt format as one value: how replies are read and written, and how a conversation is shown to the model. Everything
 * else in the house is made of it.
 */
export interface Format extends FormatNotes {
  readonly id: string
  readonly about: FormatAbout
  readonly stops: FormatStops
  readonly markers: FormatMarkers
  readonly traits: FormatTraits
  /** The table that its replies are read by. Absent for formats that have a reader of their own. */
  readonly grammar?: Grammar
  /** A reader of replies that arrive in pieces. Nothing that a model writes makes it throw. */
  readonly createReader: (options?: ReadOptions) => ReplyReader
  /** What a whole reply says: what its reader says when it is pushed once. */
  readonly read: (text: string, options?: ReadOptions) => Reply
  /**
   * The reply that has these items. Reading it gives them back.
   *
   * @throws InputError for several calls in a format whose whole reply is one
   */
  readonly write: (items: readonly ReplyItem[]) => string
  /** The prompt of a conversation; null for formats whose prompt is not ours to give. */
  readonly prompt: ((conversation: Conversation, version?: string) => PromptOutcome) | null
  /** The versions that can be asked for, the default first. */
  readonly versions: readonly string[]
  /** Those of which the replies are described as well; the prompt is all that the others are about. Absent: all. */
  readonly readVersions?: readonly string[]
  /**
   * A version as a format of its own, with the id `format@version`; null for `strict` and for what is no version. Absent where
   * `strict` is the only one.
   */
  readonly inVersion?: (version: string) => Format | null
}
