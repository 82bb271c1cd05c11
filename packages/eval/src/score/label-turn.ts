import type { CallLine } from '../trace/trace.ts'
import type { TurnFlag, TurnLabel } from '@callspec/labels'
import type { ArgumentReason } from '../world/argument-issues.ts'
import type { Problem, Reading, Repair } from '../reading/call-block.ts'
import { argumentReasons, hasCalls, namesUnknownTool, viewTurn } from './view-turn.ts'
import type { TurnView, TurnViews } from './view-turn.ts'
import { withoutEndMarks, leaksMarker } from './markers.ts'
import { TURN_RULES } from './turn-rules.ts'
import type { TurnRule } from './turn-rules.ts'
import { flagsOf } from './turn-flags.ts'
import type { TurnInput } from './turn-input.ts'

/** What one reply of a model is worth. */
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
  /** For a reply that is cut off, hides its call, or goes on behind it: whether what is left is a call that could be made. */
  readonly salvageable: boolean
  /** Whether the reply says, perhaps with repairs, that the model has finished: -1. False where no number is asked for. */
  readonly saysEnd: boolean
  /** Whether the reply is an answer, and all that is wrong with it is an end mark behind it, which a server should take off. */
  readonly endMarkKept: boolean
}

/** A score with what it was read from, for those who have to explain it. */
export interface LabelledTurn {
  readonly score: TurnScore
  readonly views: TurnViews
}

/**
 * Labels one completion: the first rule that fits, once without and once with repairs. Pure; never throws on model
 * text; linear in it.
 *
 * @param rules the rules in order; another list than the default one is for tests
 */
export function labelTurn(input: TurnInput, rules: readonly TurnRule[] = TURN_RULES): TurnScore {
  return readTurn(input, rules).score
}

/** The same, with what was read. */
export function readTurn(input: TurnInput, rules: readonly TurnRule[] = TURN_RULES): LabelledTurn {
  const views = viewTurn(input)
  const { strict: strictView, lenient: lenientView } = views
  const strict = firstLabel(rules, strictView)
  const lenient = lenientView === strictView ? strict : firstLabel(rules, lenientView)
  const score: TurnScore = {
    strict,
    lenient,
    repairs: REPAIRED.has(lenient) ? lenientView.reading.repairs : [],
    problem: strictView.reading.problem,
    reasons: lenient === 'bad_args_schema' ? argumentReasons(lenientView, input) : [],
    flags: flagsOf(strictView, lenientView),
    salvageable: isSalvageable(strict, views, input),
    saysEnd: lenientView.reading.isEnd === true,
    endMarkKept: strict === 'leaked_marker' && ANSWERS.has(lenient) && onlyEndMarkLeaks(strictView),
  }
  return { score, views }
}

const ANSWERS: ReadonlySet<TurnLabel> = new Set<TurnLabel>(['final_answer', 'no_tool_text'])

function onlyEndMarkLeaks({ reader, visible, input }: TurnView): boolean {
  const body = withoutEndMarks(visible)
  return body !== visible && !leaksMarker(reader, body, { stopWordsSent: input.stopWordsSent !== false })
}

/** Labels of texts that were read, which may have taken repairs. */
const REPAIRED: ReadonlySet<TurnLabel> = new Set<TurnLabel>(['recovered', 'hallucinated_tool', 'bad_args_schema'])

function firstLabel(rules: readonly TurnRule[], view: TurnView): TurnLabel {
  // The last rule always fits; a shortened list in a test may lack it.
  return rules.find((rule) => rule.applies(view))?.label ?? 'no_tool_text'
}

/** Cutting at the mark that broke the reply would leave a call that is read, known, and valid. */
function isSalvageable(strict: TurnLabel, { lenient, inThought }: TurnViews, input: TurnInput): boolean {
  if (strict === 'call_in_thought') return isExecutable(inThought, input)
  return TRAILING_FAULTS.has(strict) && isExecutable(lenient.reading, input)
}

/** What these labels say stands behind the call, if there is one. */
const TRAILING_FAULTS: ReadonlySet<TurnLabel> = new Set<TurnLabel>([
  'truncated',
  'hallucinated_observation',
  'leaked_marker',
])

function isExecutable(reading: Reading, input: TurnInput): boolean {
  const view = { reading }
  return hasCalls(reading) && !namesUnknownTool(view, input) && argumentReasons(view, input).length === 0
}

/** How the calls of a turn could be read: as the format prescribes, with repairs, or not at all (null). */
export type Parsed = 'strict' | 'lenient' | null

/**
 * A good call, and one that the host read and made although more stands in the reply than should: what goes on behind a
 * stop word does not undo the call before it.
 */
export function parsedAs({ score, views }: LabelledTurn, calls: readonly CallLine[]): Parsed {
  if (score.strict === 'well_formed') return 'strict'
  if (score.lenient === 'recovered') return 'lenient'
  const readable = views.lenient.reading.calls?.length ?? 0
  if (!score.salvageable || readable === 0 || !wasMade(calls, readable)) return null
  return score.strict !== 'leaked_marker' && hasCalls(views.strict.reading) ? 'strict' : 'lenient'
}

/** Whether the host made as many calls as can be read, and their arguments could be read too. */
export function wasMade(calls: readonly CallLine[], readable: number): boolean {
  return calls.length >= readable && calls.every(({ result }) => !UNREADABLE.test(result))
}

/** How tools answer to arguments that are no JSON. */
const UNREADABLE = /"code":"bad_arguments","message":"Parameters must be formatted as a valid JSON/
