/*
 * Cases, the protocol (version 1, described in `docs/protocol.md` and `schemas/`), programs and servers under test, comparison, runs and
 * their tables. Callspec's own implementation is the entry `built-in`.
 */
export { caseLine } from './cases/case.ts'
export type { Case, ExpectedAnswer, ActualAnswer } from './cases/case.ts'
export { caseOrigin } from './cases/provenance.ts'
export type { OnUnusable } from './cases/case-file.ts'
export { builtInCases, findCaseFiles, readCases, distinctCases } from './cases/case-store.ts'
export type { CaseFile } from './cases/case-store.ts'
export { askedIds, askedText, caseLists, readAsked, sameCases } from './cases/asked-cases.ts'
export type { AskedCases, CaseLists } from './cases/asked-cases.ts'
export { CUT_NAMES, arrivingChunks, cutCases, familyOf } from './cases/cut-cases.ts'
export type { CutName } from './cases/cut-cases.ts'
export { caseSetVersion, currentId, readRetiredIds, readTaxonomy } from './cases/taxonomy.ts'
export type { Taxonomy } from './cases/taxonomy.ts'
export { lintCases } from './cases/lint.ts'
export { countCases, countTopics } from './cases/counts.ts'
export type { TopicCounts } from './cases/counts.ts'
export {
  caseProfile,
  COARSE_OPERATIONS,
  isCoarse,
  matches,
  STRICT,
  unsupported,
  wireProfile,
} from './protocol/declaration.ts'
export { PROTOCOL_VERSION } from './protocol/messages.ts'
export { answerOneShot, createHarness } from './protocol/harness.ts'
export { MachineryError, poolOf, smokeTest } from './implementation.ts'
export type { Implementation, Reply } from './implementation.ts'
export { openHttp } from './drivers/http/http-implementation.ts'
export { SAY_MODES } from './drivers/http/say/engine.ts'
export type { SayOptions } from './drivers/http/say/say-texts.ts'
export { oneShotImplementation } from './drivers/one-shot.ts'
export { openSession, QUESTIONS_AHEAD } from './drivers/session.ts'
export { functionsImplementation } from './drivers/functions.ts'
export type { ConformanceFunctions, QuestionOptions } from './drivers/functions.ts'
export { compareAnswers, differenceLine, firstDifference } from './comparison/compare.ts'
export type { Difference, ByteDifference } from './comparison/compare.ts'
export { printJson, visible } from './comparison/visible.ts'
export { comparable } from './comparison/normal-form.ts'
export { GRADES, sumGrades } from './comparison/grade.ts'
export type { Grade, GradeCounts } from './comparison/grade.ts'
export { rawOf, reasonOf, resultLine, runSuite, VERDICT_KINDS, sumCells } from './run/run-suite.ts'
export type { ResultOrigin, CaseResult, Verdict, Counts } from './run/run-suite.ts'
export { DEVIATION_KINDS, readKnownFailures, createTriage } from './run/known-failures.ts'
export type { KnownFailures, NewFailure } from './run/known-failures.ts'
export { scoreboardFileName, readScoreboard, scoreboardText, withRun } from './run/scoreboard.ts'
export type { Scoreboard } from './run/scoreboard.ts'
export { planRecording } from './run/record.ts'
export type { RecordingPlan } from './run/record.ts'
export { createRunReport, totalLine } from './run/run-report.ts'
export type { RunReport, Tally } from './run/run-report.ts'
export { recordedCase, readRecorded, recordedDates, readJudged, showing, tallyRecorded } from './matrix/recorded.ts'
export type { ComparedCase, ComparedVerdict, ConformanceColumn, TopicCell } from './matrix/compared.ts'
export { compareSources } from './matrix/columns.ts'
export type { ComparedSources } from './matrix/columns.ts'
export { FUNCTIONS, halvesOf, recordedTables, runTables, scoreTables } from './matrix/tables.ts'
export type { RecordedCounts, RunTable } from './matrix/tables.ts'
