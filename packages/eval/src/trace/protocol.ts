import { FORMATS } from '@callspec/core'

/** The ways of asking for calls that have a host loop of their own. */
export const HOSTED_PROTOCOLS = ['fncall-qwen', 'fncall-nous', 'react', 'native', 'role-react'] as const

/** One of `HOSTED_PROTOCOLS`. */
export type HostedProtocol = (typeof HOSTED_PROTOCOLS)[number]

/** The formats whose replies a host of Qwen-Agent reads: their protocols are among `HOSTED_PROTOCOLS`. */
const HOSTED_FORMATS: ReadonlySet<string> = new Set(['qwen', 'nous', 'react'])

/** Every format with one reader for its replies, whether it has a prompt or not. */
export const OTHER_FORMATS: typeof FORMATS = FORMATS.filter(({ id }) => !HOSTED_FORMATS.has(id))

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
export const DEFAULT_PROTOCOLS = ['fncall-qwen', 'fncall-nous', 'react', 'native'] as const

/** One of `PROTOCOLS`. */
export type Protocol = string

/** The names of formats that have another one in what runs write down. */
const RECORDED_AS: ReadonlyMap<string, HostedProtocol> = new Map([
  ['qwen', 'fncall-qwen'],
  ['nous', 'fncall-nous'],
])

/** The names by which formats are asked for, in the order of `PROTOCOLS`. */
export const FORMAT_CHOICES: readonly string[] = PROTOCOLS.map(
  (protocol) => [...RECORDED_AS].find(([, recorded]) => recorded === protocol)?.[0] ?? protocol,
)

/** The protocol of a format's name, or of the name under which runs are written down; null for none. */
export function protocolNamed(name: string): Protocol | null {
  const recorded = RECORDED_AS.get(name) ?? name
  return PROTOCOLS.includes(recorded) ? recorded : null
}
