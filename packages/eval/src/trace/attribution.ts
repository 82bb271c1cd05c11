/**
 * Who has to change something so that a failed turn or episode succeeds.
 *
 * - `model`: what it wrote cannot be used, or does not do what was asked. Another model, more training, fewer tools.
 * - `prompt`: what it was shown led it there, or left it no room. Shorter history, tools in the prompt, results that cannot
 *   be taken for marks.
 * - `parser`: what it wrote can be read, but the reader of the host refuses it. A more lenient parser.
 * - `server`: the reply was lost, cut, or changed on the way. Stop words, tool parser, limits of the server.
 * - `setup`: our own settings of the evaluation broke the reply, so that it says nothing about the model. `--max-tokens`,
 *   `--timeout`.
 */
export const BLAMED = ['model', 'prompt', 'parser', 'server', 'setup'] as const

/** One of `BLAMED`. */
export type Blamed = (typeof BLAMED)[number]

/** Why something failed: exactly one cause, and what shows it. */
export interface Attribution {
  readonly blames: Blamed
  /** Id of the rule that found it. */
  readonly rule: string
  /** What it was among several things under the rule: the first repair that a reply needs. */
  readonly detail: string | null
  /** A short sentence with a quotation and its offset, or the field that shows it. May hold model text. */
  readonly evidence: string
  /**
   * What counts in its place where the whole row says so: for a cause that rests on token counts, the next one, because counts may
   * be made up; for one of the model, that the server cuts prompts. Absent where no row can change it.
   */
  readonly instead?: Attribution
}

/** The identity of a cause in counts, files and addresses: the rule and its detail, as JSON. */
export function causeKey({ rule, detail }: Pick<Attribution, 'rule' | 'detail'>): string {
  return JSON.stringify([rule, detail])
}
