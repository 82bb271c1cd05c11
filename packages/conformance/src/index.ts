export { readCase, caseLine } from './case.ts'
export type { Case, ExpectedAnswer, ActualAnswer, Pair } from './case.ts'
export { caseOrigin } from './provenance.ts'
export type { Provenance, TextRange } from './provenance.ts'
export { casesToRecord } from './case-file.ts'
export type { FileContent, RecordableCase, OnUnusable } from './case-file.ts'
export { builtInCases, findCaseFiles, readCases, readFixture, readGolden, distinctCases } from './case-store.ts'
export type { CaseFile } from './case-store.ts'
export { compareAnswers, differenceLine, firstDifference } from './compare.ts'
export type { Difference, ByteDifference } from './compare.ts'
export type { Implementation, Question, Remarks, Reply } from './implementation.ts'
export { builtInImplementation, formatImplementation } from './in-process.ts'
export { lazyTokenizer } from './lazy-tokenizer.ts'
export { MachineryError, BrokenImplementation } from './machinery-error.ts'
export { printJson } from './print-json.ts'
export { operations } from './operations/index.ts'
export type { Operation, OperationContext } from './operations/operation.ts'
export { rawOf, reasonOf, resultLine, judge, runSuite, VERDICT_KINDS, createTally, totalLine } from './run-suite.ts'
export type { ResultOrigin, CaseResult, SuiteOptions, Verdict, VerdictKind, Counts, Tally } from './run-suite.ts'
export { columns, visible } from './visible.ts'
export type { TextDifference } from './visible.ts'
export { CUT_NAMES, cutCases, familyOf } from './cut-cases.ts'
export type { CutName, CutTokens, CutPlan } from './cut-cases.ts'
export { comparable } from './normal-form.ts'
export { recordedCase, readRecorded, recordedDates, readJudged, showing, tallyRecorded } from './recorded.ts'
/*
 * The protocol between the runner and an implementation, version 1. `docs/protocol.md` describes it; a change here is also a
 * change there, and in `schemas/`.
 */
export {
  caseProfile,
  COARSE_OPERATIONS,
  isCoarse,
  matches,
  STRICT,
  unsupported,
  wireProfile,
} from './protocol/declaration.ts'
export type { Claim, CoarseOperation, Declaration, Topic } from './protocol/declaration.ts'
export { PROTOCOL_VERSION } from './protocol/messages.ts'
export { openHttp } from './drivers/http/http-implementation.ts'
export type { HttpOptions } from './drivers/http/http-implementation.ts'
export { SAY_MODES } from './drivers/http/say/find-way.ts'
export type { SayMode } from './drivers/http/say/find-way.ts'
export type { SayOptions } from './drivers/http/say/open-say.ts'
export { oneShotImplementation } from './drivers/one-shot.ts'
export type { OneShotOptions } from './drivers/one-shot.ts'
export { poolOf } from './implementation.ts'
export { openSession, QUESTIONS_AHEAD } from './drivers/session.ts'
export type { SessionOptions } from './drivers/session.ts'
export { answerOneShot, createHarness } from './harness.ts'
export type { Harness, HarnessStep, OneShotAnswer } from './harness.ts'
export { DEVIATION_KINDS, NONE_KNOWN, readKnownFailures, isListable, triagedText } from './known-failures.ts'
export type { DeviationKind, KnownFailure, KnownFailures, NewFailure, Triage } from './known-failures.ts'
export { smokeTest } from './smoke.ts'
export { recordAnswers } from './record.ts'
export type { RecordedFile, Recording } from './record.ts'
export { functionsImplementation } from './drivers/functions.ts'
export type { ConformanceFunctions, FunctionsOptions, QuestionOptions } from './drivers/functions.ts'
export { caseSetVersion, readRetiredIds, readTaxonomy } from './case-set/taxonomy.ts'
export type { Gap, Taxonomy, TaxonomyTopic } from './case-set/taxonomy.ts'
export { lintCases } from './case-set/lint.ts'
export type { LintReport, LintRules, Finding } from './case-set/lint.ts'
export { createScore, sumCells, scoreboardFileName, readScoreboard, scoreboardText, withRun } from './scoreboard.ts'
export type { Score, ScoreCell, Scoreboard, ScoredRun, VersionResult } from './scoreboard.ts'
export type { RecordedAnswer, RecordedQuestion, JudgedDeviation, RecordedCell } from './recorded.ts'
export { documentedTranscripts } from './transcripts.ts'
export type { DocumentedTranscript, PrintedOtherwise } from './transcripts.ts'
export { readMutants } from './mutants/mutant-file.ts'
export type { Bug, GrammarPatch, MutantSpec, TextPatch } from './mutants/mutant-file.ts'
export { makeMutant } from './mutants/make-mutant.ts'
export type { DeltaMaker, Mutant } from './mutants/make-mutant.ts'
export { differs, scoreByCases } from './mutants/score-mutants.ts'
export type { CaseScore } from './mutants/score-mutants.ts'
export { createCompared } from './matrix/compared.ts'
export type {
  Compared,
  ComparedAnswer,
  ComparedCase,
  ComparedVerdict,
  ConformanceColumn,
  TopicCell,
} from './matrix/compared.ts'
export { addRecorded } from './matrix/recorded-columns.ts'
export { addResults, columnName } from './matrix/result-columns.ts'
