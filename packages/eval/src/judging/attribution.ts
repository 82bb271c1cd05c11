import type { Attribution, Blamed, ScoredTurn } from '../score/scores.ts'
import { RESTS_ON } from '../score/scores.ts'
import type { Swallowed } from '../reading/swallowed.ts'
import type { EvalFormat } from '../formats/eval-format.ts'
import type { TurnLine, TurnQuestion, CallLine, EpisodeTrace } from '../trace/trace.ts'
import type { ForgedScore } from '../score/forged-outcome.ts'
import type { LabelledTurn } from '../score/label-turn.ts'
import type { TurnInput } from '../score/view-turn.ts'
import type { EndLabel } from '@callspec/labels'
import type { Task, ToolSpec } from '../trace/task.ts'
import type { MadeCall } from '../score/verdict.ts'
import { promptFrame } from '@callspec/core'

/** One line of a table of causes. */
export interface AttributionRule<View> {
  readonly id: string
  readonly blames: Blamed
  /** When it holds, for people. */
  readonly means: string
  /** What shows it; null where the rule does not hold. */
  readonly evidence: (view: View) => string | null
  readonly detail?: (view: View) => string | null
}

/** The first rule that holds, with the next one that rests on no count; null for none. */
export function attribute<View>(rules: readonly AttributionRule<View>[], view: View): Attribution | null {
  for (const { id, blames, evidence, detail } of rules) {
    const found = evidence(view)
    if (found === null) continue
    const cause = { blames, rule: id, detail: detail?.(view) ?? null, evidence: found }
    const instead = RESTS_ON.has(id) ? attribute(withoutCounts(rules), view) : null
    return instead === null ? cause : { ...cause, instead }
  }
  return null
}

/** The rules that do not rest on a server's counts. */
export function withoutCounts<View>(rules: readonly AttributionRule<View>[]): readonly AttributionRule<View>[] {
  return rules.filter(({ id }) => !RESTS_ON.has(id))
}

export interface ReplyExchange {
  readonly format: EvalFormat
  readonly line: TurnLine
  /** What the model is called in requests and reports; empty where that is not known. */
  readonly asked: readonly string[]
  readonly rendered: RenderedPrompts
  readonly lost: LostTexts
  readonly damaged: DamagedTexts
}

/** What the counts of an episode say of texts that did not arrive. */
export interface LostTexts {
  /** What is missing from the reply of a turn without a call; null where nothing shows that anything is. */
  readonly of: (turn: number) => Swallowed | null
  readonly forcesCall: boolean
}

/** The replies of an episode with the characters that U+FFFD took the place of, as far as the prompt has the same words. */
export interface DamagedTexts {
  /** Null where nothing is damaged, or the prompt has no such word. */
  readonly restored: (turn: number, text: string) => RestoredText | null
}

export interface RestoredText {
  readonly text: string
  /** The first damaged word with its place, and what the prompt has. */
  readonly evidence: string
}

/** A cause that shows in the request and its answer, without reading the reply. */
export type TransportCause = AttributionRule<ReplyExchange>

/** What the rules for a failed turn see. */
export interface FailedTurn extends LabelledTurn, ReplyExchange {
  readonly input: TurnInput
  readonly calls: readonly CallLine[]
  /** What the host asked for next; null for nothing in particular. A number that it understood leads to the arguments. */
  readonly askedNext: TurnQuestion | null
  readonly prompt: PromptView
  /** Whether the stop words of the format were sent. */
  readonly stopsSent: boolean
}

/** What the rules for a failed episode see. */
export interface FailedEpisode extends Omit<ReplyExchange, 'line'> {
  readonly trace: EpisodeTrace
  readonly end: EndLabel
  /** Why the verdict did not pass; empty when it did. */
  readonly reasons: readonly string[]
  readonly turns: readonly ScoredTurn[]
  readonly calls: readonly MadeCall[]
  readonly task: Pick<Task, 'goldCalls' | 'maxModelCalls'>
  /** The task and the results so far, before each turn. */
  readonly givenBefore: (turn: number) => readonly string[]
  readonly prompt: Omit<PromptView, 'given'>
  /** Whether the verdict would pass if the last reply were this text. */
  readonly wouldPass: (final: string) => boolean
  /** Whether it would with these replies and calls. */
  readonly wouldPassAs: (trace: EpisodeTrace) => boolean
  /** What it did with a forged text; null for a task without one. */
  readonly forged: ForgedScore | null
}

