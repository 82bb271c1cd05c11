import { PROMPTED_FORMATS, PROTOCOLS } from '../../src/trace/protocol.ts'

/**
 * Formats whose ledger does not agree yet. Some write the first prompt as a sibling does, so that a simulated model takes
 * them for it; of the others the frame of prompts or the labels of lost calls are still to be worked out.
 */
const NOT_YET: ReadonlySet<string> = new Set([
  ...['glm-4.7', 'mistral-v3', 'mistral-v11', 'mistral-v13'],
  ...['llama3-json', 'granite-3', 'phi-4-mini'],
])

/** Formats with a prompt for which what was measured is what was injected. */
export const AGREEING_FORMATS: readonly string[] = PROMPTED_FORMATS.map(({ id }) => id).filter((id) => !NOT_YET.has(id))

/** Protocols for which every fault of the catalogue gets its labels. */
export const AGREEING_PROTOCOLS: readonly string[] = PROTOCOLS.filter((id) => !NOT_YET.has(id))
