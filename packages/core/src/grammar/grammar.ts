import type { PyDict, PyValue } from '@callspec/python'

/** How Python calls are laid out: as a list between brackets, or one per line. */
export type PythonForm = 'list' | 'lines'

/** What a marker does: it leads to the state named `to`; a call may begin or end with it. A string is short for `{to}`. */
export type Transition =
  | string
  | {
      readonly to: string
      /** A call begins with this marker. */
      readonly opens?: true
      /** The open call is complete. */
      readonly closes?: true
      /** The open call ends here without its closing marker, which is reported. */
      readonly interrupts?: true
      /** The marker counts only if one of these follows it, white space in between allowed, or the reply ends. */
      readonly followedBy?: readonly string[]
      /** What is wrong with a reply that has this marker here: the reader reports it at the marker. */
      readonly issue?: 'line-feeds-missing'
    }

/** The markers that end a state, and what each does. No marker may be the beginning of another one of the same state. */
export interface Transitions {
  readonly [marker: string]: Transition
}

/** Prose for the user. */
export interface TextState {
  readonly kind: 'text'
  readonly transitions: Transitions
  /** White space at the edges of the text belongs to the markers. */
  readonly isTrimmed?: true
  /** A reply that ends in this state was truncated (`true`), or may have been (`'maybe'`, which is only a note). */
  readonly mayBeTruncated?: true | 'maybe'
}

/** A thought of the model. */
export interface ReasoningState {
  readonly kind: 'reasoning'
  readonly transitions: Transitions
  /** White space at the edges of the thought belongs to the markers. */
  readonly isTrimmed?: true
  /**
   * If the reply ends before the thought is closed, calls at its end count. Default: they are part of the thought, and are
   * reported.
   */
  readonly callsCount?: true
}

/**
 * Text that is collected until a marker ends the state: the name, the id or the next key of the open call, or the `head` of
 * a message, which `readHead` takes apart.
 */
export interface CollectedState {
  readonly kind: 'name' | 'id' | 'key' | 'head'
  readonly transitions: Transitions
  /**
   * Of a name without a wrapper around its call: where it is read again, with the marker before it, if it is text. It is if a marker leads to
   * that state, or the reply ends.
   */
  readonly fallback?: string
}

/**
 * The value of the last key, as text. Its closing marker counts only where the grammar can go on after it: a marker of the
 * state to which it leads follows, white space in between allowed, or the reply ends.
 */
export interface ValueState {
  readonly kind: 'value'
  readonly transitions: Transitions
  /** What encloses each string in the value. No marker counts in a string, and none of a single character in brackets. */
  readonly quote?: string
  /**
   * How the next argument begins; the first group is its key. A value that contains one whose key the tool has is reported:
   * its closing marker is probably missing. All repetitions are bounded.
   */
  readonly nextKey?: RegExp
}

/** The arguments of the open call, as JSON. Markers inside of its strings are text. */
export interface JsonState {
  readonly kind: 'json'
  readonly transitions: Transitions
  /** The last bracket ends the value and the call, and the reply goes on in this state. */
  readonly next?: string
  /** No marker can appear in a JSON string (it contains a raw line feed, say), so strings need not be followed. */
  readonly isRaw?: true
  /**
   * The arguments are free text, passed on as written, with white space; white space alone means no arguments. If the reply
   * ends here, the call is complete if they are JSON.
   */
  readonly isWholeText?: true
  /**
   * With `next`: arguments that begin like no JSON are read as well. A Markdown block is complete at its closing fence; a plain text ends
   * at the next marker or with the reply, and is reported.
   */
  readonly anyText?: true
}

/** A body of calls that ends at a marker; `readCalls` takes it apart. */
export interface MarkedCallsState {
  readonly kind: 'calls'
  readonly transitions: Transitions
}

/**
 * A body of calls that is one JSON value and ends with its last bracket; `readCalls` takes it apart. Text that is not JSON is
 * not a body, as soon as that is certain: it is read again in `fallback`, after the marker that led here. Without `fallback`
 * it is dropped up to the next marker of the state.
 */
export interface JsonCallsState {
  readonly kind: 'calls'
  readonly transitions: Transitions
  /** The bracket with which the body begins; white space may precede it. */
  readonly bodyStart: '[' | '{'
  /** Where the reply goes on after the body. */
  readonly next?: string
  /** Where a body without calls is read. Default: it is an issue. */
  readonly fallback?: string
  /** The body counts only if nothing but white space or a stop token follows it. */
  readonly mustEndReply?: true
}

/**
 * A body of Python calls. A marker of the state ends it outside of strings; so does the end of the reply, and then `next` is
 * the state in which the reply ends. A body without calls is read again as the text of `fallback`.
 */
export interface PythonCallsState {
  readonly kind: 'calls'
  readonly transitions: Transitions
  readonly python: PythonForm
  readonly next: string
  readonly fallback: string
  /** The marker that led here is a token of the model, and never text. */
  readonly isToken?: true
  /** A reply that ends inside the body was truncated, and the body is not text. */
  readonly mayBeTruncated?: true
}

