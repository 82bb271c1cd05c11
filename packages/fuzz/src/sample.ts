/** One text to ask a parser about, and how it is cut into chunks. Plain data: it is frozen, shrunk and printed. */
export interface Sample {
  readonly text: string
  /** Where the text is cut: UTF-16 offsets from 0 to its length, ascending. Two equal ones make an empty chunk. */
  readonly cuts: readonly number[]
  /** Another text, asked in between by the law that looks for a memory. */
  readonly other: string
  /** What the text was built from; null where only its characters are known, as in a corpus. */
  readonly plan: Plan | null
}

/** What a model meant to write: pieces in order, whose texts make the whole text. */
export interface Plan {
  readonly parts: readonly Part[]
}

/** A piece of a planned text. */
export type Part =
  | { readonly kind: 'prose'; readonly text: string }
  /** A thought with its tags. What looks like a call in it is a draft. */
  | { readonly kind: 'thought'; readonly text: string }
  | PlannedCall

/** A call as it was meant, and as it was written. */
export interface PlannedCall {
  readonly kind: 'call'
  readonly text: string
  readonly name: string
  /** JSON in Python's spelling. */
  readonly arguments: string
  /** Others, of every type, where values stand as text and `arguments` are texts alone. Absent: `arguments` have every type. */
  readonly typed?: string
  /** What is wrong with the text; null for a call that is written as the format teaches it. */
  readonly fault: CallFault | null
}

/** What may be wrong with the text of a planned call. */
export type CallFault =
  /** The closing marker is missing. */
  | 'not-closed'
  /** The arguments are left out, marker and all. */
  | 'no-arguments'
  /** `null` stands where the arguments should. */
  | 'null-arguments'
  /** A marker of the format stands in a text of the arguments. */
  | 'marker-in-value'

/** The chunks of a text: the pieces between its cuts. Joined they give the text; without cuts there is one. */
export function chunksOf(text: string, cuts: readonly number[]): readonly string[] {
  const chunks: string[] = []
  let start = 0
  for (const cut of cuts) {
    chunks.push(text.slice(start, cut))
    start = cut
  }
  chunks.push(text.slice(start))
  return chunks
}

/** A text in chunks of one UTF-16 unit; at least one chunk. */
export function unitsOf(text: string): readonly string[] {
  return text === '' ? [''] : text.split('')
}

/** The cuts between chunks: `chunksOf(chunks.join(''), cutsOf(chunks))` gives the chunks back. */
export function cutsOf(chunks: readonly string[]): readonly number[] {
  const cuts: number[] = []
  let at = 0
  for (const chunk of chunks.slice(0, -1)) {
    at += chunk.length
    cuts.push(at)
  }
  return cuts
}
