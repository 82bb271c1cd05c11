/** What a number may be. Stands here once, for flags, variables and files. */
export const LIMITS = {
  repeat: { min: 1, max: 1000 },
  seed: { min: 0, max: 1073741824 },
  limit: { min: 1 },
  'max-calls': { min: 1, max: 1000 },
  'max-tokens': { min: 1 },
  'max-concurrency': { min: 1, max: 1024 },
  'max-retries': { min: 0, max: 100 },
  'queue-memory': { min: 1, max: 1_000_000 },
  'metrics-port': { min: 0, max: 65_535 },
  'max-infra-rate': { min: 0, max: 1 },
  'max-regression': { min: 0, max: 1 },
  'require-detectable': { min: 0, max: 1 },
} as const
