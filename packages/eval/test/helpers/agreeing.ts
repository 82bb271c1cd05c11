import { PROMPTED_FORMATS, PROTOCOLS } from '../../src/trace/protocol.ts'

/**
 * Formats whose ledger does not agree yet: their prompts write results as JSON strings, where a simulated model reads what a
 * tool said otherwise than the tool said it.
 */
const NOT_YET: ReadonlySet<string> = new Set(['mistral-v3', 'llama3-json'])

/** Formats with a prompt for which what was measured is what was injected. */
export const AGREEING_FORMATS: readonly string[] = PROMPTED_FORMATS.map(({ id }) => id).filter((id) => !NOT_YET.has(id))

/** Protocols for which every fault of the catalogue gets its labels. */
export const AGREEING_PROTOCOLS: readonly string[] = PROTOCOLS.filter((id) => !NOT_YET.has(id))
