import { TURN_CAUSES } from '../attribution/turn-causes.ts'
import { attribute } from '../attribution/attribution.ts'
import type { PromptView } from '../attribution/prompt-view.ts'
import type { Exchange } from '../attribution/attribution.ts'
import { isOfModel, finishOf } from '../trace/completion.ts'
import type { TurnQuestion, CallLine, TurnLine } from '../trace/trace.ts'
import type { TaskLanguage, ToolSpec } from '../trace/task.ts'
import { isUsable } from '../score/scored-turn.ts'
import { parsedAs } from '../score/label-turn.ts'
import { readTurn } from '../score/label-turn.ts'
import type { ScoredTurn } from '../score/scored-turn.ts'
import type { TurnInput } from '../score/turn-input.ts'
import type { TurnRule } from '../score/turn-rules.ts'

/** What a turn is scored with, in addition to its line. */
export interface TurnContext extends Omit<Exchange, 'line'> {
  readonly tools: readonly ToolSpec[]
  readonly language: TaskLanguage
  readonly maxTokens: number | null
  readonly rules: readonly TurnRule[]
  /** The calls that the host made for it. */
  readonly calls: readonly CallLine[]
  /** What the host asked for next; null for nothing in particular. */
  readonly askedNext: TurnQuestion | null
  readonly prompt: PromptView
  readonly stopsSent: boolean
}

/** Scores one recorded completion. */
export function scoreTurn(line: TurnLine, context: TurnContext): ScoredTurn {
  const input = inputOf(line, context)
  const labelled = readTurn(input, context.rules)
  const { score, views } = labelled
  const { format, calls, askedNext, prompt, asked, rendered, lost, stopsSent } = context
  const isFine = line.failure === null && isUsable(score)
  // Member by member: a spread of the score would cost more than scoring.
  const scored: ScoredTurn = {
    turn: line.turn,
    id: line.id,
    asked: line.question?.kind ?? null,
    finish: finishOf(line.finishReason),
    ms: line.cached || input.failed ? null : line.ms,
    firstMs: line.cached ? null : (line.chunks?.[0]?.[0] ?? null),
    usage: line.usage,
    cached: line.cached,
    attempts: line.attempts,
    warnings: line.warnings,
    strict: score.strict,
    lenient: score.lenient,
    repairs: score.repairs,
    problem: score.problem,
    reasons: score.reasons,
    flags: score.flags,
    salvageable: score.salvageable,
    saysEnd: score.saysEnd,
    endMarkKept: score.endMarkKept,
    parsed: parsedAs(labelled, calls),
    attribution: isFine
      ? null
      : attribute(TURN_CAUSES, {
          score,
          views,
          input,
          format,
          line,
          calls,
          askedNext,
          prompt,
          asked,
          rendered,
          lost,
          stopsSent,
        }),
  }
  return line.endpoint === undefined ? scored : { ...scored, ...whereOf(line) }
}

/** Only runs with several endpoints say where. */
function whereOf({ endpoint, tried }: TurnLine): Pick<ScoredTurn, 'endpoint' | 'tried'> {
  return { ...(endpoint === undefined ? {} : { endpoint }), ...(tried === undefined ? {} : { tried }) }
}

function inputOf(line: TurnLine, { format, tools, language, maxTokens, prompt }: TurnContext): TurnInput {
  return {
    format,
    text: line.text,
    reasoning: line.reasoning,
    toolCalls: line.toolCalls,
    finishReason: line.finishReason,
    question: line.question ?? null,
    failed: line.failure !== null && !isOfModel(line.failure),
    broken: brokenAs(line),
    tools,
    language,
    stopWordsSent: line.warnings.includes('stop-word-kept'),
    given: prompt.given,
    completionTokens: line.usage?.completion ?? null,
    maxTokens,
  }
}

function brokenAs({ failure }: TurnLine): 'never-ends' | 'unparsed-output' | null {
  return failure?.kind === 'never-ends' || failure?.kind === 'unparsed-output' ? failure.kind : null
}
