import type { Task, ToolSpec } from '../suite/task.ts'
import { callTool, unreadableArguments } from './call-tool.ts'
import { readArguments } from './read-arguments.ts'
import { createWorld, stateAt } from './world.ts'
import type { StateValue } from './world.ts'

/** A call as the model wrote it, and the schema of the tool's parameters. */
export interface ToolCall {
  readonly name: string
  readonly arguments: string
  readonly schema: ToolSpec['parameters']
}

/** What the model is told. */
export interface ToolReply {
  readonly text: string
  readonly isError: boolean
}

/** The tools of one episode: they share a world, which begins fresh. */
export interface ToolSession {
  /** Runs one call. Whatever goes wrong is an answer, never an exception. */
  call(call: ToolCall): ToolReply | Promise<ToolReply>
  /** What stands at a path of a verdict's `state`; null where nothing does. */
  stateAt(path: string): StateValue | Promise<StateValue>
}

/** Begins the tools of an episode. `sample`: the seed of the pass; tools need not look at it. */
export type Toolbox = (task: Task, sample?: number) => ToolSession

/** The 21 tools in their own world. Pure: the same calls give the same answers for ever. */
export const builtInToolbox: Toolbox = () => {
  let world = createWorld()
  return {
    call: ({ name, arguments: text, schema }) => {
      const read = readArguments(text)
      const answer =
        read.kind === 'read'
          ? callTool({ name, arguments: read.value, schema }, world)
          : unreadableArguments(read.message, world)
      world = answer.world
      return { text: answer.text, isError: answer.isError }
    },
    stateAt: (path) => stateAt(world, path),
  }
}
