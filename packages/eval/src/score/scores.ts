import type { Usage, Finish } from '../trace/completion.ts'
import type { TurnQuestion, TriedEndpoint, EpisodeKey, EpisodeTrace } from '../trace/trace.ts'
import type { TurnLabel, TurnFlag, EndLabel } from '@callspec/labels'
import { TURN_LABELS } from '@callspec/labels'
import type { ArgumentReason } from '../world/argument-issues.ts'
import type { Problem, Repair } from '../reading/call-block.ts'
import type { Task } from '../trace/task.ts'
import type { ForgedScore } from './forged-outcome.ts'

/**
 * Who has to change something so that a failed turn or episode succeeds.
 *
 * - `model`: what it wrote cannot be used, or does not do what the task asks. Another model, more training, fewer tools.
 * - `prompt`: what it was shown led to the failure, or left no room. Shorter history, tools in the prompt, results that cannot
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

/** A count of `usage`. */
export type CountName = 'prompt' | 'completion'

/** The causes that rest on a token count of the server, which may be wrong, and on which. */
export const RESTS_ON: ReadonlyMap<string, CountName> = new Map([
  ['call-swallowed', 'completion'],
  ['text-swallowed', 'completion'],
  ['arguments-swallowed', 'completion'],
  ['prompt-not-rendered', 'prompt'],
  ['results-not-rendered', 'prompt'],
])

/** The cause that only a whole row proves: its server cuts prompts. */
export const PROMPT_SHRINKS = 'prompt-shrinks'

/** The labels of one reply. */
export interface TurnScore {
  /** Without repairs. Never `recovered`. */
  readonly strict: TurnLabel
  /** With them. */
  readonly lenient: TurnLabel
  /** What it took to read the calls; empty unless the lenient label needed it. */
  readonly repairs: readonly Repair[]
  /** Why the strict reader found no call, where one was meant. */
  readonly problem: Problem | null
  /** What is wrong with the arguments, for `bad_args_schema`. */
  readonly reasons: readonly ArgumentReason[]
  readonly flags: readonly TurnFlag[]
  /** For a reply that is cut off, hides its call, or goes on after it: whether the rest is a call that can be made. */
  readonly salvageable: boolean
  /** Whether the reply says, perhaps with repairs, that the model has finished: -1. False where no number is asked for. */
  readonly saysEnd: boolean
  /** Whether the reply is an answer, and its only fault is an end mark after it, which the server should remove. */
  readonly endMarkKept: boolean
}

/** How the calls of a turn could be read: as the format prescribes, with repairs, or not at all (null). */
export type Parsed = 'strict' | 'lenient' | null

/** A completion with its labels. */
export interface ScoredTurn extends TurnScore {
  readonly turn: number
  readonly id: string
  /** What the reply was asked for; null where it may be anything. */
  readonly asked: TurnQuestion['kind'] | null
  /** Why the reply ended, in one spelling. */
  readonly finish: Finish
  /** Milliseconds to the end of the reply; null without a reply, and for one from a cache. */
  readonly ms: number | null
  /** Milliseconds to the first part of a streamed reply. */
  readonly firstMs: number | null
  /** Null where the server reports none. */
  readonly usage: Usage | null
  readonly cached: boolean
  readonly attempts: number
  /** In a run with several endpoints: which one answered, and which ones failed before. */
  readonly endpoint?: string
  readonly tried?: readonly TriedEndpoint[]
  /** How its calls could be read; null where they could not, and without calls. */
  readonly parsed: Parsed
  /** Warnings about the reply, as short codes. */
  readonly warnings: readonly string[]
  /** Why the reply cannot be used; null where it can. */
  readonly attribution: Attribution | null
}

/** Whether a reply is a good call, an answer, or a text in which nothing was meant to be a call. */
export function isUsable({ strict, lenient }: { readonly strict: TurnLabel; readonly lenient: TurnLabel }): boolean {
  if (strict === 'no_tool_text') return lenient === 'no_tool_text' || lenient === 'final_answer'
  return strict === 'well_formed' || strict === 'final_answer'
}

