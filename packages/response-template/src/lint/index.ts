export { findingData, lintResponseTemplate } from './lint-response.ts'
export type { ResponseFinding, ResponseFindingData, ResponseLintOptions } from './lint-response.ts'
export { RESPONSE_RULES } from './rules.ts'
