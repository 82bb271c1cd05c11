import type { PlayedEpisode, EpisodeScore, ScoredTurn } from '../score/scores.ts'
import { meantCall, isUsable } from '../score/scores.ts'
import { episodeCause } from './episode-causes.ts'
import type { FailedEpisode, ReplyExchange, PromptView } from './attribution.ts'
import { lostCallOf, otherSyntaxOf, promptsOf, attribute } from './attribution.ts'
import { renderedPrompts, countsTooMany, lostTextsOf } from './transport-causes.ts'
import type { FormatReader, EvalFormat, FormatTable } from '../formats/eval-format.ts'
import { evalFormat } from '../formats/table.ts'
import type { EpisodeTrace, TurnQuestion, CallLine, TurnLine, Job } from '../trace/trace.ts'
import type { Task, ToolSpec, TaskLanguage, Suite } from '../trace/task.ts'
import { earlierText, offeredTools } from '../trace/task.ts'
import { callTool, TOOLS, readArguments } from '../world/call-tool.ts'
import type { World } from '../world/world.ts'
import { createWorld } from '../world/world.ts'
import { callMatchOf, redundantCalls, episodeTokens, triggerOf, repliesHash } from '../score/episode-figures.ts'
import { withoutEndMarks } from '../score/markers.ts'
import type { EpisodeRule } from '../score/episode-rules.ts'
import { forgedScore } from '../score/forged-outcome.ts'
import { EPISODE_RULES, loopOf, madeCall } from '../score/episode-rules.ts'
import { damagedTexts } from './damaged-text.ts'
import { splitThought } from '../reading/read-blocks.ts'
import type { TurnRule } from '../score/label-turn.ts'
import { TURN_RULES, parsedAs, readTurn } from '../score/label-turn.ts'
import type { VerdictOutcome } from '../score/verdict.ts'
import { judgeEpisode, progress } from '../score/verdict.ts'
import { TURN_CAUSES } from './turn-causes.ts'
import { isOfModel, finishOf } from '../trace/completion.ts'
import type { TurnInput } from '../score/view-turn.ts'
import type { RequestSettings } from '../trace/run-manifest.ts'
import { maxTokensOf } from '../trace/run-manifest.ts'

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
  const judged = judgeOf(context)
  const final = finalText(trace, reader)
  const { pass, reasons } = judged(trace, final)
  const wouldPass = (text: string): boolean => judged(trace, text).pass
  const wouldPassAs = (other: EpisodeTrace): boolean => judged(other, finalText(other, reader)).pass
  const success = pass && cleanStop
  const forged = forgedScore(trace, { task, tools: context.tools, reader, final, success })
  const seen = { givenBefore, prompt: promptSeen(trace, last?.turn ?? 0, scoring), forged, ...way }
  const failed = { task, trace, end, reasons, turns, calls, wouldPass, wouldPassAs, ...seen }
  return {
    key: trace.key,
    category: task.category,
    lang: task.lang,
    end,
    limit: end === 'budget_exhausted' ? 'model_calls' : null,
    cleanStop,
    pass,
    reasons,
    success,
    attribution: success ? null : episodeCause(failed),
    progress: progress(task.verdict, calls),
    calls: calls.length,
    redundantCalls: redundantCalls(calls),
    excessCalls: task.goldCalls === undefined ? null : calls.length - task.goldCalls,
    callMatch: callMatchOf(task, calls),
    trigger: triggerOf(task, meantFirst(turns[0])),
    tokens: episodeTokens(trace.turns),
    replies: repliesHash(trace.turns),
    ...(forged === null ? {} : { forged }),
    ...(countsTooMany(trace, success) ? { countsTooMany: true as const } : {}),
    ...(trace.end.superseded === undefined ? {} : { superseded: trace.end.superseded }),
    turns,
  }
}

/** The verdict on an episode, with what the user gets to read of it. */
function judgeOf(context: ScoringContext): (played: EpisodeTrace, final: string) => VerdictOutcome {
  const { task } = context
  return (played, final) =>
    judgeEpisode(task.verdict, {
      question: task.query,
      calls: played.calls.map(madeCall),
      world: worldAfter(played, context),
      final: task.until === 'call' ? null : final,
    })
}

/** What the prompts up to a turn held. */
function promptSeen(trace: EpisodeTrace, turn: number, scoring: Scoring): FailedEpisode['prompt'] {
  const { format } = scoring
  return {
    showsTools: shownTools(trace, scoring),
    lostCall: () => lostCallOf(trace, turn, format),
    otherSyntax: () => otherSyntaxOf(trace, format),
  }
}

type Exchanges = Omit<ReplyExchange, 'line'>
type Scoring = ScoringContext & { readonly format: EvalFormat }

