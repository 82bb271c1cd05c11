import type { Format } from '@callspec/core'
import { HOSTED_FORMATS, NATIVE, OTHER_FORMATS, protocolNamed, PROTOCOLS, ROLE } from '../trace/protocol.ts'
import type { HostedFormat, Protocol } from '../trace/protocol.ts'
import { RunError } from '../trace/run-error.ts'
import type { Dialect } from './dialect.ts'
import { formatDialect } from './format/dialect.ts'
import { formatHost } from './format/host.ts'
import type { Host, HostOptions } from './host.ts'
import { nativeDialect } from './native/dialect.ts'
import { nativeHost } from './native/host.ts'
import { hostOf } from './qwen-agent-host.ts'
import { roleReactDialect } from './role-react/dialect.ts'
import { roleReactHost } from './role-react/host.ts'

/** What runner and scorers know of a protocol. */
export interface ProtocolEntry {
  /** The version of the reference whose host reads it: the newest in which the format works end to end. */
  readonly profile: string
  readonly createHost: (options: HostOptions) => Host
  readonly dialect: Dialect
  /** Whether tools go out as such: the server then writes them into the prompt, so the prompt cannot be a text of ours. */
  readonly needsChat?: true
  /** The format that it is made of; absent where it has a host of its own. */
  readonly format?: Format
}

/** A format of Qwen-Agent under one version: that version's host plays it, and its reader is the strict one. */
function hostedEntry(format: HostedFormat): ProtocolEntry {
  const profile = format.defaultProfile
  return lateEntry({ profile, createHost: hostOf(format) }, () => formatDialect(format, profile))
}

/**
 * The protocols: one made of each format, and two that are no format. Nothing else in runner and scorers asks which one it is.
 * How a simulated model speaks them is the business of another package, because the two must not see each other.
 */
const ENTRIES: Map<string, ProtocolEntry> = new Map<string, ProtocolEntry>([
  ...[...HOSTED_FORMATS].map(([protocol, format]) => [protocol, hostedEntry(format)] as const),
  [NATIVE, { profile: 'main', createHost: nativeHost, dialect: nativeDialect, needsChat: true }],
  [ROLE, { profile: 'metagpt@v0.8.1', createHost: roleReactHost, dialect: roleReactDialect }],
  ...OTHER_FORMATS.map((format) => [format.id, formatEntry(format)] as const),
])

/** The protocol of a format; without a prompt it is only read. */
function formatEntry(format: Format): ProtocolEntry {
  const [profile = 'strict'] = format.versions
  return lateEntry({ profile, createHost: formatHost(format), format }, () => formatDialect(format))
}

/** An entry whose dialect is made when it is first asked for: prompts are written for it, and a run asks for few of thirty formats. */
function lateEntry(entry: Omit<ProtocolEntry, 'dialect'>, makeDialect: () => Dialect): ProtocolEntry {
  let made: Dialect | null = null
  return {
    ...entry,
    get dialect() {
      return (made ??= makeDialect())
    },
  }
}

const added = new Set<Protocol>()

/**
 * Makes a protocol of a format that somebody brings along, for the whole process: it is read by its id, and asked for where
 * it has a prompt. One that was added before is replaced.
 *
 * @throws RunError for the id of a protocol that is there already
 */
export function addProtocol(format: Format): Protocol {
  const { id } = format
  if (protocolNamed(id) !== null || (ENTRIES.has(id) && !added.has(id)))
    throw new RunError(`there is a format ${id} already: give the format another id`)
  if (ENTRIES.get(id)?.format !== format) ENTRIES.set(id, formatEntry(format))
  added.add(id)
  return id
}

/** The protocols of this process: `PROTOCOLS`, and behind them those that were added. */
export function knownProtocols(): readonly Protocol[] {
  return [...PROTOCOLS, ...added]
}

/** @throws Error for a protocol that nobody knows; names from outside are checked where they come in */
export function protocolEntry(protocol: Protocol): ProtocolEntry {
  const entry = ENTRIES.get(protocol)
  if (entry === undefined) throw new Error(`callspec: there is no protocol ${JSON.stringify(protocol)}`)
  return entry
}

/** The ids of the formats whose recorded replies can be read by their own readers. */
export const READ_FORMATS: readonly string[] = OTHER_FORMATS.map(({ id }) => id)

/** The version of each reference whose host reads a protocol. */
export const HOST_PROFILES: Readonly<Record<Protocol, string>> = Object.fromEntries(
  PROTOCOLS.map((protocol) => [protocol, protocolEntry(protocol).profile]),
)

/** Those of the protocols that can be asked for over an API. Formats with a prompt are asked for by it in any case. */
export function protocolsOver(api: 'chat' | 'completions', protocols: readonly Protocol[]): readonly Protocol[] {
  return protocols.filter((protocol) => api === 'chat' || protocolEntry(protocol).needsChat !== true)
}