/** Between markers: only white space belongs here. */
export interface NothingState {
  readonly kind: 'nothing'
  readonly transitions: Transitions
  /** Where other text is read. Default: it is dropped, which is an issue. */
  readonly fallback?: string
  /** With `fallback`: the markers are tokens of the model, so that half of one at the end of a reply is not text, and dropped. */
  readonly isToken?: true
  /** A reply that ends in this state was truncated (`true`), or may have been (`'maybe'`, which is only a note). */
  readonly mayBeTruncated?: true | 'maybe'
}

/** One state of a grammar: what its text is, and which markers end it. */
export type GrammarState =
  | TextState
  | ReasoningState
  | CollectedState
  | ValueState
  | JsonState
  | MarkedCallsState
  | JsonCallsState
  | PythonCallsState
  | NothingState

/** What the text of a state is. */
export type StateKind = GrammarState['kind']

/** The members that any kind of state has, for code that reads states of all kinds. */
export interface AnyState {
  readonly kind: StateKind
  readonly transitions: Transitions
  readonly next?: string
  readonly fallback?: string
  readonly bodyStart?: '[' | '{'
  readonly mustEndReply?: true
  readonly python?: PythonForm
  readonly isToken?: true
  readonly isTrimmed?: true
  readonly callsCount?: true
  readonly quote?: string
  readonly nextKey?: RegExp
  readonly isRaw?: true
  readonly isWholeText?: true
  readonly anyText?: true
  readonly mayBeTruncated?: true | 'maybe'
}

/** A call that `readCalls` found. */
export interface BodyCall {
  readonly name: string
  readonly arguments: string
  readonly id: string | null
}

/** What a head says about the text that follows. */
export interface ReadHead {
  /** The state in which that is read. */
  readonly to: string
  /** The channel of a text or thought, in formats that have channels. */
  readonly channel?: string
  /** The call whose arguments follow. */
  readonly call?: { readonly name: string; readonly isFree?: true }
  /** If the head cannot be read: pieces of it that are emitted as separate texts. */
  readonly texts?: readonly string[]
  /** What is wrong with the head. */
  readonly issue?: 'head-not-readable' | 'markers-missing'
}

/** Where a head is. */
export interface HeadPlace {
  readonly state: string
  /** The marker that ended it; empty if the reply ended there. */
  readonly marker: string
}

/** The parts of a name as it is written. */
export interface ReadName {
  readonly name: string
  readonly id: string | null
}

/** What is known about a value when it is typed. */
export interface ValuePlace {
  /** The JSON schema of the parameter; null if the tool or the parameter is unknown. */
  readonly schema: PyValue
  /** The schema of all parameters, to which `$ref` refers. */
  readonly root: PyDict | null
  /** The marker before the value, for formats that write the type there. */
  readonly opener: string
}

/** By tool and key: the schema of a parameter, and that of all parameters of its tool. */
export type Schemas = (tool: string, key: string) => { readonly schema: PyValue; readonly root: PyDict | null }

/** The reading side of a format: a table of states, and a few small functions. */
export interface Grammar {
  /** The state in which a reply begins. */
  readonly start: string
  /** Where it begins if the prompt has opened a thought. Absent if prompts never do. */
  readonly thought?: string
  /** Where it begins if thoughts were requested, whose markers are words otherwise. Absent if that changes nothing. */
  readonly thinking?: string
  readonly states: { readonly [name: string]: GrammarState }
  /**
   * Tokens that end a turn: in prose and between calls they end the reply, which is reported. A state that names one as a marker
   * of its own gives it a meaning; it is reported if the reply ends after it.
   */
  readonly stops: readonly string[]
  /**
   * Whether a call after a stop is reported with its name: a model that does not stop writes the result of its call itself, and calls
   * again. The call is dropped, as is all text after a stop.
   */
  readonly callsAfterStop?: true
  /** Markers of calls that prose contains, too, such as a fence: there they do not suggest a lost call. */
  readonly common?: readonly string[]
  /** What a head says; null if more text could have completed it, but the reply ended. */
  readonly readHead?: (text: string, place: HeadPlace) => ReadHead | null
  /** The name and the id that a text contains; null if it is not a name. Default: the text is the name. */
  readonly readName?: (text: string) => ReadName | null
  /** A key as it is meant. Default: as written. */
  readonly readKey?: (text: string) => string
  /** The JSON of a value that is written as text; null if it must be JSON and is not. Default: a JSON string. */
  readonly typeValue?: (text: string, place: ValuePlace) => string | null
  /**
   * The JSON of all arguments of a call, for a format whose state `value` is not after a key: empty for no arguments, null for what is
   * not arguments. `root` is the schema of the arguments; null if the tool is unknown.
   */
  readonly readArguments?: (text: string, root: PyDict | null) => string | null
  /** Whether the calls of a body have ids. */
  readonly hasIds?: true
  /** The calls of a body; null if it contains none. */
  readonly readCalls?: ReadCalls
}

export interface ReadCalls {
  (text: string): readonly BodyCall[] | null
  /** The same for a body that begins at an offset of a text and shows itself where it ends. */
  readonly at?: (text: string, from: number) => FoundBody
  /** Any JSON object looks like a call, so that no block of code in prose is said to show one. */
  readonly isAnyObject?: true
}

/** A body of calls in a text. */
export interface FoundBody {
  /** Null if there is no body, or not all of it. */
  readonly calls: readonly BodyCall[] | null
  /** Where it ends, or where it is not a body. */
  readonly end: number
}
