import { unknownToolText } from '@callspec/core'
import type { CallToolAction, FinishAction, FunctionCall, Message } from '@callspec/core'
import type { Client } from '../client/client.ts'
import { driveLoop } from '../drive-loop.ts'
import type { TurnQuestion } from '../protocols/question.ts'
import { PROTOCOL_TABLE } from '../protocols/table.ts'
import { loopOf } from '../score/loop-of.ts'
import type { Task, ToolSpec } from '../suite/task.ts'
import { builtInToolbox } from '../world/toolbox.ts'
import type { Toolbox, ToolSession } from '../world/toolbox.ts'
import { modelOf } from './ask-model.ts'
import type { TurnFields } from './ask-model.ts'
import type { CallLine, EndLine, EpisodeKey, EpisodeTrace, StopReason, TraceLine, TurnLine } from './trace.ts'

export interface EpisodeOptions {
  readonly key: EpisodeKey
  readonly task: Task
  readonly tools: readonly ToolSpec[]
  /** How the tools answer; absent for the built-in ones. */
  readonly toolbox?: Toolbox | undefined
  readonly client: Client
  /** Takes every line as soon as there is one. */
  readonly write: (line: TraceLine) => void
  /** Milliseconds, only ever subtracted. */
  readonly clock: () => number
  readonly signal?: AbortSignal
}

/**
 * Plays one task to its end: the reference's host loop asks the model over HTTP, the tools run in a fresh world, and
 * everything is written down.
 *
 * @throws whatever the signal was aborted with
 */
export async function playEpisode(options: EpisodeOptions): Promise<EpisodeTrace> {
  const { key, task, tools, toolbox, signal } = options
  const log = createLog(options)
  const host = PROTOCOL_TABLE[key.protocol].createHost({
    model: key.model,
    tools,
    language: task.lang,
    maxModelCalls: task.maxModelCalls,
    seed: key.sample,
  })
  const model = modelOf({ ...options, profile: host.profile, onTurn: log.turn })
  const messages: readonly Message[] = [{ role: 'user', content: task.query }]
  const session = (toolbox ?? builtInToolbox)(task)
  const world = { model, callTool: toolRunner(tools, session, log), ...(signal === undefined ? {} : { signal }) }
  const notices = driveLoop(host.loop, messages, world)
  let finish: FinishAction | null = null
  for await (const notice of notices) {
    if (notice.type === 'unknown-call') log.unknownCall(notice.call)
    else if (notice.type === 'action') {
      log.asks(host.questionOf?.(notice.state) ?? null)
      if (notice.action.type === 'finish') finish = notice.action
      else if (loopOf(log.calls(), task.maxIdentical) !== null) break
    }
  }
  return log.end(finish, toolbox === undefined ? undefined : stateOf(task, session))
}

interface Log {
  /** What the next turn is asked for. */
  asks(question: TurnQuestion | null): void
  turn(fields: TurnFields): void
  call(fields: Pick<CallLine, 'name' | 'arguments' | 'result' | 'isError'>): void
  /** A call that the host answered itself: it has no such tool. */
  unknownCall(call: FunctionCall): void
  calls(): readonly CallLine[]
  end(finish: FinishAction | null, state: EndLine['state']): EpisodeTrace
}

/** Collects and writes the lines of one episode. */
function createLog({ key, write }: EpisodeOptions): Log {
  const turns: TurnLine[] = []
  const calls: CallLine[] = []
  let question: TurnQuestion | null = null
  const call: Log['call'] = (fields) => {
    const line: CallLine = { kind: 'call', ...key, turn: turns.length - 1, ...fields }
    calls.push(line)
    write(line)
  }
  return {
    calls: () => calls,
    asks: (next) => {
      question = next
    },
    turn: (fields) => {
      const line: TurnLine = {
        kind: 'turn',
        ...key,
        turn: turns.length,
        ...fields,
        ...(question === null ? {} : { question }),
      }
      turns.push(line)
      write(line)
    },
    call,
    unknownCall: ({ name, arguments: args }) =>
      call({ name, arguments: args, result: unknownToolText(name), isError: true }),
    end: (finish, state) => {
      const reason = { reason: stopReason(finish), error: errorText(finish) }
      const end: EndLine = { kind: 'end', ...key, ...reason, ...(state === undefined ? {} : { state }) }
      write(end)
      return { key, turns, calls, end }
    },
  }
}

/** Without a `finish` it was the runner that stopped. */
function stopReason(finish: FinishAction | null): StopReason {
  if (finish === null) return 'guard'
  return finish.reason === 'model-call-limit' ? 'limit' : finish.reason
}

function errorText(finish: FinishAction | null): string | null {
  return finish?.error === undefined ? null : `${finish.error.type}: ${finish.error.message}`
}

function toolRunner(
  tools: readonly ToolSpec[],
  session: ToolSession,
  log: Log,
): (action: CallToolAction) => Promise<string> {
  return async ({ call }) => {
    const schema = tools.find((tool) => tool.name === call.name)?.parameters ?? {}
    const { text, isError } = await session.call({ name: call.name, arguments: call.arguments, schema })
    log.call({ name: call.name, arguments: call.arguments, result: text, isError })
    return text
  }
}

/** Tools of others cannot be run again for a later look. */
function stateOf({ verdict }: Task, session: ToolSession): EndLine['state'] {
  return Object.fromEntries(Object.keys(verdict.state ?? {}).map((path) => [path, session.stateAt(path)]))
}
