import type { LoopReducer } from '@callspec/qwen-agent'
import type { Profile } from '@callspec/core/qwen-agent'
import type { PyDict } from '@callspec/python'
import type { ToolSpec } from '../trace/task.ts'
import type { PromptChoice } from '../trace/request-settings.ts'
import type { TurnQuestion } from '../trace/question.ts'

/** What a host is built for. */
export interface HostOptions {
  readonly model: string
  readonly tools: readonly ToolSpec[]
  readonly language: 'en' | 'zh'
  /** How often the model may choose what to do next. */
  readonly maxModelCalls: number
  readonly seed: number
  /** Whose prompt is used where a format has one; absent: the maker's. */
  readonly prompt?: PromptChoice | undefined
}

/** The host loop of a format, as a reducer. `State` is nobody's business but its own. */
export interface Host {
  /** How messages look on the wire. */
  readonly profile: Profile
  readonly loop: LoopReducer<unknown>
  /** What the reply that a state waits for is asked for; absent where every reply may be anything. */
  readonly questionOf?: (state: unknown) => TurnQuestion | null
  /** Whether tools go out as `tools`, and calls come back as `tool_calls`. Absent: calls are text. */
  readonly usesTools?: true
  /**
   * What the first prompt ends with, where the model goes on with its own text instead of beginning an answer: from there
   * on the prompt is the model's.
   */
  readonly ownTextBegins?: string
  /** Where the prompt is one text, the content of the only message: what ends a turn, and the stop words. */
  readonly asksRaw?: { readonly end: readonly string[]; readonly stop: readonly string[] }
  /** A message as it goes over the wire, from what the reference would send. Default: that. */
  readonly wireMessage?: (message: PyDict) => Readonly<Record<string, unknown>>
}
