import type { CallspecMatchers } from './matchers.ts'

export { describeConformance } from './describe-conformance.ts'
export type { ConformanceProgram, ConformanceSuite } from './describe-conformance.ts'
export { fuzzParser } from './fuzz-parser.ts'
export type { FuzzSuite } from './fuzz-parser.ts'
export { callspecMatchers } from './matchers.ts'
export type { CallspecMatchers } from './matchers.ts'
export type { ExpectedCall, ExpectedItemCall, ExpectedReading, ReadingOptions } from './to-parse-as.ts'
export type { Prompt } from './to-match-prompt.ts'
export type { TemplateLintOptions } from './template-matchers.ts'
export type { ExpectedRendering, RenderingOptions } from './template-matchers.ts'
export type { TerminationReason } from './to-terminate-with.ts'

// Who imports anything from here has the matchers in the types of `expect`.
declare module 'vitest' {
  // The parameter must be there: declarations that are merged have the same ones.
  interface Matchers<T> extends CallspecMatchers {}
}