/** The labels of turns in which a call was meant. */
export const ATTEMPTS: ReadonlySet<TurnLabel> = new Set(TURN_LABELS.filter((label) => !isNoAttempt(label)))

function isNoAttempt(label: TurnLabel): boolean {
  return ['infra_error', 'truncated', 'empty', 'final_answer', 'no_tool_text'].includes(label)
}

/** Whether a call was meant, under either reading. An answer before an end mark that the server left is not a call. */
export function meantCall({
  strict,
  lenient,
  endMarkKept,
}: Pick<TurnScore, 'strict' | 'lenient' | 'endMarkKept'>): boolean {
  return !endMarkKept && (ATTEMPTS.has(strict) || ATTEMPTS.has(lenient))
}

/** Whether a reply has the form in which the format ends, be it before an end mark that a server left there. */
export function isFinalAnswer({
  strict,
  lenient,
  endMarkKept,
}: Pick<ScoredTurn, 'strict' | 'lenient' | 'endMarkKept'>): boolean {
  return strict === 'final_answer' || (endMarkKept && lenient === 'final_answer')
}

/** The result of one episode: its end, its verdict, its turns. */
export interface EpisodeScore {
  readonly key: EpisodeKey
  readonly category: Task['category']
  readonly lang: Task['lang']
  readonly end: EndLabel
  /** Which budget was used up, of `budget_exhausted`. */
  readonly limit: 'model_calls' | null
  readonly cleanStop: boolean
  /** Whether the verdict of the task passed. */
  readonly pass: boolean
  /** Why it did not; empty when it did. */
  readonly reasons: readonly string[]
  /** Verdict and clean stop. */
  readonly success: boolean
  /** The one cause of an episode without success; null for a success. */
  readonly attribution: Attribution | null
  /** The share of the demanded calls that was made; null where the verdict demands none. */
  readonly progress: number | null
  readonly calls: number
  /** How many of them had been made before with the same result. */
  readonly redundantCalls: number
  /** How many more than the reference plan makes; null without such a plan. */
  readonly excessCalls: number | null
  /** How the calls fit those of a right run; null where the task does not name them. */
  readonly callMatch: CallMatch | null
  /** Whether a call was due in the first reply, and meant; null where the verdict leaves it open. */
  readonly trigger: Trigger | null
  /** Null when the server reported none for some turn, or one came from a cache. */
  readonly tokens: TokenUse | null
  /** What the model said, see `repliesHash`; earlier versions did not keep it. */
  readonly replies?: string
  /** How many turns were played before the episode restarted; they count nowhere. Absent without a restart. */
  readonly superseded?: number
  /** Whether a reply that did what was asked counts more tokens than it can take: then the server’s counts prove no loss. */
  readonly countsTooMany?: true
  /** What it did with the forged text of its task; absent for tasks without one. */
  readonly forged?: ForgedScore
  readonly turns: readonly ScoredTurn[]
}

/** Tokens of an episode as the server counted them. */
export interface TokenUse {
  readonly prompt: number
  readonly completion: number
  /** How many of `completion` went into thinking; null where the server does not say. */
  readonly reasoning: number | null
}

/** Whether a call was due at the start of a task, and whether one was meant: TP, FP, FN or TN. */
export type Trigger = 'tp' | 'fp' | 'fn' | 'tn'

/** How the calls of an episode fit those of a right run. Precision is matched / made, recall matched / gold. */
export interface CallMatch {
  readonly matched: number
  readonly made: number
  readonly gold: number
}

/** An episode as recorded and as scored. */
export interface PlayedEpisode {
  readonly trace: EpisodeTrace
  readonly score: EpisodeScore
}

/** The scorer's version: it changes whenever the same trace may get another label, verdict or cause. */
export const SCORER_VERSION = '5'

