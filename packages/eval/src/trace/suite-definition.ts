import type { JsonSchema, Verdict } from './task.ts'

/** A suite as a user writes it: in JSON, JSON5, JSON Lines, or in a module. */
export interface SuiteDefinition {
  /** Shown in reports. Default: the name of the file. */
  readonly name?: string
  /** Goes into reports; runs of different versions are compared with a warning. */
  readonly version?: string
  readonly about?: string
  /** Tools of the suite, in addition to the 21 built-in ones. */
  readonly tools?: readonly NamedToolDefinition[] | Readonly<Record<string, ToolDefinition>>
  /** An ES module, in the folder of the suite's file, that exports `tools`. */
  readonly toolsModule?: string
  readonly tasks: readonly TaskDefinition[]
}

/** A text in one language, or in those that tasks are asked in. */
export type Description = string | { readonly en?: string; readonly zh?: string }

/** What `run` of a tool receives in addition to the arguments. */
export interface ToolContext {
  /** Id of the task. */
  readonly task: string
  /** Empty at the beginning of every episode; a verdict's `state` looks here, by paths such as `orders.1.status`. */
  readonly state: Record<string, unknown>
}

/** A tool: what the model reads of it, and how it answers. */
export interface ToolDefinition {
  readonly description: Description
  /** JSON Schema of the arguments; they are checked before the tool is asked. */
  readonly parameters: JsonSchema
  /**
   * Gives the result: a text as it is, anything else as JSON. What it throws is an error that the model reads. Modules only.
   */
  readonly run?: (args: Readonly<Record<string, unknown>>, context: ToolContext) => unknown
  /** What it answered once. Of several results for the same arguments, each is used once, the last one again and again. */
  readonly recorded?: readonly RecordedResult[]
}

/** The same in a list. */
export interface NamedToolDefinition extends ToolDefinition {
  readonly name: string
}

/** One recorded observation. */
export interface RecordedResult {
  readonly args: Readonly<Record<string, unknown>>
  readonly result: unknown
}

/** How a task can be solved. Simulated models solve it so; `observations` also answer for tools that have no `run`. */
export interface ReferenceDefinition {
  /** Outer list: turns; inner: calls of the same turn. */
  readonly plan: readonly (readonly { readonly name: string; readonly args: Readonly<Record<string, unknown>> }[])[]
  /** The result of every planned call, flat. */
  readonly observations: readonly string[]
  readonly final: string
}

/** One task. */
export interface TaskDefinition {
  readonly id: string
  /** Default: `task`. */
  readonly category?: string
  /** Default: `en`. */
  readonly lang?: 'en' | 'zh'
  /** The only user message. */
  readonly query: string
  /** Names of the offered tools, in prompt order. */
  readonly tools: readonly string[]
  /** When the task counts as done. Default: any text as the answer. */
  readonly verdict?: Partial<Verdict>
  readonly reference?: ReferenceDefinition
  /** Calls of the model before the episode is stopped. Default: 20. */
  readonly max_llm_calls?: number
  readonly loop_guard?: { readonly max_identical?: number }
  readonly note?: string
}
