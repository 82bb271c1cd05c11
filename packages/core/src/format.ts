import type { Message, ItemMessage, TextMessage, ToolDefinition } from './messages/message.ts'
import type { Profile, ProfileName } from './profile.ts'
import type { PlainValue, Outcome, ReferenceError } from '@callspec/python'
import type { Tokenizer } from './tokenizer.ts'

/**
 * A tool as a caller hands it over: an ordered map read with `loads`, or plain data with `name`, `description` and
 * `parameters`. Formats of users get plain data.
 */
export type ToolSpec = ToolDefinition | { readonly [key: string]: PlainValue }

/** Which tool the model may call: any (`auto`), none, or exactly one. */
export type ToolChoice = 'auto' | 'none' | { readonly name: string }

/** Everything that a prompt is made of. */
export interface RenderRequest {
  readonly messages: readonly Message[]
  readonly tools: readonly ToolSpec[]
  readonly language: 'en' | 'zh'
  /** Whether the prompt invites several calls in one reply. */
  readonly parallelCalls: boolean
  readonly toolChoice: ToolChoice
  /** Whether code travels outside the JSON of a call (`SPECIAL_CODE_MODE` of the reference, nous only). */
  readonly codeMode?: boolean
  /** The version of the reference, such as `v0.0.26` or `qwen-agent@main`. Default: the format's. */
  readonly profile?: Profile | string
}

/** What `renderTools` needs of a request. */
export type RenderToolsRequest = Pick<RenderRequest, 'tools' | 'language' | 'parallelCalls' | 'codeMode' | 'profile'>

/** A message of the prompt: a text, or items where the conversation has images, audio or video. */
export type PromptMessage = Message

/** How a reply is read. What is left out is as in the reference's defaults. */
export interface ParseOptions {
  /** The version of the reference, such as `v0.0.26` or `qwen-agent@main`. Default: the format's. */
  readonly profile?: Profile | string
  /** Whether all calls of the reply count (qwen). Default false: only the first does. */
  readonly parallelCalls?: boolean
  /** What the prompt asked for. With `none` the text stays as it is. Default `auto`. */
  readonly toolChoice?: ToolChoice
  /** Whether code travels outside the JSON of a call (nous). Default false. */
  readonly codeMode?: boolean
  /** Whether the reply starts inside a thought that ends with `</think>` (nous). Default false. */
  readonly thoughtInContent?: boolean
  /** Cuts the reply at stop words first: the format's own, or these. Default: no cutting. */
  readonly stopWords?: 'default' | readonly string[]
  /** Needed for stop words that no format has, to know what is left of them when their last token is missing. */
  readonly tokenizer?: Tokenizer
  /** Leaves out the issues `arguments-not-json` and `arguments-not-object`, and with them the cost of reading arguments that travel as text. */
  readonly rawArguments?: boolean
}

/** A message as `parse` gives it: text as content, and perhaps a call. */
export interface AssistantMessage extends TextMessage {
  readonly role: 'assistant'
}

/** The issues of the built-in formats. Their README files say when each arises. */
export type IssueCode =
  | 'argument-list'
  | 'arguments-not-json'
  | 'arguments-not-object'
  | 'call-at-start'
  | 'call-dropped'
  | 'call-not-closed'
  | 'call-not-json'
  | 'call-not-strict-json'
  | 'call-without-arguments'
  | 'call-without-name'
  | 'choice-not-supported'
  | 'empty-name'
  | 'empty-reply'
  | 'marker-removed'
  | 'members-dropped'
  | 'name-not-text'
  | 'partial-stop-word'
  | 'stop-word-in-text'
  | 'text-after-call-dropped'
  | 'text-dropped'

/**
 * Something that a reader of the reply should know: what was dropped, repaired or guessed.
 *
 * Every character of the text is in a message, is part of a marker, is white space at the edge of a segment, or lies in
 * the range of an issue.
 */
export interface Issue {
  /** One of `IssueCode` in the built-in formats; formats of users may have codes of their own. */
  readonly code: string
  readonly message: string
  /** UTF-16 offset into the text given to `parse`. */
  readonly start: number
  /** One past the last character. */
  readonly end: number
}

/** What a reply means. `rejected` is a result, not an exception: the reference raises on this text. */
export type ParseOutcome =
  | { readonly kind: 'parsed'; readonly messages: readonly AssistantMessage[]; readonly issues: readonly Issue[] }
  | { readonly kind: 'rejected'; readonly error: ReferenceError; readonly issue: Issue }

/** How a reply is read while it arrives. */
export interface StreamOptions extends ParseOptions {
  /**
   * Is told how many characters the parser has looked at, in `push` and in `snapshot`: a search that runs over `k`
   * characters counts `k`, and so does reading a piece again. Characters that only stand in an answer do not count. For
   * checking that the work is linear; without it nothing is counted.
   */
  readonly onExamined?: (characters: number) => void
}