/** What can be said of the way to the server. */
function exchangesOf(
  { turns: lines, calls }: EpisodeTrace,
  { tools, format, modelNames = [], forcesCall = false }: Scoring,
  givenBefore: (turn: number) => readonly string[],
): Exchanges {
  const sentTools = format.reader.callBlocks === undefined ? [] : tools
  const resultsBefore = (turn: number): readonly string[] => givenBefore(turn).slice(1)
  return {
    format,
    asked: modelNames,
    rendered: renderedPrompts({ lines, sentTools, resultsBefore }),
    lost: lostTextsOf({ turns: lines, calls }, { forcesCall: forcesCall && sentTools.length > 0 }),
    damaged: damagedTexts({ turns: lines, tools, givenBefore }),
  }
}

function scoreTurns(
  trace: EpisodeTrace,
  scoring: Scoring,
  {
    asked,
    rendered,
    lost,
    damaged,
    givenBefore,
  }: Exchanges & { readonly givenBefore: (turn: number) => readonly string[] },
): readonly ScoredTurn[] {
  const { task, tools, format, maxTokens = null, stopsSent = true, turnRules = TURN_RULES } = scoring
  const showsTools = shownTools(trace, scoring)
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
      damaged,
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

/** A tool that an earlier call of the task names is in a prompt that shows no tools, too. */
function shownTools({ turns }: EpisodeTrace, { task, tools, format }: Scoring): () => boolean | null {
  const called = new Set(
    (task.messages ?? []).flatMap(({ tool_calls: calls = [] }) => calls.map((call) => call.function.name)),
  )
  const others = called.size === 0 ? tools : tools.filter(({ name }) => !called.has(name))
  return promptsOf(turns, others, format.reader.callBlocks === undefined)
}

/** The task, with the conversation that it begins with, and the results of all turns before one. */
function givenTexts({ calls }: EpisodeTrace, { messages = [], query }: Task): (turn: number) => readonly string[] {
  const asked = [...messages.map(earlierText), query].join('\n')
  return (turn) => [asked, ...calls.filter((call) => call.turn < turn).map(({ result }) => result)]
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

/** What a turn is scored with, in addition to its line. */
export interface TurnContext extends Omit<ReplyExchange, 'line'> {
  readonly tools: readonly ToolSpec[]
  readonly language: TaskLanguage
  readonly maxTokens: number | null
  readonly rules: readonly TurnRule[]
  readonly calls: readonly CallLine[]
  /** What the host asked for next; null for nothing in particular. */
  readonly askedNext: TurnQuestion | null
  readonly prompt: PromptView
  readonly stopsSent: boolean
}

/** Scores one recorded completion. */
export function scoreTurn(line: TurnLine, context: TurnContext): ScoredTurn {
  const input = turnInput(line, context)
  const labelled = readTurn(input, context.rules)
  const { score } = labelled
  const isFine = line.failure === null && isUsable(score)
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
    ...score,
    parsed: parsedAs(labelled, context.calls),
    attribution: isFine ? null : attribute(TURN_CAUSES, { ...context, ...labelled, input, line }),
  }
  return line.endpoint === undefined ? scored : { ...scored, ...whereOf(line) }
}

/** Only runs with several endpoints say where. */
function whereOf({ endpoint, tried }: TurnLine): Pick<ScoredTurn, 'endpoint' | 'tried'> {
  return { ...(endpoint === undefined ? {} : { endpoint }), ...(tried === undefined ? {} : { tried }) }
}

function turnInput(line: TurnLine, { format, tools, language, maxTokens, prompt }: TurnContext): TurnInput {
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

/** What a recorded episode is scored with. */
export interface ScoringOptions {
  readonly suite: Suite
  /** Default: the built-in ones. */
  readonly formats?: FormatTable | undefined
  /** What the server was asked for. */
  readonly name: string
  /** The fields of the requests except the prompt. */
  readonly parameters: Readonly<Record<string, unknown>>
  readonly stops: RequestSettings['stops']
}

/** Scores a trace with the task of a suite. */
export function scored({ key, task }: Job, trace: EpisodeTrace, options: ScoringOptions): PlayedEpisode {
  const { suite, formats, name, parameters, stops } = options
  const choice = parameters['tool_choice']
  const forcesCall = choice === 'required' || (typeof choice === 'object' && choice !== null)
  const context = {
    task,
    format: evalFormat(key.protocol, formats),
    tools: offeredTools(suite, task),
    maxTokens: maxTokensOf(parameters),
    forcesCall,
    stopsSent: stops === 'on',
  }
  return {
    trace,
    score: scoreEpisode(trace, { ...context, modelNames: [key.model, name] }),
  }
}
