import { createRequire } from 'node:module'
import type { Agent } from 'undici'

/** The module of undici that has its agent. */
export const AGENT_MODULE = 'undici/lib/dispatcher/agent.js'

let loaded: typeof Agent | null = null

/** undici's `Agent`. It is loaded once, when the first connection may be wanted. */
export function loadAgent(): typeof Agent {
  return (loaded ??= agentFrom(createRequire(import.meta.url)))
}

/**
 * The agent's own module, because the whole package with its `fetch`, mocks, caches and Web sockets takes five times as long to load:
 * a tenth of a run of one case. undici does not promise where it lies, so that the package stands in for it.
 *
 * @param load loads a module of CommonJS, such as `createRequire` makes
 */
export function agentFrom(load: (name: string) => unknown): typeof Agent {
  try {
    return load(AGENT_MODULE) as typeof Agent
  } catch {
    return (load('undici') as { readonly Agent: typeof Agent }).Agent
  }
}
