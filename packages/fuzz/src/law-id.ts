/** The names of the laws, in the order in which they are checked. */
export const LAW_IDS = [
  'totality',
  'deterministic',
  'mode-parity',
  'split-invariance',
  'content-conservation',
  'no-marker-leak',
  'think-isolation',
  'truncation-honesty',
  'json-closure',
  'index-identity',
  'empty-arguments',
  'value-typing',
  'schema-typing',
  'utf-integrity',
  'stop-residue',
  'round-trip',
  'agreement',
  'linear-work',
] as const

/** The name of a law. */
export type LawId = (typeof LAW_IDS)[number]
