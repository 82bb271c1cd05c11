import type { LoopReducer, Profile } from '@callspec/core'
import type { ToolSpec } from '../suite/task.ts'

/** What a host is built for. */
export interface HostOptions {
  readonly model: string
  readonly tools: readonly ToolSpec[]
  readonly language: 'en' | 'zh'
  readonly maxModelCalls: number
  readonly seed: number
}

/** The host loop of a protocol, as a reducer. `State` is nobody's business but its own. */
export interface Host {
  /** How messages look on the wire. */
  readonly profile: Profile
  readonly loop: LoopReducer<unknown>
}
