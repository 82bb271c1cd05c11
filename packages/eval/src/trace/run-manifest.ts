import type { EvalApi } from './eval-api.ts'
import { formatParts } from './eval-api.ts'
import type { FormatName } from './format-names.ts'
import type { RUN_SCHEMA } from './trace.ts'

/** What a server says of itself. */
export interface ServerIdentity {
  /** The build of its engine; null where it does not say. */
  readonly build: string | null
  /** Its models, by id, with what else distinguishes two of one name; sorted. */
  readonly models: readonly string[]
}

/** Whether an episode that was begun with one can go on with the other. Unknown for a server that did not answer. */
export function isSameServer(one: ServerIdentity | null, other: ServerIdentity | null): boolean {
  return one !== null && other !== null && identityText(one) === identityText(other)
}

/** One text per identity. */
export function identityText({ build, models }: ServerIdentity): string {
  return JSON.stringify([build, models])
}

/** Some of `of` equal parts of a plan, by number from 1. Which episode is in which part depends on its key alone. */
export interface Shard {
  readonly of: number
  readonly parts: readonly number[]
}

/** The file of a format of the user. */
export interface FormatModule {
  /** As it was given: relative to where the program was started. */
  readonly path: string
  /** Of the file alone, not of what it imports. */
  readonly sha256: string
}

/** The settings of a run: the content of `run.json`. Holds no key and no password. */
export interface RunManifest {
  readonly schema: typeof RUN_SCHEMA
  /** The version of the program that began the run. */
  readonly callspec: string
  readonly node: string
  readonly scorer: string
  /** SHA-256 of everything that decides what is asked, see `DECIDING`. */
  readonly config: string
  readonly suite: {
    readonly name: string
    readonly version: string
    readonly sha256: string
    /** SHA-256 of `suite.json`, the copy in the folder. */
    readonly stored: string
  }
  readonly models: readonly string[]
  readonly protocols: readonly FormatName[]
  /** The version of each reference whose host reads a format. */
  readonly hosts: Readonly<Partial<Record<FormatName, string>>>
  /** The modules of the formats that were brought along; absent where none was. */
  readonly modules?: Readonly<Record<FormatName, FormatModule>>
  /** Ids, in the order in which they are asked. */
  readonly tasks: readonly string[]
  readonly seed: number
  readonly repeat: number
  /** Which parts of the plan are in the folder; null for all of it. */
  readonly shard: Shard | null
  readonly stops: 'on' | 'off'
  /** Of the formats whose name in `protocols` has no API, such as `native@messages`. */
  readonly api: EvalApi
  /** Whose prompt the formats were asked by; absent in runs from before there was a choice: the maker's. */
  readonly prompt?: PromptChoice
  readonly stream: boolean
  /** By model: what is sent in addition to the prompt, such as a temperature. */
  readonly parameters: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  /** The model and address that each name stands for, without user and password. */
  readonly endpoints: Readonly<Record<string, RecordedEndpoint>>
  readonly startedAt: string
  /** Null until the last episode has ended. */
  readonly finishedAt: string | null
  /** What decides nothing but the time, such as how many episodes run at once. */
  readonly settings: Readonly<Record<string, unknown>>
  /** That the lines of the journal, and this file, carry check sums; absent in runs from before there were any. */
  readonly sums?: 'crc32'
  /**
   * SHA-256 of the files that are made of the journal; null before they are written, and while they are being replaced. Absent in
   * runs from before there were such sums.
   */
  readonly results?: ResultSums | null
  /** What was changed by hand in the files of the run, and accepted; absent where nothing was. */
  readonly edited?: readonly string[]
  /** The builds of the engines, by model, as far as they are reported: several where a run went on with another one. */
  readonly engines?: Readonly<Record<string, readonly string[]>>
  /** How many lines the journal had when the last episode had ended; absent before. */
  readonly lines?: number
  /** What each server said of itself at last, by its address without secrets; null where it did not answer. Only where a model has several, or workers played it. */
  readonly servers?: Readonly<Record<string, ServerIdentity | null>>
  /** Work that several machines did twice; absent where one played the run. */
  readonly transport?: CarriedTransport
}

