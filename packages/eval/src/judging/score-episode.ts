import type { EndLabel } from '@callspec/labels'
import { episodeCause } from '../attribution/episode-causes.ts'
import type { FailedEpisode, Exchange } from '../attribution/attribution.ts'
import { lostCallOf, otherSyntaxOf, promptsOf } from '../attribution/prompt-view.ts'
import { renderedPrompts } from '../attribution/rendered.ts'
import { countsTooMany, lostTextsOf } from '../attribution/transport-causes.ts'
import type { FormatReader } from '../formats/eval-format.ts'
import { evalFormat } from '../formats/table.ts'
import type { EvalFormat } from '../formats/eval-format.ts'
import type { EpisodeKey, EpisodeTrace } from '../trace/trace.ts'
import type { Task, ToolSpec } from '../trace/task.ts'
import { callTool, TOOLS, readArguments } from '../world/call-tool.ts'
import { createWorld } from '../world/world.ts'
import type { World } from '../world/world.ts'
import { callMatchOf, redundantCalls, tokensOf, triggerOf, repliesHash } from '../score/episode-figures.ts'
import type { TokenUse, Trigger } from '../score/episode-figures.ts'
import { withoutEndMarks } from '../score/markers.ts'
import { EPISODE_RULES } from '../score/episode-rules.ts'
import type { EpisodeRule } from '../score/episode-rules.ts'
import { loopOf, madeCall } from '../score/loop-of.ts'
import type { CallMatch } from '../score/match-calls.ts'
import { meantCall } from '../score/meant-call.ts'
import { scoreTurn } from './score-turn.ts'
import { splitThought } from '../reading/visible-text.ts'
import type { ScoredTurn } from '../score/scored-turn.ts'
import { TURN_RULES } from '../score/turn-rules.ts'
import type { TurnRule } from '../score/turn-rules.ts'
import { judge, progress } from '../score/verdict.ts'
import type { VerdictOutcome } from '../score/verdict.ts'
import type { Attribution } from '../trace/attribution.ts'

/** What one episode is worth: its end, its verdict, its turns. */
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
  readonly turns: readonly ScoredTurn[]
}

/** What scoring an episode needs in addition to its trace: the task without its solution, and the rules. */
export interface ScoringContext {
  readonly task: Task
  readonly tools: readonly ToolSpec[]
  /** The format of the trace. Default: the built-in one of its name. */
  readonly format?: EvalFormat
  /** How many tokens a reply may have; absent where the request does not say. */
  readonly maxTokens?: number | null
  /** What the model is called in reports and requests; absent where replies may be those of any. */
  readonly modelNames?: readonly string[]
  /** Whether `tool_choice` of every request forces a call. Default: no. */
  readonly forcesCall?: boolean
  /** Whether the stop words of the format were sent. Default: yes. */
  readonly stopsSent?: boolean
  readonly turnRules?: readonly TurnRule[]
  readonly episodeRules?: readonly EpisodeRule[]
}

/** Scores a recorded episode. Pure: an old trace can be scored again with new rules. */
export function scoreEpisode(trace: EpisodeTrace, context: ScoringContext): EpisodeScore {
  const { task, episodeRules = EPISODE_RULES, format = evalFormat(trace.key.protocol) } = context
  const { reader } = format
  const scoring = { ...context, format }
  const givenBefore = givenTexts(trace, task)
  const way = exchangesOf(trace, scoring, givenBefore)
  const turns = scoreTurns(trace, scoring, { ...way, givenBefore })
  const last = turns.at(-1) ?? null
  const lastCalls = trace.calls.filter((call) => call.turn === last?.turn).length
  const ending = turns.slice(trace.turns.at(-1)?.question?.kind === 'answer' ? -2 : -1)
  const view = { trace, reader, ending, turns, last, lastCalls, loop: loopOf(trace.calls, task.maxIdentical) }
  const end = episodeRules.find((rule) => rule.applies(view))?.label ?? 'no_tool_stop'
  const cleanStop = end === 'final_answer' || end === 'no_tool_stop'
  const calls = trace.calls.map(madeCall)
  const world = worldAfter(trace, context)
  const judged = (final: string): VerdictOutcome => judge(task.verdict, { question: task.query, calls, world, final })
  const verdict = judged(finalText(trace, reader))
  const wouldPass = (final: string): boolean => judged(final).pass
  const success = verdict.pass && cleanStop
  const { reasons } = verdict
  const prompt = promptSeen(trace, last?.turn ?? 0, scoring)
  const failed = { task, trace, end, reasons, turns, calls, givenBefore, wouldPass, prompt, ...way }
  return {
    key: trace.key,
    category: task.category,
    lang: task.lang,
    end,
    limit: end === 'budget_exhausted' ? 'model_calls' : null,
    cleanStop,
    pass: verdict.pass,
    reasons,
    success,
    attribution: success ? null : episodeCause(failed),
    progress: progress(task.verdict, calls),
    calls: calls.length,
    redundantCalls: redundantCalls(calls),
    excessCalls: task.goldCalls === undefined ? null : calls.length - task.goldCalls,
    callMatch: callMatchOf(task, calls),
    trigger: triggerOf(task, meantFirst(turns[0])),
    tokens: tokensOf(trace.turns),
    replies: repliesHash(trace.turns),
    ...(countsTooMany(trace, success) ? { countsTooMany: true as const } : {}),
    ...(trace.end.superseded === undefined ? {} : { superseded: trace.end.superseded }),
    turns,
  }
}