/** An episode takes over the cause of the turn that ended it, or it has one of its own. */
export type EpisodeCause = AttributionRule<FailedEpisode>

/** What a rule can see of the prompt of a turn. */
export interface PromptView {
  /** The task, then the results so far. */
  readonly given: readonly string[]
  /** Whether the prompt names any offered tool; null where that is not recorded, or tools are no part of the text. */
  readonly showsTools: () => boolean | null
  /** The name of an earlier call that the prompt leaves out; null where none is known to be missing. */
  readonly lostCall: () => string | null
  /** The example of a call in another syntax in the prompts; null where none is known. */
  readonly otherSyntax: () => string | null
}

/** The prompts of an episode. Recorded messages are read only if a rule asks. */
export function promptsOf(
  lines: readonly TurnLine[],
  tools: readonly ToolSpec[],
  toolsAreText: boolean,
): () => boolean | null {
  let known: boolean | null | undefined
  return () => {
    known ??= toolsAreText ? namesTools(lines, tools) : null
    return known
  }
}

function namesTools(lines: readonly TurnLine[], tools: readonly ToolSpec[]): boolean | null {
  const texts = lines.map(({ sent }) => (typeof sent.added === 'string' ? sent.added : JSON.stringify(sent.added)))
  const isRecorded = texts.some((text) => text.length > '[]'.length)
  if (!isRecorded || tools.length === 0) return null
  return texts.some((text) => tools.some(({ name }) => text.includes(name)))
}

/**
 * The first call of earlier turns, where the prompts of the format's maker leave such calls out and those that were sent
 * hold no beginning of one. Null for prompts that are not recorded as one text.
 */
export function lostCallOf(
  { turns, calls }: Pick<EpisodeTrace, 'turns' | 'calls'>,
  turn: number,
  { format }: EvalFormat,
): string | null {
  const first = calls.find((call) => call.turn < turn)
  if (first === undefined || format === undefined || promptFrame(format)?.showsCalls !== false) return null
  const later = turns.filter((line) => line.turn > first.turn && line.turn <= turn).map(({ sent }) => sent.added)
  const isShown = later.some(
    (added) => typeof added !== 'string' || format.markers.callStart.some((mark) => added.includes(mark.trim())),
  )
  return later.length === 0 || isShown ? null : first.name
}

/** The call that the prompts of the format's maker ask for in another syntax, as far as prompts were recorded that do. */
export function otherSyntaxOf({ turns }: Pick<EpisodeTrace, 'turns'>, { format }: EvalFormat): string | null {
  const example = format === undefined ? null : (promptFrame(format)?.otherSyntax ?? null)
  if (example === null) return null
  return turns.some(({ sent: { added } }) => typeof added === 'string' && added.includes(example)) ? example : null
}

/** A quotation is that long at most. */
const LONGEST_EVIDENCE = 60

/**
 * A part of a text as evidence: in quotes, on one line, at most 60 characters, with its offset in UTF-16 units.
 *
 * @param length how much of it is meant; to the end of the text unless given
 */
export function at(text: string, offset: number, length: number = text.length - offset): string {
  return `${quote(text.slice(offset, offset + length))} at ${offset}`
}

/** A text in quotes, on one line, at most 60 characters. */
export function quote(text: string): string {
  return inQuotes(text.slice(0, LONGEST_EVIDENCE), { isCut: text.length > LONGEST_EVIDENCE })
}

function inQuotes(text: string, { isCut }: { readonly isCut: boolean }): string {
  return `${JSON.stringify(text)}${isCut ? '…' : ''}`
}

/** The offset of `part` in the whole reply; readers see the reply without its thinking. */
export function offsetIn(whole: string, part: string): number {
  return Math.max(0, whole.indexOf(part.slice(0, LONGEST_EVIDENCE)))
}

/** What a server's count of prompt tokens says of what the model got to read. */
export interface RenderedPrompts {
  /** What shows that messages or tools of the prompt of a turn are missing from it; null where nothing does. */
  readonly lacksPrompt: (turn: number) => string | null
  /** What shows that the results since the first turn of its kind are missing from it; null where nothing does. */
  readonly lacksResults: (turn: number) => string | null
}

/** The end of a text, quoted with its place. */
export function tailOf(text: string): string {
  const from = Math.max(0, text.length - QUOTED_TAIL)
  return text === '' ? quote('') : at(text, from)
}

/** Characters of the end of a reply that are quoted. */
export const QUOTED_TAIL = 40