export interface ResultSums {
  readonly episodes: string
  readonly summary: string
}

/** Where a model is asked for, without user, password and keys. */
export interface RecordedEndpoint {
  readonly name: string
  /** The first of several. */
  readonly baseUrl: string
  /** All of them, where there are several. */
  readonly all?: readonly RecordedServer[]
}

/** One of several endpoints of a model. */
export interface RecordedServer {
  readonly baseUrl: string
  readonly weight?: number
  readonly maxConcurrency?: number
}

/** Counts over all tries that the journal does not contain. */
export interface CarriedTransport {
  /** Requests whose reply another run was requesting, too. */
  readonly askedTwice?: number
  /** Replies that arrived after another machine's was stored. */
  readonly dropped?: number
}

/** What was run, as far as the figures depend on it: part of `run.json`. */
export type RunFacts = Pick<
  RunManifest,
  'suite' | 'models' | 'protocols' | 'hosts' | 'seed' | 'repeat' | 'shard' | 'stops' | 'api' | 'prompt' | 'stream'
> & {
  readonly tasks: number
  /** What was changed by hand in the files of the run, and accepted; absent where nothing was. */
  readonly edited?: readonly string[]
  /** Whether its files carry no check sums, as those from before there were any: then changes by hand cannot be detected. */
  readonly isUnsealed?: boolean
}

/** How every request to a model is made; decides, with the prompt, what is asked. */
export interface RequestSettings {
  /** What the server is asked for; reports may call the model otherwise. */
  readonly name: string
  /** Further fields of every request, such as `temperature`; they win over those of the host. */
  readonly parameters: Readonly<Record<string, unknown>>
  /**
   * Whether the stop words of the format are sent. Without, a result that the model invents is in the trace, where
   * the server would have cut it off; the host gets the text cut at them in any case, as the reference does it.
   */
  readonly stops: 'on' | 'off'
  /** Where requests go. */
  readonly api: EvalApi
  /** Whose prompt a format with one is asked by, see `PromptChoice`. Absent: the maker's. */
  readonly prompt?: PromptChoice
}

/**
 * The prompt of the format's maker, or the one with the tools in the system text, see `toolsInSystem` of core. Formats that
 * have a host of their own have one prompt.
 */
export type PromptChoice = 'maker' | 'callspec'

/** What ends a turn in ChatML: no stop word of a format, so it is sent with every text in any case. */
export const END_MARK = '<|im_end|>'

/** The settings without any option. */
export function plainSettings(name: string): RequestSettings {
  return { name, parameters: {}, stops: 'on', api: 'chat' }
}

/** The settings of a format whose name has an API: it is asked over that. */
export function overApi(settings: RequestSettings, format: FormatName): RequestSettings {
  const { api } = formatParts(format)
  return api === null ? settings : { ...settings, api }
}

/** How many tokens a reply may have; null where the request does not say. */
export function maxTokensOf(parameters: Readonly<Record<string, unknown>>): number | null {
  const limit = parameters['max_completion_tokens'] ?? parameters['max_tokens']
  return typeof limit === 'number' ? limit : null
}

/** The fields of a request except its prompt, and the stop words among them that are the format's. */
export interface RequestFields {
  readonly parameters: Readonly<Record<string, unknown>>
  readonly stop: readonly string[]
}

/**
 * The fields that a host asks with, under the settings. Stop words of both are sent.
 *
 * @param endMarks what ends a turn; sent in any case
 */
export function parametersOf(
  { stop: words, ...host }: Readonly<Record<string, unknown>>,
  { parameters, stops }: RequestSettings,
  endMarks: readonly string[],
): RequestFields {
  const ofFormat = stops === 'off' ? [] : stringsOf(words)
  const sent = new Set([...ofFormat, ...stringsOf(parameters['stop']), ...endMarks])
  const stop = sent.size === 0 ? {} : { stop: [...sent] }
  return { parameters: { ...host, ...parameters, ...stop }, stop: ofFormat }
}

function stringsOf(given: unknown): readonly string[] {
  return [given ?? []].flat().filter((word) => typeof word === 'string')
}
