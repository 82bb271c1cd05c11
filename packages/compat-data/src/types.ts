/**
 * What an engine made of a case:
 *
 * - `passed`; `whitespace`: right but for white space at the ends of prose
 * - `id`: right but for ids of calls; `number`: right but for the spelling of a number
 * - `cut`: of a reply that ends inside a call, the rest is handed on so that its user sees that it is cut
 * - `refused`: a text that can be read was refused; `failed`: another answer; `errored`: none
 * - `contested`: the answer differs, and the case may be wrong
 * - `synthetic`: no user meets such a stream; `skipped`: not asked, with the reason
 */
export type CompatVerdict =
  | 'passed'
  | 'whitespace'
  | 'id'
  | 'number'
  | 'cut'
  | 'refused'
  | 'failed'
  | 'contested'
  | 'errored'
  | 'synthetic'
  | 'skipped'

/** `data/index.json`. */
export interface CompatIndex {
  /** The version of the form. A reader refuses a newer one. */
  readonly compatData: 1
  readonly casesVersion: string
  readonly engines: readonly CompatEngine[]
}

/** One engine, with the versions that were asked. */
export interface CompatEngine {
  readonly name: string
  readonly title: string
  /** Which part of it was asked, and how. */
  readonly what: string
  /** How a user chooses a parser: `{tool}` and `{reasoning}` are the parts of its name before and after `+`. */
  readonly flags: readonly string[]
  /** File of its answers by hash, below `data`. */
  readonly answers: string
  /** Newest first. */
  readonly versions: readonly CompatVersion[]
}

/** A version of an engine. */
export interface CompatVersion {
  readonly version: string
  /** YYYY-MM-DD, when the version was made; `dated` of the row says what the date is. */
  readonly date: string
  readonly commit: string | null
  /** YYYY-MM-DD, when it was asked. */
  readonly ran: string
  readonly casesVersion: string
  /** The file of its row, below `data`. */
  readonly file: string
}

/** `data/engines/NAME@VERSION.json`. */
export interface CompatRow extends Omit<CompatVersion, 'file'> {
  readonly compatData: 1
  readonly engine: string
  readonly title: string
  readonly what: string
  readonly dated: string
  /** The first digits of a hash of the adapter's programs; absent in older rows. */
  readonly adapter?: string
  /** Imports that a stub replaced. */
  readonly stubs: readonly string[]
  readonly notAsked: readonly { readonly parser: string; readonly format?: string; readonly why: string }[]
  /** `repeat`: asks one case again, in a clone of callspec; `{parser}`, `{format}` and `{case}` are replaced. */
  readonly commands: { readonly repeat: string }
  readonly results: readonly CompatResult[]
}

/** What one parser answered to the cases of one format and operation. */
export interface CompatResult {
  readonly parser: string
  /** A format, or a version of it: `glm-4.7@ling-3`. */
  readonly format: string
  /** `cut`: texts of `parse` and `stream`, streamed in tokens; their ids end with ` ~tokens` or another cut. */
  readonly operation: 'parse' | 'stream' | 'cut' | 'render'
  readonly counts: Readonly<Partial<Record<CompatVerdict, number>>>
  /**
   * The key in `data/asked.json` of the cases that were asked: what is not in `cases` passed. A case that is new, or has changed since, is
   * not among them, and counts nowhere.
   */
  readonly asked: string
  /** By id: the verdict of each case that did not pass, and the key of the answer or reason in the file of answers. */
  readonly cases: Readonly<Record<string, readonly [verdict: CompatVerdict, answer?: string]>>
}
