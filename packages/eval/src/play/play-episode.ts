import type { CallToolAction, FinishAction } from '@callspec/qwen-agent'
import { EpisodeRestartError } from '../client/failure.ts'
import type { Client } from '../client/client.ts'
import { answerTo } from './drive-loop.ts'
import { conversationOf } from '../formats/conversation.ts'
import { evalFormat } from '../formats/table.ts'
import type { EvalFormat } from '../formats/eval-format.ts'
import { createLoopWatch } from '../score/episode-rules.ts'
import type { StateValue, Task, Toolbox, ToolSession, ToolSpec } from '../trace/task.ts'
import { builtInToolbox } from '../world/call-tool.ts'
import { withPlantedResult } from '../world/planted-result.ts'
import { modelOf } from './ask-model.ts'
import type { EpisodeLog } from './episode-log.ts'
import { recordedFirst, createLog } from './episode-log.ts'
import type { RecordedStart } from '../store/journal-index.ts'
import type { RequestSettings } from '../trace/run-manifest.ts'
import { maxTokensOf } from '../trace/run-manifest.ts'
import type { EndLine, EpisodeKey, EpisodeTrace, TraceLine } from '../trace/trace.ts'

/** One task, the client that plays it, and the receiver of its lines. */
export interface EpisodeOptions {
  readonly key: EpisodeKey
  readonly task: Task
  /** Default: the built-in one that the key names. */
  readonly format?: EvalFormat
  readonly tools: readonly ToolSpec[]
  /** The tools; absent for the built-in ones. */
  readonly toolbox?: Toolbox | undefined
  readonly client: Client
  /** Default: `plainSettings`. */
  readonly settings?: RequestSettings | undefined
  /** The recorded start of an interrupted episode; absent for a new one. */
  readonly recorded?: RecordedStart | undefined
  /** Receives every new line at once. */
  readonly write: (line: TraceLine) => void
  /** A clock in milliseconds; only differences count. */
  readonly clock: () => number
  readonly signal?: AbortSignal
}

/**
 * Plays one task to its end: the reference's host loop requests replies over HTTP, the tools run in a fresh world, and all events are
 * written. Recorded turns are neither requested nor written again; their tools run again to restore the world, but the model reads the
 * recorded results.
 *
 * @throws the reason of an aborted signal
 */
export async function playEpisode(options: EpisodeOptions): Promise<EpisodeTrace> {
  let { recorded = NO_RECORD } = options
  for (;;) {
    const log = createLog({ key: options.key, recorded, write: options.write })
    try {
      return await playFrom({ ...options, recorded }, log)
    } catch (error) {
      if (!(error instanceof EpisodeRestartError)) throw error
      recorded = log.restart()
    }
  }
}

async function playFrom(
  options: EpisodeOptions & { readonly recorded: RecordedStart },
  log: EpisodeLog,
): Promise<EpisodeTrace> {
  const { key, task, format = evalFormat(key.protocol), tools, toolbox, signal, recorded } = options
  const client = recordedFirst(options.client, key, recorded.turns)
  const host = format.createHost({
    model: key.model,
    tools,
    language: task.lang,
    maxModelCalls: task.maxModelCalls,
    seed: key.sample,
    prompt: options.settings?.prompt,
  })
  const model = modelOf({ ...options, client, host, onTurn: log.turn })
  const session = withPlantedResult(task, key, (toolbox ?? builtInToolbox)(task, key.sample))
  const world = { model, callTool: toolRunner(tools, session, log), ...(signal === undefined ? {} : { signal }) }
  const maxTokens = maxTokensOf(options.settings?.parameters ?? {})
  const isDone = (isMeantToGoOn: boolean): boolean => isMeantToGoOn && log.isCutOff(maxTokens)
  const loops = loopsIn(log, task.maxIdentical)
  let finish: FinishAction | null = null
  // As `driveLoop`, without the emissions, which are not used.
  for (let step = host.loop.start(conversationOf(task)); ;) {
    const { action, state, unknownCalls = [] } = step
    if (isDone(unknownCalls.length > 0)) break
    for (const call of unknownCalls) log.unknownCall(call)
    if (isDone(action.type !== 'finish')) break
    log.asks(host.questionOf?.(state) ?? null)
    if (action.type === 'finish') finish = action
    if (action.type === 'finish' || loops()) break
    if (task.until === 'call' && action.type === 'generate' && log.calls().length > 0) break
    // A reply may contain a thousand calls: other episodes must continue, and an abort must be seen.
    if (log.calls().length % MOST_CALLS_IN_A_ROW === MOST_CALLS_IN_A_ROW - 1)
      await new Promise((resolve) => setImmediate(resolve))
    signal?.throwIfAborted()
    step = host.loop.advance(state, await answerTo(action, world))
  }
  return log.end(finish, toolbox === undefined ? undefined : await finalState(task, session))
}

/** At most so many calls in a row before other episodes continue. */
const MOST_CALLS_IN_A_ROW = 64

/** Reads the calls that are new since the last time. */
function loopsIn(log: EpisodeLog, maxIdentical: number): () => boolean {
  const watch = createLoopWatch(maxIdentical)
  let seen = 0
  return () => {
    const calls = log.calls()
    for (; seen < calls.length; seen += 1) {
      const call = calls[seen]
      if (call !== undefined && watch(call) !== null) return true
    }
    return false
  }
}

const NO_RECORD: RecordedStart = { turns: [], calls: [] }

function toolRunner(
  tools: readonly ToolSpec[],
  session: ToolSession,
  log: EpisodeLog,
): (action: CallToolAction) => Promise<string> {
  return async ({ call }) => {
    const schema = tools.find((tool) => tool.name === call.name)?.parameters ?? {}
    const { text, isError } = await session.call({ name: call.name, arguments: call.arguments, schema })
    return log.call({ name: call.name, arguments: call.arguments, result: text, isError })
  }
}

/** Tools of a user cannot be run again later. */
async function finalState({ verdict }: Task, session: ToolSession): Promise<EndLine['state']> {
  const found: [string, StateValue][] = []
  for (const path of Object.keys(verdict.state ?? {})) found.push([path, await session.stateAt(path)])
  return Object.fromEntries(found)
}

/** A model of a run. */
export interface RunModel {
  readonly client: Client
  /** Absent: the plan's name of the model is sent, with plain settings. */
  readonly settings?: RequestSettings
}

/** Starts no request after a stop was requested. */
export function draining(model: RunModel, drain: AbortSignal): RunModel {
  const { client } = model
  return {
    ...model,
    client: {
      ...client,
      complete: async (request, signal) => {
        drain.throwIfAborted()
        return client.complete(request, signal)
      },
    },
  }
}
