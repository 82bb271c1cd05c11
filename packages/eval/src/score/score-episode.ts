import type { EndLabel } from '../labels.ts'
import type { Dialect } from '../protocols/dialect.ts'
import type { TurnQuestion } from '../protocols/question.ts'
import { PROTOCOL_TABLE } from '../protocols/table.ts'
import type { EpisodeKey, EpisodeTrace, TurnLine } from '../run/trace.ts'
import type { Task, ToolSpec } from '../suite/task.ts'
import { callTool, TOOLS } from '../world/call-tool.ts'
import { readArguments } from '../world/read-arguments.ts'
import { createWorld } from '../world/world.ts'
import type { World } from '../world/world.ts'
import { EPISODE_RULES } from './episode-rules.ts'
import type { EpisodeRule } from './episode-rules.ts'
import { labelTurn } from './label-turn.ts'
import type { TurnScore } from './label-turn.ts'
import { loopOf, madeCall } from './loop-of.ts'
import { splitThought } from './thought.ts'
import { TURN_RULES } from './turn-rules.ts'
import type { TurnRule } from './turn-rules.ts'
import { judge, progress } from './verdict.ts'

/** A completion with its labels. */
export interface ScoredTurn extends TurnScore {
  readonly turn: number
  readonly id: string
  /** What the reply was asked for; null where it may be anything. */
  readonly asked: TurnQuestion['kind'] | null
}

/** What one episode is worth: its end, its verdict, its turns. */
export interface EpisodeScore {
  readonly key: EpisodeKey
  readonly category: Task['category']
  readonly lang: Task['lang']
  readonly end: EndLabel
  readonly cleanStop: boolean
  /** Whether the verdict of the task passed. */
  readonly pass: boolean
  /** Why it did not; empty when it did. */
  readonly reasons: readonly string[]
  /** Verdict and clean stop. */
  readonly success: boolean
  readonly progress: number | null
  readonly calls: number
  /** Prompt and completion tokens of all turns; null when the server reported none for some turn. */
  readonly tokens: number | null
  readonly turns: readonly ScoredTurn[]
}

/** What scoring an episode needs besides its trace: the task without its solution, and the rules. */
export interface ScoringContext {
  readonly task: Task
  readonly tools: readonly ToolSpec[]
  readonly turnRules?: readonly TurnRule[]
  readonly episodeRules?: readonly EpisodeRule[]
}

/** Scores a recorded episode. Pure: an old trace can be scored again with new rules. */
export function scoreEpisode(
  trace: EpisodeTrace,
  { task, tools, turnRules = TURN_RULES, episodeRules = EPISODE_RULES }: ScoringContext,
): EpisodeScore {
  const { dialect } = PROTOCOL_TABLE[trace.key.protocol]
  const turns = trace.turns.map((line): ScoredTurn => ({
    turn: line.turn,
    id: line.id,
    asked: line.question?.kind ?? null,
    ...labelTurn(turnInput(line, tools), turnRules),
  }))
  const last = turns.at(-1) ?? null
  const lastCalls = trace.calls.filter((call) => call.turn === last?.turn).length
  const ending = turns.slice(trace.turns.at(-1)?.question?.kind === 'answer' ? -2 : -1)
  const view = { trace, dialect, ending, turns, last, lastCalls, loop: loopOf(trace.calls, task.maxIdentical) }
  const end = episodeRules.find((rule) => rule.applies(view))?.label ?? 'no_tool_stop'
  const cleanStop = end === 'final_answer' || end === 'no_tool_stop'
  const calls = trace.calls.map(madeCall)
  const verdict = judge(task.verdict, { final: finalText(trace, dialect), calls, world: worldAfter(trace, tools) })
  return {
    key: trace.key,
    category: task.category,
    lang: task.lang,
    end,
    cleanStop,
    pass: verdict.pass,
    reasons: verdict.reasons,
    success: verdict.pass && cleanStop,
    progress: progress(task.verdict, calls),
    calls: trace.calls.length,
    tokens: tokensOf(trace.turns),
    turns,
  }
}

function turnInput(line: TurnLine, tools: readonly ToolSpec[]): Parameters<typeof labelTurn>[0] {
  return {
    protocol: line.protocol,
    text: line.text,
    reasoning: line.reasoning,
    toolCalls: line.toolCalls,
    finishReason: line.finishReason,
    question: line.question ?? null,
    failed: line.failure !== null,
    tools,
  }
}

/** What the user gets to read: the last reply, if the host took it for the answer. */
function finalText(trace: EpisodeTrace, dialect: Dialect): string {
  const last = trace.turns.at(-1)
  if (last === undefined || trace.calls.some((call) => call.turn === last.turn)) return ''
  return dialect.finalText(splitThought(last.text).visible, last.question ?? null)
}

/** The world that the recorded calls lead to. The built-in tools are pure, so it need not be written down. */
function worldAfter(trace: EpisodeTrace, tools: readonly ToolSpec[]): World {
  if (trace.end.state !== undefined) return { ...createWorld(), recorded: trace.end.state }
  return trace.calls.reduce((world, call) => {
    const read = readArguments(call.arguments)
    const schema = tools.find((tool) => tool.name === call.name)?.parameters
    if (read.kind === 'unreadable' || schema === undefined || !TOOLS.has(call.name)) return world
    return callTool({ name: call.name, arguments: read.value, schema }, world).world
  }, createWorld())
}

function tokensOf(turns: readonly TurnLine[]): number | null {
  let sum = 0
  for (const { usage } of turns) {
    if (usage === null) return null
    sum += usage.prompt + usage.completion
  }
  return turns.length === 0 ? null : sum
}
