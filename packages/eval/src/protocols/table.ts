import { PROTOCOLS } from '../protocol.ts'
import type { Protocol } from '../protocol.ts'
import type { Dialect } from './dialect.ts'
import type { Host, HostOptions } from './host.ts'
import { nativeDialect } from './native/dialect.ts'
import { nativeHost } from './native/host.ts'
import { nousDialect } from './nous.ts'
import { functionCallHost, reactHost } from './qwen-agent-host.ts'
import { qwenDialect } from './qwen.ts'
import { reactDialect } from './react.ts'
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
}

/**
 * The protocols, one row each: nothing else in runner and scorers asks which one it is. How a simulated model speaks them
 * stands in a table of the simulator's own (`sim/speakers.ts`), because the two must not see each other.
 */
export const PROTOCOL_TABLE: Readonly<Record<Protocol, ProtocolEntry>> = {
  'fncall-qwen': { profile: 'v0.0.26', createHost: functionCallHost('v0.0.26', 'qwen'), dialect: qwenDialect },
  'fncall-nous': { profile: 'main', createHost: functionCallHost('main', 'nous'), dialect: nousDialect },
  react: { profile: 'main', createHost: reactHost('main'), dialect: reactDialect },
  native: { profile: 'main', createHost: nativeHost, dialect: nativeDialect, needsChat: true },
  'role-react': { profile: 'metagpt@v0.8.1', createHost: roleReactHost, dialect: roleReactDialect },
}

/** The version of each reference whose host reads a protocol. */
export const HOST_PROFILES: Readonly<Record<Protocol, string>> = Object.fromEntries(
  PROTOCOLS.map((protocol) => [protocol, PROTOCOL_TABLE[protocol].profile]),
) as Record<Protocol, string>

/** Those of the protocols that can be asked for over an API. */
export function protocolsOver(api: 'chat' | 'completions', protocols: readonly Protocol[]): readonly Protocol[] {
  return protocols.filter((protocol) => api === 'chat' || PROTOCOL_TABLE[protocol].needsChat !== true)
}
