import { unknownToolText } from '@callspec/core'
import type { CallToolAction, FinishAction, FunctionCall, Message } from '@callspec/core'
import type { Client } from '../client/client.ts'
import { driveLoop } from '../drive-loop.ts'
import type { TurnQuestion } from '../protocols/question.ts'
import { PROTOCOL_TABLE } from '../protocols/table.ts'
import { loopOf } from '../score/loop-of.ts'
import type { Task, ToolSpec } from '../suite/task.ts'
import { callTool, unreadableArguments } from '../world/call-tool.ts'
import { readArguments } from '../world/read-arguments.ts'
import { createWorld } from '../world/world.ts'
import { modelOf } from './ask-model.ts'
import type { TurnFields } from './ask-model.ts'
import type { CallLine, EndLine, EpisodeKey, EpisodeTrace, StopReason, TraceLine, TurnLine } from './trace.ts'

export interface EpisodeOptions {
  readonly key: EpisodeKey
  readonly task: Task
  readonly tools: readonly ToolSpec[]
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
  const { key, task, tools, signal } = options
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
  const world = { model, callTool: toolRunner(tools, log), ...(signal === undefined ? {} : { signal }) }
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
  return log.end(finish)
}

interface Log {
  /** What the next turn is asked for. */
  asks(question: TurnQuestion | null): void
  turn(fields: TurnFields): void
  call(fields: Pick<CallLine, 'name' | 'arguments' | 'result' | 'isError'>): void
  /** A call that the host answered itself: it has no such tool. */
  unknownCall(call: FunctionCall): void
  calls(): readonly CallLine[]
  end(finish: FinishAction | null): EpisodeTrace
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
    end: (finish) => {
      const end: EndLine = { kind: 'end', ...key, reason: stopReason(finish), error: errorText(finish) }
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

function toolRunner(tools: readonly ToolSpec[], log: Log): (action: CallToolAction) => string {
  let world = createWorld()
  return ({ call }) => {
    const read = readArguments(call.arguments)
    const schema = tools.find((tool) => tool.name === call.name)?.parameters ?? {}
    const answer =
      read.kind === 'read'
        ? callTool({ name: call.name, arguments: read.value, schema }, world)
        : unreadableArguments(read.message, world)
    world = answer.world
    log.call({ name: call.name, arguments: call.arguments, result: answer.text, isError: answer.isError })
    return answer.text
  }
}