/** `parse` with memory: takes a reply in chunks and says at any time what `parse` says about all of them. */
export interface StreamParser {
  /** Takes the next chunk; it may be cut anywhere, also inside a surrogate pair. */
  readonly push: (chunk: string) => void
  /** Exactly what `parse` gives for everything pushed so far. */
  readonly snapshot: () => ParseOutcome
}

/**
 * The texts to which a format gives a meaning, by that meaning. Parsers are not made from them: they are for whoever
 * writes texts of the format, such as a generator of test data.
 */
export interface FormatTokens {
  /** Each begins a call. */
  readonly callStart: readonly string[]
  /** Each stands inside a call, between its pieces. Empty where the inside is one JSON value. */
  readonly callInner: readonly string[]
  /** Each ends a call. Empty where a call ends with the reply or with the next call. */
  readonly callEnd: readonly string[]
  /** Around a thought that is not searched for calls. Absent where the format knows none. */
  readonly thought?: { readonly start: string; readonly end: string }
  /** What else the parser reacts to, and what models write in its neighbourhood. */
  readonly others?: readonly string[]
  /** What stands before a final answer. Absent where a reply without a call is one. */
  readonly answer?: string
  /** Other words that models write for a marker, without its punctuation: a translation. No parser knows them. */
  readonly alsoWritten?: Readonly<Record<string, readonly string[]>>
}

/**
 * A prompt format as a value: how tools, calls and results are shown to a model, and how its replies are read.
 *
 * Outside users write one of these; nothing here touches a network, a file or a clock.
 */
export interface PromptFormat {
  readonly id: string
  /** Words that end a reply. Empty where the format needs none. */
  readonly stopWords: readonly string[]
  /** What is left of a stop word when its last token is missing, by the word. Others need a tokenizer. */
  readonly partialStopWords?: ReadonlyMap<string, string>
  /** What its texts are made of. Where a format has none, they can be learned from what `render` writes. */
  readonly tokens?: FormatTokens
  /** The tool section of the prompt alone, as the model will see it. */
  readonly renderTools?: (request: RenderToolsRequest) => string
  /** The whole prompt: tool section in place, calls and results flattened to text. */
  readonly render: (request: RenderRequest) => readonly PromptMessage[]
  /** Defined for every text: never throws because of what a model wrote. */
  readonly parse: (text: string, options?: ParseOptions) => ParseOutcome
  /** Reads a reply while it arrives. Default: all of it is parsed again when a snapshot is requested. */
  readonly createStreamParser?: (options?: StreamOptions) => StreamParser
}

/** A format that callspec brings along. */
export interface BuiltInFormat extends PromptFormat {
  readonly tokens: FormatTokens
  readonly renderTools: (request: RenderToolsRequest) => string
  /** The versions of the reference that have the format, newest first. */
  readonly profiles: readonly ProfileName[]
  /** The newest version in which the format works from end to end. */
  readonly defaultProfile: ProfileName
}

/** Input of `preprocessFncallMessages`, in the reference's terms. */
export interface PreprocessRequest {
  /** In multimodal form (spec §4.1). */
  readonly messages: readonly Message[]
  readonly functions: readonly ToolDefinition[]
  readonly lang: 'en' | 'zh'
  /** Default true, as in the reference. */
  readonly parallelFunctionCalls?: boolean
  /** `auto`, `none` or the name of a tool. Default `auto`. */
  readonly functionChoice?: string
  /** Default false. */
  readonly codeMode?: boolean
  readonly profile: Profile
}

/** Input of `postprocessFncallMessages`, in the reference's terms. */
export interface PostprocessRequest {
  /** What the model answered, in multimodal form (spec §4.1). */
  readonly messages: readonly Message[]
  /** Default true, as in the reference. */
  readonly parallelFunctionCalls?: boolean
  /** `auto`, `none` or the name of a tool. Default `auto`. */
  readonly functionChoice?: string
  /** Default false. */
  readonly codeMode?: boolean
  /** Default false. */
  readonly thoughtInContent?: boolean
  readonly profile: Profile
}

/** A format that the reference knows as a `fncall_prompt_type`, with the reference's two functions as members. */
export interface FncallFormat extends BuiltInFormat {
  /**
   * The messages with calls and results flattened to text and the tool section added.
   *
   * @throws InputError for messages of the wrong form, naming index and field
   */
  readonly preprocessFncallMessages: (request: PreprocessRequest) => Outcome<readonly ItemMessage[]>
  /**
   * What the model answered, with its calls found.
   *
   * @throws InputError for messages of the wrong form, naming index and field
   */
  readonly postprocessFncallMessages: (request: PostprocessRequest) => Outcome<readonly Message[]>
}
