export { readCase } from './case.ts'
export type { Case, ExpectedAnswer } from './case.ts'
export { builtInCases, findCaseFiles, readCases } from './case-store.ts'
export type { CaseFile } from './case-store.ts'
export { compareAnswers } from './compare.ts'
export type { ActualAnswer } from './compare.ts'
export { differenceLine, firstDifference } from './difference.ts'
export type { Difference } from './difference.ts'
export type { Implementation, Question, Reply } from './implementation.ts'
export { builtInImplementation, lazyTokenizer } from './in-process.ts'
export { MachineryError } from './machinery-error.ts'
export { printJson } from './print-json.ts'
export { operations } from './operations/index.ts'
export type { Operation, OperationContext } from './operations/operation.ts'
export { reasonOf, resultLine } from './result-line.ts'
export { judge, runSuite, VERDICT_KINDS } from './run-suite.ts'
export type { CaseResult, SuiteOptions, Verdict, VerdictKind } from './run-suite.ts'
export { createTally, totalLine } from './tally.ts'
export type { Counts, Tally } from './tally.ts'
export { columns, firstTextDifference, visible } from './visible.ts'
export type { TextDifference } from './visible.ts'
export { comparable } from './normal-form.ts'
export type { Pair } from './normal-form.ts'
export {
  caseProfile,
  COARSE_OPERATIONS,
  isCoarse,
  matches,
  PROTOCOL_VERSION,
  STRICT,
  unclaimed,
  wireProfile,
} from './protocol.ts'
export type { Claim, CoarseOperation, Declaration, Topic } from './protocol.ts'
export { BrokenImplementation } from './broken-implementation.ts'
export { openHttp } from './drivers/http/http-implementation.ts'
export type { HttpOptions } from './drivers/http/http-implementation.ts'
export { oneShotImplementation } from './drivers/one-shot.ts'
export type { OneShotOptions } from './drivers/one-shot.ts'
export { poolOf } from './drivers/pool.ts'
export { openSession, QUESTIONS_AHEAD } from './drivers/session.ts'
export type { SessionOptions } from './drivers/session.ts'
export { answerOneShot, createHarness } from './harness.ts'
export type { Harness, OneShotAnswer } from './harness.ts'
export { knownFailuresText, NONE_KNOWN, readKnownFailures } from './known-failures.ts'
export type { KnownFailures } from './known-failures.ts'
export { smokeTest } from './smoke.ts'
export { functionsImplementation } from './drivers/functions.ts'
export type { ConformanceFunctions, FunctionsOptions, QuestionOptions } from './drivers/functions.ts'