/** What the prompts up to a turn held. */
function promptSeen(trace: EpisodeTrace, turn: number, { tools, format }: Scoring): FailedEpisode['prompt'] {
  return {
    showsTools: shownTools(trace, tools, format),
    lostCall: () => lostCallOf(trace, turn, format),
    otherSyntax: () => otherSyntaxOf(trace, format),
  }
}

type Exchanges = Omit<Exchange, 'line'>
type Scoring = ScoringContext & { readonly format: EvalFormat }

/** What can be said of the way to the server. */
function exchangesOf(
  { turns: lines, calls }: EpisodeTrace,
  { tools, format, modelNames = [], forcesCall = false }: Scoring,
  givenBefore: (turn: number) => readonly string[],
): Exchanges {
  const besides = format.reader.callBlocks === undefined ? [] : tools
  const resultsBefore = (turn: number): readonly string[] => givenBefore(turn).slice(1)
  return {
    format,
    asked: modelNames,
    rendered: renderedPrompts({ lines, besides, resultsBefore }),
    lost: lostTextsOf({ turns: lines, calls }, { forcesCall: forcesCall && besides.length > 0 }),
  }
}

function scoreTurns(
  trace: EpisodeTrace,
  { task, tools, format, maxTokens = null, stopsSent = true, turnRules = TURN_RULES }: Scoring,
  { asked, rendered, lost, givenBefore }: Exchanges & { readonly givenBefore: (turn: number) => readonly string[] },
): readonly ScoredTurn[] {
  const showsTools = shownTools(trace, tools, format)
  return trace.turns.map((line, at) =>
    scoreTurn(line, {
      format,
      tools,
      maxTokens,
      language: task.lang,
      rules: turnRules,
      asked,
      rendered,
      lost,
      stopsSent,
      calls: trace.calls.filter((call) => call.turn === line.turn),
      askedNext: trace.turns[at + 1]?.question ?? null,
      prompt: {
        given: givenBefore(line.turn),
        showsTools,
        lostCall: () => lostCallOf(trace, line.turn, format),
        otherSyntax: () => otherSyntaxOf(trace, format),
      },
    }),
  )
}

function shownTools({ turns }: EpisodeTrace, tools: readonly ToolSpec[], { reader }: EvalFormat): () => boolean | null {
  return promptsOf(turns, tools, reader.callBlocks === undefined)
}

/** The task and the results of all turns before one. */
function givenTexts({ calls }: EpisodeTrace, { query }: Task): (turn: number) => readonly string[] {
  return (turn) => [query, ...calls.filter((call) => call.turn < turn).map(({ result }) => result)]
}

/** What the user gets to read: the last reply, if the host took it for the answer, without what marks its end. */
function finalText(trace: EpisodeTrace, reader: FormatReader): string {
  const last = trace.turns.at(-1)
  if (last === undefined || trace.calls.some((call) => call.turn === last.turn)) return ''
  return reader.finalText(withoutEndMarks((reader.split ?? splitThought)(last.text).visible), last.question ?? null)
}

/** The world that the recorded calls lead to, if the verdict asks for it. The built-in tools are pure, so it need not be written down. */
function worldAfter(trace: EpisodeTrace, { task, tools }: ScoringContext): World {
  if (task.verdict.state === undefined) return createWorld()
  if (trace.end.state !== undefined) return { ...createWorld(), recorded: trace.end.state }
  return trace.calls.reduce((world, call) => {
    const read = readArguments(call.arguments)
    const schema = tools.find((tool) => tool.name === call.name)?.parameters
    if (read.kind === 'unreadable' || schema === undefined || !TOOLS.has(call.name)) return world
    return callTool({ name: call.name, arguments: read.value, schema }, world).world
  }, createWorld())
}

/** Null without a reply. */
function meantFirst(first: ScoredTurn | undefined): boolean | null {
  return first === undefined || first.strict === 'infra_error' ? null : meantCall(first)
}
