import { FORMATS } from '@callspec/core'
import type { Format } from '@callspec/core'
import { formats } from '@callspec/core/qwen-agent'

/** The name under which runs write down a format. */
function recordedAs({ id, recordedAs: name = id }: Pick<Format, 'id' | 'recordedAs'>): Protocol {
  return name
}

/** The formats whose replies a host of Qwen-Agent reads, by the names under which runs write them down. */
export const HOSTED_FORMATS: ReadonlyMap<Protocol, HostedFormat> = new Map(
  Object.values(formats).map((format) => [recordedAs(format), format]),
)

/** A format that a version of Qwen-Agent reads as it does. */
export type HostedFormat = (typeof formats)[keyof typeof formats]

/** What the server makes of tools, which no format of ours says. */
export const NATIVE = 'native'

/** A role of MetaGPT, which picks a tool by its number. */
export const ROLE = 'role-react'

/** The ways of asking for calls that have a host loop of their own. */
export const HOSTED_PROTOCOLS: readonly Protocol[] = [...HOSTED_FORMATS.keys(), NATIVE, ROLE]

/** Every format with one reader for its replies, whether it has a prompt or not. */
export const OTHER_FORMATS: typeof FORMATS = FORMATS.filter((format) => !HOSTED_FORMATS.has(recordedAs(format)))

/** The formats that are asked for by their own prompts, with one host loop for all of them. */
export const PROMPTED_FORMATS: typeof FORMATS = OTHER_FORMATS.filter(({ prompt }) => prompt !== null)

/** Formats that are read only, and why they cannot be asked for. */
export const UNASKED_FORMATS: ReadonlyMap<string, string> = new Map(
  OTHER_FORMATS.filter(({ prompt }) => prompt === null).map(({ id }) => [
    id,
    'the format has no prompt of its own; it can only be read, such as by callspec score.',
  ]),
)

/** The ways of asking for calls that are compared: who says what a call looks like, and which host loop reads it. */
export const PROTOCOLS: readonly Protocol[] = [...HOSTED_PROTOCOLS, ...PROMPTED_FORMATS.map(({ id }) => id)]

/** Those that are compared unless others are asked for: the formats of Qwen-Agent, and what the server makes of tools. */
export const DEFAULT_PROTOCOLS: readonly Protocol[] = [...HOSTED_FORMATS.keys(), NATIVE]

/** One of `PROTOCOLS`. */
export type Protocol = string

/** The name by which a protocol is asked for: that of its format. */
export function formatName(protocol: Protocol): string {
  return HOSTED_FORMATS.get(protocol)?.id ?? protocol
}

/** The names of `DEFAULT_PROTOCOLS`. */
export const DEFAULT_FORMATS: readonly string[] = DEFAULT_PROTOCOLS.map(formatName)

/** The names by which formats are asked for, in the order of `PROTOCOLS`. */
export const FORMAT_CHOICES: readonly string[] = PROTOCOLS.map(formatName)

const BY_FORMAT: ReadonlyMap<string, Protocol> = new Map(FORMATS.map((format) => [format.id, recordedAs(format)]))

/** The protocol of a format's name, or of the name under which runs are written down; null for none. */
export function protocolNamed(name: string): Protocol | null {
  const recorded = BY_FORMAT.get(name) ?? name
  return PROTOCOLS.includes(recorded) ? recorded : null
}

const BY_ALIAS: ReadonlyMap<string, Protocol> = new Map(
  FORMATS.flatMap((format) => (format.aliases ?? []).map((name) => [name, recordedAs(format)] as const)),
)

/** The names that formats have besides their ids. */
export const FORMAT_ALIASES: readonly string[] = [...BY_ALIAS.keys()]

/** The protocol that a file means by a name, which may be another one that the format has; null for none. */
export function protocolCalled(name: string): Protocol | null {
  return protocolNamed(name) ?? BY_ALIAS.get(name) ?? null
}
