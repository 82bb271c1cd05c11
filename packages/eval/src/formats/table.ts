import type { Format } from '@callspec/core'
import { QWEN_AGENT_FORMATS, NATIVE, OTHER_FORMATS, recordedNameOf, FORMAT_NAMES, ROLE } from '../trace/format-names.ts'
import type { QwenAgentFormat, FormatName } from '../trace/format-names.ts'
import { RunError } from '../trace/run-error.ts'
import type { FormatReader } from './format-reader.ts'
import { genericReader } from './generic/reader.ts'
import { genericHost } from './generic/host.ts'
import type { Host, HostOptions } from './host.ts'
import { nativeReader } from './native/reader.ts'
import { nativeHost } from './native/host.ts'
import { qwenAgentHost } from './qwen-agent-host.ts'
import { roleReactReader } from './role-react/reader.ts'
import { roleReactHost } from './role-react/host.ts'

/** What the runner and the scorers know about a format. */
export interface EvalFormat {
  /** The version of the reference: the newest in which the format works end to end. */
  readonly profile: string
  readonly createHost: (options: HostOptions) => Host
  readonly reader: FormatReader
  /** Whether tools are sent as `tools`. The server then writes the prompt, so `/completions` cannot be used. */
  readonly needsChat?: true
  /** The format of core. Absent where the format has a host loop of its own. */
  readonly format?: Format
}

/** A format of Qwen-Agent in one version: the host and the strict reader are those of that version. */
function qwenAgentEntry(format: QwenAgentFormat): EvalFormat {
  const profile = format.defaultProfile
  return lateEntry({ profile, createHost: qwenAgentHost(format) }, () => genericReader(format, profile))
}

/**
 * All formats of an evaluation: those of core, `native` and `role-react`. The rest of the runner and of the scorers never asks
 * which format it has. Simulated models have a table of their own, because the two packages share no code.
 */
const ENTRIES: Map<string, EvalFormat> = new Map<string, EvalFormat>([
  ...[...QWEN_AGENT_FORMATS].map(([name, format]) => [name, qwenAgentEntry(format)] as const),
  [NATIVE, { profile: 'main', createHost: nativeHost, reader: nativeReader, needsChat: true }],
  [ROLE, { profile: 'metagpt@v0.8.1', createHost: roleReactHost, reader: roleReactReader }],
  ...OTHER_FORMATS.map((format) => [format.id, formatEntry(format)] as const),
])

/** A format of core. Without a prompt it can only be read. */
function formatEntry(format: Format): EvalFormat {
  const [profile = 'strict'] = format.versions
  return lateEntry({ profile, createHost: genericHost(format), format }, () => genericReader(format))
}

/** Makes the reader on first use: making one writes prompts, and a run uses few of the thirty formats. */
function lateEntry(entry: Omit<EvalFormat, 'reader'>, makeReader: () => FormatReader): EvalFormat {
  let made: FormatReader | null = null
  return {
    ...entry,
    get reader() {
      return (made ??= makeReader())
    },
  }
}

const added = new Set<FormatName>()

/**
 * Adds a format of the user, for the whole process. A format that was added before under this id is replaced.
 *
 * @throws RunError for the id of a built-in format
 */
export function addFormat(format: Format): FormatName {
  const { id } = format
  if (recordedNameOf(id) !== null || (ENTRIES.has(id) && !added.has(id)))
    throw new RunError(`there is a format ${id} already: give the format another id`)
  if (ENTRIES.get(id)?.format !== format) ENTRIES.set(id, formatEntry(format))
  added.add(id)
  return id
}

/** `FORMAT_NAMES`, followed by the formats that were added. */
export function knownFormats(): readonly FormatName[] {
  return [...FORMAT_NAMES, ...added]
}

/** @throws Error for an unknown name; names from outside are checked on entry */
export function evalFormat(name: FormatName): EvalFormat {
  const entry = ENTRIES.get(name)
  if (entry === undefined) throw new Error(`callspec: there is no format ${JSON.stringify(name)}`)
  return entry
}

/** The ids of the formats whose recorded replies can be read by their own readers. */
export const READ_FORMATS: readonly string[] = OTHER_FORMATS.map(({ id }) => id)

/** The version of the reference of each format. */
export const FORMAT_PROFILES: Readonly<Record<FormatName, string>> = Object.fromEntries(
  FORMAT_NAMES.map((name) => [name, evalFormat(name).profile]),
)

/** The formats that an API can send. */
export function formatsOver(api: 'chat' | 'completions', names: readonly FormatName[]): readonly FormatName[] {
  return names.filter((name) => api === 'chat' || evalFormat(name).needsChat !== true)
}
