/** What texts of a format are made of: its markers by their meaning, and how it writes a call. Plain data. */
export interface Language {
  /** Of the format, such as `nous`. */
  readonly id: string
  /** Each begins a call. */
  readonly callStart: readonly string[]
  /** Each stands inside a call and parts its pieces. */
  readonly callInner: readonly string[]
  /** Each ends a call. Empty where a call ends with the reply or the next call. */
  readonly callEnd: readonly string[]
  /** Around a thought; null where the format knows none. */
  readonly thought: { readonly start: string; readonly end: string } | null
  /** Words that end a reply. */
  readonly stopWords: readonly string[]
  /** What is left of them when their last token is missing. */
  readonly partialStopWords: readonly string[]
  /** A call as the format's own renderer writes it: around the name and the arguments. */
  readonly call: CallSpelling
  /** Whether a reply may have more than one call, and what stands between two. */
  readonly callSeparator: string | null
  /** Whether text stands before a call, and what ends it. */
  readonly proseEnd: string
  /** Further pieces that models write around calls of this format. */
  readonly pieces: readonly string[]
}

/** The text around name and arguments of a call. */
export interface CallSpelling {
  readonly beforeName: string
  readonly betweenNameAndArguments: string
  readonly afterArguments: string
}
