import type { Toolbox } from '../trace/task.ts'
import { callTool, unreadableArguments, readArguments } from './call-tool.ts'
import { createWorld, stateAt } from './world.ts'

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
