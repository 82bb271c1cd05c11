import type { EvalApi, GatedName, FormatName, SuiteDefinition } from '@callspec/eval'

/** The configuration of `callspec eval`: `callspec.config.ts`, `.json5` and the like. Paths are relative to the file. */
export interface EvalConfig {
  readonly $schema?: string
  /** Models to ask, by name or with settings of their own. */
  readonly models?: readonly (string | ModelConfig)[]
  /** Server of the models that name none, up to /v1; or several that share the work. */
  readonly baseUrl?: string | readonly (string | EndpointEntry)[]
  /** Whether servers are refused that are not of one build, or do not list the same models. */
  readonly sameBuild?: boolean
  /** Name of the environment variable with the key. Never the key. */
  readonly apiKeyEnv?: string
  /** Headers of every request to that server, such as `{ 'api-key': '${AZURE_KEY}' }`; `${NAME}` stands for a variable. */
  readonly headers?: Readonly<Record<string, string>>
  /** The formats of the calls, such as `nous`, or the file of a module that exports one, such as `./acme.mjs`. */
  readonly formats?: readonly FormatName[]
  /** The older name of `formats`. */
  readonly protocols?: readonly FormatName[]
  /** File of a suite, or, in a module, the suite itself. Default: the built-in one. */
  readonly suite?: string | SuiteDefinition
  /** Which tasks of the suite. Default: all. */
  readonly tasks?: TaskChoice
  /** Passes over the tasks; pass k asks with seed + k. */
  readonly repeat?: number
  readonly seed?: number
  /** Calls of the model before an episode is stopped. */
  readonly maxCalls?: number
  /** `max_tokens` of every request. */
  readonly maxTokens?: number
  /** Further fields of every request, such as `temperature`. */
  readonly parameters?: Readonly<Record<string, unknown>>
  readonly stream?: boolean
  /** Whether stop words are sent. */
  readonly stops?: 'on' | 'off'
  /** Where requests go; several are compared in pairs. */
  readonly api?: EvalApi | readonly EvalApi[]
  /** Whose prompt formats with one are asked by. */
  readonly prompt?: 'maker' | 'callspec'
  /** Episodes at a time. */
  readonly maxConcurrency?: number
  /** Patience for one completion: seconds, or a text such as `90s` or `2m`. */
  readonly timeout?: number | string
  readonly maxRetries?: number
  /** How long to wait for a server that went away during the run: seconds, or a text such as `10m`. Default: `2m`. */
  readonly waitForServer?: number | string
  /** Pause before every request of an episode: seconds, or a text such as `500ms`. */
  readonly delay?: number | string
  /** When no further episode is begun: `$20`, which needs prices, or `5Mtok`. */
  readonly budget?: string | readonly string[]
  /** After which time no further episode is begun: seconds, or a text such as `2h`. */
  readonly timeLimit?: number | string
  readonly cache?: boolean
  readonly gates?: GateConfig
  readonly output?: OutputConfig
}

/** One model. */
export interface ModelConfig {
  /** What the server is asked for. */
  readonly name: string
  /** What reports call it, where two servers have a model of the same name. Default: the name. */
  readonly id?: string
  /** Its server, or several that share the work. */
  readonly baseUrl?: string | readonly (string | EndpointEntry)[]
  readonly apiKeyEnv?: string
  /** Headers of its requests; `${NAME}` stands for a variable. A model with a server of its own has only these. */
  readonly headers?: Readonly<Record<string, string>>
  readonly price?: PriceConfig
  /** Further fields of its requests, added to those of all models. */
  readonly parameters?: Readonly<Record<string, unknown>>
}

/** One of several servers. */
export interface EndpointEntry {
  /** Up to /v1. */
  readonly baseUrl: string
  /** Its share of the work, relative to the others. Default: 1. */
  readonly weight?: number
  /** Requests at a time, at most. */
  readonly maxConcurrency?: number
  /** Name of the environment variable with its key; it goes to this server alone. */
  readonly apiKeyEnv?: string
  /** Headers for this server only, added to those of the model or the configuration. */
  readonly headers?: Readonly<Record<string, string>>
}

/** US dollars per million tokens. */
export interface PriceConfig {
  readonly prompt: number
  readonly completion: number
}

/** Which tasks of a suite. */
export interface TaskChoice {
  /** A regular expression on ids. */
  readonly filter?: string
  readonly category?: string | readonly string[]
  readonly lang?: 'en' | 'zh' | readonly ('en' | 'zh')[]
  /** Only the first so many. */
  readonly limit?: number
}

/** When a run fails. */
export interface GateConfig {
  /** Least value of a metric in every row: `{ parse_rate: 0.95 }`. */
  readonly min?: Readonly<Record<string, number>>
  /** Largest value of a metric in every row: `{ runaway_rate: 0.1 }`. */
  readonly max?: Readonly<Record<string, number>>
  /** How often every task must be solved: `2/3`. */
  readonly minPasses?: string
  /** A run folder or a blessed baseline to compare with. */
  readonly baseline?: string
  /** How much worse than the baseline a rate may be: 0.02 are two points. */
  readonly maxRegression?: number
  /** The run gives no verdict where a drop of this size would not have been shown in four of five runs. */
  readonly requireDetectable?: number
  /** The only rates that can regress; all of them where none is named. */
  readonly gateOn?: readonly GatedName[]
  /** Share of failed requests beyond which a run says nothing. */
  readonly maxInfraRate?: number
  /** Whether a single failed request is enough. */
  readonly failOnError?: boolean
}

/** What is written in addition to the run folder. */
export interface OutputConfig {
  readonly reports?: string
  /** Files; the ending says what each holds. */
  readonly files?: readonly string[]
  /** Files of the run folder, by reporter. */
  readonly reporters?: readonly string[]
  readonly table?: boolean
}
