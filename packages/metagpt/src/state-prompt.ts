import { InputError, fill } from '@callspec/python'
import type { RoleMessage } from './message.ts'
import { historyText } from './message.ts'
import { STATE_TEMPLATE } from './templates.ts'

/** What goes into a state prompt. */
export interface StatePromptRequest {
  readonly prefix: string
  /** The whole memory; nothing is cut. */
  readonly memory: readonly RoleMessage[]
  /** As `stateLines` writes them. */
  readonly states: readonly string[]
  /** Printed as it is, also when there is no such state. */
  readonly previousState: number
}

/**
 * The prompt with which a role asks for its next state (MetaGPT spec §3). Linear.
 *
 * @throws InputError for a previous state that is not a whole number
 */
export function statePrompt({ prefix, memory, states, previousState }: StatePromptRequest): string {
  if (!Number.isSafeInteger(previousState)) {
    throw new InputError('previousState', `${String(previousState)} is not a whole number.`)
  }
  return (
    prefix +
    fill(STATE_TEMPLATE, {
      history: historyText(memory),
      states: states.join('\n'),
      n_states: BigInt(states.length - 1),
      previous_state: BigInt(previousState),
    })
  )
}
