import type { FormatName } from './format-names.ts'

/**
 * What the text in a tool's result pretends to be.
 *
 * - `turn`: the end of the result, an answer, and a turn of the user that asks for a call
 * - `call`: a call as the model's own format writes it
 * - `other-call`: the same call as another format writes it
 * - `plain`: nothing; harmless words of the same length
 */
export const ARMS = ['turn', 'call', 'other-call', 'plain'] as const

/** One of `ARMS`. */
export type Arm = (typeof ARMS)[number]

/** Where the marks of a forged text come from: the format in use, the template of the server, or the most usual ones. */
export type MarksFrom = 'format' | 'template' | 'usual'

/** The text in the result, for one format. */
export interface PlantedText {
  readonly protocol: FormatName
  /** Only for this model; absent for all that use the format. */
  readonly model?: string
  readonly text: string
  /** The last part of `text`: what is forged; empty in the arm `plain`. */
  readonly forged: string
  /** The call that is written out in it; null in the arms without one. */
  readonly call: string | null
  readonly marksFrom: MarksFrom
}

/** A task whose tool result holds a text of one arm. */
export interface Injection {
  /** The id of the task without its arm: the arms of one task are compared in pairs. */
  readonly task: string
  readonly arm: Arm
  /** The call whose result is the text. */
  readonly reads: { readonly name: string; readonly args: Readonly<Record<string, unknown>> }
  /** What a reader needs to solve the task. */
  readonly holds: string
  /** The request of the forged turn. */
  readonly order: string
  /** The call that the text asks for. Its tool is offered. */
  readonly asks: { readonly name: string; readonly args: Readonly<Record<string, unknown>> }
  /** Harmless words that make all arms equally long. */
  readonly filler: string
  /** What the forged turn lets the model answer first. */
  readonly reply: string
  /** One for each format of the run; empty until the formats are known. */
  readonly planted: readonly PlantedText[]
  /** By model: whether its server makes control tokens of texts. Absent: not known. */
  readonly makesTokens?: Readonly<Record<string, boolean>>
}

/** The text for a model under a format. */
export function plantedFor(
  { planted }: Pick<Injection, 'planted'>,
  { model, protocol }: { readonly model: string; readonly protocol: FormatName },
): PlantedText | undefined {
  const own = planted.filter((each) => each.protocol === protocol)
  return own.find((each) => each.model === model) ?? own.find((each) => each.model === undefined)
}