/** What a version judges otherwise than the one before it, a sentence each; `callspec rescore` prints them. */
export const SCORER_CHANGES: Readonly<Record<string, readonly string[]>> = {
  '3': [
    'A reply that our own --max-tokens cut off is blamed on setup, no longer on the model.',
    'Blamed on the server, no longer on the model: another model that answers, a prompt without the tools or the results, swallowed arguments, a stream cut without a finish reason, eaten ✿ marks, a reply that came as reasoning, and a native call of any known format left in the text.',
    'Under native, marks in a sentence and code within prose are not calls.',
    'A reply that did not end before the time-out or the size limit is truncated and ends its episode as runaway; one that its server could not read is labelled by its text. Runs that were played before hold both as failures of the way to the server.',
    'The number that an answer offers last counts, with its sign; a negated one, a range, and a list of many offer none.',
    'Words of an answer do not count where they are negated, nor digits inside of a longer number.',
    'A right answer before an end mark that the server left is a success; the mark is counted, and the server is to blame.',
    'A number in words that a role understood is odd, no longer refused by its parser.',
    'A call that the host read and made counts as parsed, though the text goes on after it.',
  ],
  '4': [
    'Read strictly is what the format’s own reader reads without an error, under the version that the run names; repairs are made over the markers of each format.',
    'nous: a call with <tool_call> or </tool_call> inside of an argument is malformed, as the host breaks it there; the repair is quoted-marker.',
    'nous: </think> inside of an argument ends no thought.',
    'qwen: a second ✿ARGS✿ after one ✿FUNCTION✿ is malformed, with the repair call-list; text after the arguments, which the host drops, leaves a call well formed; ✿FUNCTION✿ without a name is not repaired.',
    'react: a reply that begins with "Action:" is malformed, no longer a text; so is a call with "Final Answer:" or a line "Observation:" in its arguments. Both are repaired.',
    'A number too large for a double is malformed where the host prints it as Infinity.',
    'Blamed on the prompt, no longer on the model: failures where a prompt names no offered tool, or where the prompt of a format’s maker leaves out the calls of earlier turns.',
    'Any format: a marker that ends a call where none is open is a leaked marker.',
    'Any format: values that JSON does not have (not-a-number and its kin) are read as null where a reply is put right, so that the schema refuses them, and not as a text.',
  ],
  '5': [
    'Blamed on the server, no longer on the model: a reply without a call of which far fewer characters came than tokens were counted, unless the other replies of the row show that the server hides thoughts or makes its counts up.',
    'Blamed on the server, no longer on the model: prompts that shrink from turn to turn in most episodes of a row that mostly fail.',
    'Blamed on the server, no longer on the model: errors that come as the reply, calls without a name, several calls merged in one arguments text, replies escaped as HTML or decoded with the wrong character set, and calls left in a fence of tool_code.',
    'Blamed on setup, no longer on the model: what --stops off let go on after a stop word, and episodes that --max-calls stopped before the calls of the reference plan and an answer could be made.',
    'react: keywords in bold (**Action:**) are read with a repair, and blamed on the parser.',
    'pythonic, llama-4: a call that the format itself reads is no longer a call in another format.',
    'Token counts that are always the same no longer blame the server for a wrong answer.',
    'A reply that our own --timeout cut off while new text was coming is blamed on setup, one of which nothing came any more on the server; only one that repeats itself or reaches the size limit on the model.',
    'An answer on which a regular expression of the suite takes longer than a second is blamed on setup.',
    'A call that a reply copies from a result is a call in formats whose calls have no markers, too, such as llama3-json.',
    'Blamed on the server, no longer on the model: failures by U+FFFD in words that the prompt has whole.',
  ],
}

/** The sentences of all versions after the given one; none for one that is not known. */
export function scorerChangesSince(version: string): readonly string[] {
  const since = Number(version)
  return Object.entries(SCORER_CHANGES).flatMap(([later, sentences]) => (Number(later) > since ? sentences : []))
}
