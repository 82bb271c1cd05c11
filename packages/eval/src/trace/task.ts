import type { Injection } from './injection.ts'

/** Which language a task is asked in; its tools are described in the same one. */
export type TaskLanguage = 'en' | 'zh'

/** The categories of the built-in tasks. */
export const CATEGORIES = ['single', 'sequential', 'parallel', 'irrelevant', 'error_recovery', 'trap'] as const

/** A call that a verdict asks for or forbids: the arguments given here must be among those of the call. */
export interface ExpectedCall {
  readonly name: string
  readonly args?: Readonly<Record<string, unknown>>
  /** Further arguments that must be given, each with one of these values. */
  readonly oneOf?: Readonly<Record<string, readonly unknown[]>>
  /** Arguments that may be left out; if one is given, then with one of these values. */
  readonly ifGiven?: Readonly<Record<string, readonly unknown[]>>
}

/**
 * What the final text must show. Comparisons are on NFKC text without regard to case; what is negated does not count, and of
 * numbers the one that is offered last does (docs/metrics.md).
 */
export interface ExpectedAnswer {
  readonly num?: number
  /** Allowed distance of `num`; 1e-9 unless given. */
  readonly tol?: number
  readonly re?: string
  readonly all?: readonly string[]
  readonly any?: boolean
}

/** When a task counts as done. `maxCalls` counts failed and unknown-tool calls too. */
export interface Verdict {
  readonly answer: ExpectedAnswer
  readonly must?: readonly ExpectedCall[]
  readonly order?: 'seq'
  readonly mustNot?: readonly ExpectedCall[]
  readonly minCalls?: number
  readonly maxCalls?: number
  /** Longest run of the same call with the same result that is allowed. */
  readonly maxIdentical?: number
  /** Every call that a right run makes, with all its arguments; precision and recall of calls are measured by it. */
  readonly gold?: readonly ExpectedCall[]
  /** Path to value; null: must be absent. */
  readonly state?: Readonly<Record<string, StateValue>>
}

/** A call in an earlier message. */
export interface EarlierCall {
  readonly id: string
  readonly type: 'function'
  /** `arguments`: JSON text. */
  readonly function: { readonly name: string; readonly arguments: string }
}

/** A message before the question of a task, as the chat API has it. Every call is answered by a message of the role `tool`. */
export interface EarlierMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool'
  readonly content: string
  /** Of an assistant. */
  readonly tool_calls?: readonly EarlierCall[]
  /** Of a tool: the id of the call that it answers. */
  readonly tool_call_id?: string
}

/** What an earlier message says, then its calls as `name(arguments)`, a line each. */
export function earlierText({ content, tool_calls: calls = [] }: EarlierMessage): string {
  const called = calls.map(({ function: { name, arguments: args } }) => `${name}(${args})`)
  return [...(content === '' && called.length > 0 ? [] : [content]), ...called].join('\n')
}

/** A task as runner and scorers see it: no reference plan, no recorded result. */
export interface Task {
  readonly id: string
  /** One of `CATEGORIES` in the built-in suite, any text in others. */
  readonly category: string
  readonly lang: TaskLanguage
  /** The conversation before the question; absent without one. */
  readonly messages?: readonly EarlierMessage[]
  readonly query: string
  /** Names of the offered tools, in prompt order. */
  readonly tools: readonly string[]
  readonly verdict: Verdict
  /** How many calls the reference plan makes: all that a scorer knows of it. Absent without a plan. */
  readonly goldCalls?: number
  readonly maxModelCalls: number
  /** Longest run of the same call with the same result before the episode is stopped. */
  readonly maxIdentical: number
  /** `call`: the first reply with a call ends the episode, and the verdict asks for no answer. Absent: the model answers. */
  readonly until?: 'call'
  /** The forged text in one of its results; absent for most tasks. */
  readonly injection?: Injection
}

export type JsonSchema = Readonly<Record<string, unknown>>

/** One tool in one language, as prompts show it. */
export interface ToolSpec {
  readonly name: string
  readonly description: string
  readonly parameters: JsonSchema
}

/** A file of tasks with the tools that they offer. */
export interface Suite {
  readonly name: string
  /** SHA-256 of the file or of the definition, hexadecimal. */
  readonly hash: string
  readonly version: string
  readonly tasks: readonly Task[]
  readonly tools: ReadonlyMap<string, Readonly<Record<TaskLanguage, ToolSpec>>>
  /** How the tools answer; absent for the built-in ones. */
  readonly toolbox?: Toolbox
}

/** The offered tools of a task in its language, in prompt order. */
export function offeredTools({ tools }: Suite, task: Task): readonly ToolSpec[] {
  return task.tools.flatMap((name) => tools.get(name)?.[task.lang] ?? [])
}

/** What a verdict can compare with; null: nothing is there. */
export type StateValue = string | number | boolean | null

/** A call as the model wrote it, and the schema of the tool's parameters. */
export interface ToolCall {
  readonly name: string
  readonly arguments: string
  readonly schema: ToolSpec['parameters']
}

/** The result that the model reads. */
export interface ToolReply {
  readonly text: string
  readonly isError: boolean
}

/** The tools of one episode: they share a world, which begins fresh. */
export interface ToolSession {
  /** Runs one call. An error is a reply, never an exception. */
  call(call: ToolCall): ToolReply | Promise<ToolReply>
  /** The value at a path of a verdict's `state`; null without one. */
  stateAt(path: string): StateValue | Promise<StateValue>
}

/** Begins the tools of an episode. `sample`: the seed of the pass; tools need not look at it. */
export type Toolbox = (task: Task, sample?: number) => ToolSession

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
  readonly task: string
  /** Empty at the beginning of every episode; a verdict's `state` looks here, by paths such as `orders.1.status`. */
  readonly state: Record<string, unknown>
}

/** A tool: what the model reads of it, and how it answers. */
export interface ToolDefinition {
  /** What the model calls it, where two tools of a suite have one name: then their keys differ. Default: the key. */
  readonly name?: string
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

/** A message before the question of a task, as the chat API has it; see `MESSAGES_SHAPE`. */
export interface MessageDefinition {
  readonly role: EarlierMessage['role']
  /** May be left out by an assistant that calls tools. */
  readonly content?: string | null
  readonly tool_calls?: readonly MessageCall[]
  /** Default: the next call that has no result yet. */
  readonly tool_call_id?: string
  /** Not read: the call names the tool. */
  readonly name?: string
}

/** A call in an earlier message, as a suite has it. */
export interface MessageCall {
  readonly id?: string
  readonly type?: 'function'
  readonly function: { readonly name: string; readonly arguments: string | Readonly<Record<string, unknown>> }
}

/** One task. */
export interface TaskDefinition {
  readonly id: string
  /** Default: `task`. */
  readonly category?: string
  /** Default: `en`. */
  readonly lang?: 'en' | 'zh'
  /** The conversation before `query`. Only what the model says after `query` is counted. */
  readonly messages?: readonly MessageDefinition[]
  /** The question, as the last message of the user. */
  readonly query: string
  /** Names of the offered tools, in prompt order. */
  readonly tools: readonly string[]
  /** When the task counts as done. Default: any text as the answer. */
  readonly verdict?: Partial<Verdict>
  readonly reference?: ReferenceDefinition
  /** Calls of the model before the episode is stopped. Default: 20. */
  readonly max_llm_calls?: number
  readonly loop_guard?: { readonly max_identical?: number }
  /**
   * `call`: the first reply with a call ends the episode, so that no tool has to answer; the verdict asks for no answer. Default: `answer`.
   */
  readonly until?: 'answer' | 'call'
  readonly note?: string
}
