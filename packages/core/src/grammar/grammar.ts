import type { PyDict, PyValue } from '@callspec/python'

/**
 * What the text of a state is.
 *
 * - `text`, `reasoning`: handed on as it comes
 * - `name`, `id`, `key`: gathered until the state ends
 * - `head`: gathered until the state ends; `readHead` says what stands behind it
 * - `value`: gathered; becomes the value of the last key
 * - `json`: the arguments themselves; a marker inside one of its strings is text
 * - `calls`: a body that `readCalls` takes apart; with `begins` it is one JSON value, which ends with its last bracket
 * - `nothing`: only white space belongs here
 */
export type StateKind = 'text' | 'reasoning' | 'head' | 'name' | 'id' | 'key' | 'value' | 'json' | 'calls' | 'nothing'

/** How calls in Python stand: as a list between brackets, or one a line. */
export type PythonForm = 'list' | 'lines'

/** Where a marker leads. A call may end with the marker, and one may begin with it. */
export type Exit =
  | string
  | {
      readonly to: string
      readonly opens?: true
      readonly closes?: true
      /** The open call ends here without its closing marker, which is noted. */
      readonly interrupts?: true
      /** The marker counts only where one of these stands behind it, behind white space or none, or the reply ends. */
      readonly before?: readonly string[]
      /** What is wrong with a reply that has this marker here: the reader reports it at the marker. */
      readonly issue?: 'line-feeds-missing'
    }

/** One place of a grammar: what the text there is, and which markers end it. */
export interface GrammarState {
  readonly is: StateKind
  /**
   * The markers that end the state, and where they lead. None may be the beginning of another one. A marker that ends a
   * `value` counts only where the grammar can go on behind it: behind white space or none stands a marker of the state that
   * it leads to, or the reply ends there.
   */
  readonly until: { readonly [marker: string]: Exit }
  /** Of `json` and `calls`: the value ends with its last bracket, the call with it, and the reply goes on in this state. */
  readonly next?: string
  /**
   * Of `nothing`: where text that does not belong here is read instead. Of `calls`: where a body is read that holds no
   * calls. Absent: it is an issue.
   */
  readonly otherwise?: string
  /**
   * Of `calls`: the bracket with which the body begins, perhaps behind white space. What is no JSON holds no calls, as soon
   * as that is certain: it is read again as the text of `otherwise`, behind the marker that led here; without `otherwise`
   * it is dropped up to the next marker of the state.
   */
  readonly begins?: '[' | '{'
  /** Of `calls` with `begins`: the body counts only if nothing but white space stands behind it, or a stop. */
  readonly isLast?: true
  /**
   * Of `calls`: the body is Python, and a marker of the state ends it outside of strings; so does the end of the reply, and
   * then `next` is where the reply ends. What is no calls is read again as the text of `otherwise`.
   */
  readonly python?: PythonForm
  /** Of `calls` in Python: the marker that led here is a token of the model, and never text. */
  readonly isToken?: true
  /** Of `text` and `reasoning`: white space at the edges belongs to the markers. */
  readonly isTrimmed?: true
  /**
   * Of `reasoning`: where the reply ends before the thought is closed, calls at its end count. Absent: they are part of the
   * thought, which is noted.
   */
  readonly callsCount?: true
  /**
   * Of `value`: what stands on both sides of each string in it. In a string no marker counts, and inside brackets no marker
   * of a single character does.
   */
  readonly quote?: string
  /**
   * Of `value`: how the next argument begins; its first group is the key. A value that contains one whose key the tool has is
   * reported: its closing marker is probably missing. All repetitions are bounded.
   */
  readonly nextKey?: RegExp
  /** Of `json`: what ends it can stand in no JSON string, such as a raw line feed. Then strings need not be followed. */
  readonly isRaw?: true
  /**
   * Of `json`: the arguments are a text of their own. They are handed on as they stand, white space too; white space alone
   * stands for none; where the reply ends, the call ends if they are JSON.
   */
  readonly isWholeText?: true
  /**
   * Of `nothing` and `text`: a reply that ends here was cut, though no call is open; or perhaps it was, which is noted. Of
   * `calls` in Python: so was one that ends inside of them, and they are no text.
   */
  readonly isOpen?: true | 'perhaps'
}

/** A call that `readCalls` found. */
export interface BodyCall {
  readonly name: string
  readonly arguments: string
  readonly id: string | null
}

/** What a head says of the text behind it. */
export interface ReadHead {
  /** The state in which that is read. */
  readonly to: string
  /** Where texts and thoughts have a channel: which one. */
  readonly channel?: string
  /** The call whose arguments follow. */
  readonly call?: { readonly name: string; readonly isFree?: true }
  /** What is said already, because the head is none: pieces of it, each a text of its own. */
  readonly texts?: readonly string[]
  /** What is wrong with the head. */
  readonly issue?: 'head-not-readable' | 'markers-missing'
}

/** Where a head stands. */
export interface HeadPlace {
  /** The state that gathered it. */
  readonly state: string
  /** The marker that ended it; empty where the reply ended there. */
  readonly marker: string
}

/** A name as written, taken apart. */
export interface ReadName {
  readonly name: string
  readonly id: string | null
}

/** What is known of a value when it is typed. */
export interface ValuePlace {
  /** The JSON schema of the parameter; null where the tool or the parameter is not known. */
  readonly schema: PyValue
  /** The schema of all parameters, in which `$ref` points. */
  readonly root: PyDict | null
  /** The marker that stands before the value, for formats that write the type there. */
  readonly opener: string
}

/** The reading side of a format: a table of states, and a few small functions. */
export interface Grammar {
  /** The state in which a reply begins. */
  readonly start: string
  /** Where it begins when the prompt has opened a thought. Absent where prompts open none. */
  readonly thought?: string
  /** Where it begins when thoughts were asked for, whose markers are words otherwise. Absent where that changes nothing. */
  readonly thinking?: string
  readonly states: { readonly [name: string]: GrammarState }
  /**
   * Tokens that end a turn: in prose and between calls they end the reply, which is noted. A state that names one as a marker
   * of its own says itself what it means; it is noted where the reply ends behind it.
   */
  readonly stops: readonly string[]
  /** Markers of calls that prose holds as well, such as a fence: there they are no sign of a call that was lost. */
  readonly common?: readonly string[]
  /** What a head says; null where the reply ended in a head that may still have become one. */
  readonly readHead?: (text: string, place: HeadPlace) => ReadHead | null
  /** Takes a name as written apart; null where it is none. Default: the text is the name. */
  readonly readName?: (text: string) => ReadName | null
  /** A key as it is meant. Default: as written. */
  readonly readKey?: (text: string) => string
  /** The JSON of a value that stands as text; null where it has to be JSON and is none. Default: a JSON text. */
  readonly typeValue?: (text: string, place: ValuePlace) => string | null
  /** Whether the calls of a body have ids. */
  readonly hasIds?: true
  /** What a body of calls says; null where it holds none. */
  readonly readCalls?: ReadCalls
}

/** Reads a body of calls. */
export interface ReadCalls {
  (text: string): readonly BodyCall[] | null
  /** The same of a body that begins at a place of a text, where that can be told without knowing where it ends. */
  readonly at?: (text: string, from: number) => FoundBody
}

/** A body of calls in a text. */
export interface FoundBody {
  /** Null where none stands, or not all of it. */
  readonly calls: readonly BodyCall[] | null
  /** Where it ends, or is seen to be none. */
  readonly end: number
}
