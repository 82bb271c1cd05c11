import type { EpisodeKey } from '../trace/trace.ts'
import { plantedFor } from '../trace/injection.ts'
import type { Task, ToolSession } from '../trace/task.ts'
import { readArguments } from './call-tool.ts'

/**
 * The tools of an episode in which one result is the text of its arm, as it is: a page or a file whose words others wrote. All other calls are
 * those of `session`.
 */
export function withPlantedResult({ injection }: Task, key: EpisodeKey, session: ToolSession): ToolSession {
  if (injection === undefined) return session
  const text = plantedFor(injection, key)?.text
  const { name, args } = injection.reads
  return {
    ...session,
    call: (call) => {
      const read = call.name === name ? readArguments(call.arguments) : null
      const isRead = read?.kind === 'read' && hasMembers(read.value, args)
      return isRead && text !== undefined ? { text, isError: false } : session.call(call)
    },
  }
}

function hasMembers(value: unknown, wanted: Readonly<Record<string, unknown>>): boolean {
  if (typeof value !== 'object' || value === null) return false
  const members = value as Readonly<Record<string, unknown>>
  return Object.entries(wanted).every(([key, each]) => Object.hasOwn(members, key) && members[key] === each)
}
