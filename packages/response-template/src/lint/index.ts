export { lintResponseTemplate } from './lint-response.ts'
export type { ResponseFinding, ResponseLintOptions } from './lint-response.ts'
export { RESPONSE_RULES } from './rules.ts'
