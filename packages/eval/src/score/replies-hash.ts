import { hash } from 'node:crypto'
import type { TurnLine } from '../trace/trace.ts'

/**
 * What the model said in an episode, as 16 hex digits: tries of a task that say the same to the byte have the same. Ids and
 * times are not said by the model.
 */
export function repliesHash(turns: readonly TurnLine[]): string {
  const said = turns.map(({ text, reasoning, toolCalls, failure }) => [
    text,
    reasoning,
    toolCalls.map(({ name, arguments: given }) => [name, given]),
    failure?.kind ?? null,
  ])
  return hash('sha256', JSON.stringify(said)).slice(0, 16)
}
