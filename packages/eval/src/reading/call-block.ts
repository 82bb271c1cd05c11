import type { PyValue } from '@callspec/python'

/** A repair that a reader had to make; every turn that needed one says which. Strict reading allows none. */
export const REPAIRS = [
  'close-tag',
  'tag-case',
  'missing-colon',
  'missing-tags',
  'call-list',
  'single-quotes',
  'trailing-comma',
  'comment',
  'unquoted-key',
  'json5',
  'python-literals',
  'no-value',
  'full-width',
  'raw-newline',
  'invisible-character',
  'code-fence',
  'closing-bracket',
  'trailing-text',
  'empty-arguments',
  'arguments-alias',
  'flat-arguments',
  'double-encoding',
  'action-line',
  'keyword-case',
  'localised-keyword',
  'marker-cut',
  'quoted-marker',
  'surrounding-text',
  'state-name',
] as const
export type Repair = (typeof REPAIRS)[number]

/** Where a call stands in a text, before its JSON is read. */
export interface CallBlock {
  /** Null where the name is a member of the JSON (nous). */
  readonly name: string | null
  readonly json: string
  /** What was wrong with the markers around it. */
  readonly repairs: readonly Repair[]
  readonly start: number
  readonly end: number
}

/** A call as read. */
export interface ReadCall {
  readonly name: string
  /** Plain JSON data; a text where the arguments were encoded twice, null where they are asked for later. */
  readonly args: unknown
  /** The same without loss: `1` and `1.0` are two values. Absent where the arguments are asked for later. */
  readonly exact?: PyValue
}

/** Why a block is no call, for people. */
export type Problem =
  | 'tag not closed'
  | 'markers malformed'
  | 'not JSON'
  | 'no name'
  | 'no arguments'
  | 'name is no text'
  | 'arguments are no object'
  | 'no tags round the call'
  | 'no single state number'
  | 'call left in the text'
  | 'call in another form'

/** What a reader made of a text. `calls` is null when a call was meant but could not be read. */
export interface Reading {
  readonly intent: boolean
  readonly calls: readonly ReadCall[] | null
  readonly repairs: readonly Repair[]
  readonly problem: Problem | null
  /** Whether the text says in so many words that the model has finished, as -1 does. Absent: no. */
  readonly isEnd?: true
}

/** A text without a call. */
export const NO_CALL: Reading = { intent: false, calls: [], repairs: [], problem: null }
