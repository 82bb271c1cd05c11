export type { Client } from './client/client.ts'
export type { ReplyWarning } from './trace/completion.ts'
export type { Failure } from './trace/completion.ts'
export { headerFault } from './client/redact.ts'
export type { EndpointHeaders } from './client/redact.ts'
export { REDACTED, redact, redactedUrl } from './client/redact.ts'
export { loadTransport } from './client/sender.ts'
export { modelNames } from './doctor/list-models.ts'
export { jsonRecords } from './offline/read-records.ts'
export type { JsonRecords, OnRead } from './offline/read-records.ts'
export { MAX_RECORD_UNITS } from './offline/read-records.ts'
export { readLines } from './offline/read-records.ts'
export { readText } from './offline/read-records.ts'
export {
  DEFAULT_FORMATS,
  FORMAT_CHOICES,
  formatId,
  rowName,
  NATIVE,
  recordedNameOfAlias,
  recordedNameOf,
  FORMAT_NAMES,
  ROLE,
  UNASKED_FORMATS,
} from './trace/format-names.ts'
export type { FormatName } from './trace/format-names.ts'
export { hasFormatPrompt, promptGaps } from './formats/table.ts'
export { evalFormat, formatsOver, formatsWith } from './formats/table.ts'
export type { FormatTable } from './formats/eval-format.ts'
export {
  COLUMN_TEXTS,
  COLUMNS,
  effortTable,
  boundsText,
  rowLines,
  sizeOfRow,
  pText,
  counts,
  FINE_ENDS,
  FINE_TURNS,
  ratePercent,
  selectionParts,
} from './report/format.ts'
export { compareWithLedger, ledgerText } from './summary/ledger-agreement.ts'
export { causeItems } from './report/names.ts'
export type { Breakage } from './report/conclusion.ts'
export { conclusionsOf, realFirst } from './report/conclusion.ts'
export type { Beaten, Conclusion, FormatVerdict } from './report/conclusion.ts'
export { breakageText, priceOf, verdictText, visiblePoints } from './report/conclusion.ts'
export { causeName, END_NAMES, TURN_NAMES } from './report/names.ts'
export {
  comparisonText,
  differenceText,
  endpointText,
  MODEL_COLUMNS,
  modelDifferences,
  transportTexts,
  sizeOfTest,
  triesText,
} from './report/format.ts'
export { createRunFolder } from './store/run-folder.ts'
export type { RunFolder } from './store/run-folder.ts'
export { beginRun, exportBatch } from './batch/batch-export.ts'
export { importBatch } from './batch/batch-import.ts'
export type { BatchImport } from './batch/batch-import.ts'
export type { JournalSystem } from './store/write-files.ts'
export { apisOf, EVAL_APIS, formatOver, formatParts } from './trace/eval-api.ts'
export type { EvalApi } from './trace/eval-api.ts'
export type { FormatModule, RecordedServer, RunManifest } from './trace/run-manifest.ts'
export { manifestIn, openRun } from './store/open-run.ts'
export type { StoredRun } from './store/open-run.ts'
export { followRun } from './store/follow-run.ts'
export type { RunFollower, RunProgress } from './store/follow-run.ts'
export type { Plan } from './trace/plan.ts'
export type { Job } from './trace/trace.ts'
export type { Shard } from './trace/run-manifest.ts'
export { EvalAborted } from './play/refusals.ts'
export type { RunModel } from './play/play-episode.ts'
export type { PlayedEpisode } from './score/scores.ts'
export { mergeRuns } from './store/merge-runs.ts'
export type { MergedRun } from './store/merge-runs.ts'
export { rescore } from './store/run-report.ts'
export type { BaseUrls, EndpointConfig } from './run/resolve-endpoints.ts'
export type { ResolvedModel, RunConfig, RunModelConfig } from './run/run-config.ts'
export { RunError } from './trace/run-error.ts'
export { RunStopped } from './trace/run-error.ts'
export type { RunLimits } from './run/run-eval.ts'
export { runEval } from './run/run-eval.ts'
export type { RunEvent, RunOptions } from './run/run-eval.ts'
export type { EndLine, EpisodeKey, EpisodeTrace, TraceLine, TurnLine } from './trace/trace.ts'
export type { EpisodeScore } from './score/scores.ts'
export type { ScoredTurn } from './score/scores.ts'
export type { Rate } from './statistics/rate.ts'
export { SCORER_VERSION, scorerChangesSince } from './score/scores.ts'
export { BLAMED, causeKey } from './score/scores.ts'
export type { Attribution, Blamed } from './score/scores.ts'
export { settledScore } from './summary/causes.ts'
export { REPAIR_MEANS } from './reading/call-block.ts'
export { baselineOf, baselineText } from './compare/baseline.ts'
export { compareRuns } from './compare/compare-runs.ts'
export type { ComparedFigure, ComparedRow, RowName, RunComparison } from './compare/compare-runs.ts'
export { readOutcomes, readSide, readSummary } from './store/read-side.ts'
export { verifyRun } from './store/read-side.ts'
export type { StoredSide } from './store/read-side.ts'
export { readBound, readTaskGate } from './compare/gate.ts'
export type { Gate, ReadGate } from './compare/gate.ts'
export { exitOf, judgeGates, judgeLedger } from './compare/judge.ts'
export type { Decision, GateVerdict } from './compare/judge.ts'
export { GATED_NAMES, judgeRegression } from './compare/regression.ts'
export type { GatedName, RegressionOptions } from './compare/regression.ts'
export { hasPairs, nothingToCompare, unpairedReasons } from './compare/judge.ts'
export type { PairedMetric } from './metrics/paired-tests.ts'
export type { PairedTest, TaskShares } from './metrics/paired-tests.ts'
export { successChanges } from './metrics/paired-tests.ts'
export {
  INJECTION_COLUMNS,
  INJECTION_TEXTS,
  injectionLines,
  injectionOf,
  injectionTexts,
  injectionTitle,
} from './report/injection.ts'
export type { ArmFigure, ArmSummary, ArmTest, InjectionRow } from './summary/injection.ts'
export { plantedFor } from './trace/injection.ts'
export type { Arm, Injection, PlantedText } from './trace/injection.ts'
export type { EvalSummary } from './summary/eval-summary.ts'
export type { FormatComparison } from './metrics/compare-rows.ts'
export { mergedCauses, sameCause } from './summary/causes.ts'
export type { Cause } from './summary/causes.ts'
export type { SummaryRow, TaskCell } from './summary/row.ts'
export { createSummarizer } from './summary/summarizer.ts'
export { createEndpointCounts } from './summary/transport.ts'
export { allWarnings, timesOfRow } from './summary/summarizer.ts'
export type { Warning, WarningCode } from './summary/warnings.ts'
export { checkShape } from './shape/shape.ts'
export type { Shape, ShapeFault, ShapePath } from './shape/shape.ts'
export type {
  ExpectedAnswer,
  ExpectedCall,
  NamedToolDefinition,
  RecordedResult,
  ReferenceDefinition,
  SuiteDefinition,
  MessageDefinition,
  TaskDefinition,
  ToolContext,
  ToolDefinition,
  Verdict,
} from './trace/task.ts'
export { makeSuite } from './suite/read-suite.ts'
export { loadBuiltInSuite } from './suite/read-suite.ts'
export { INJECTION_SUITE, injectionReferences, loadInjectionSuite } from './suite/injection-suite.ts'
export { withForgedTexts } from './formats/forged-text.ts'
export type { TemplateInUse } from './formats/forged-text.ts'
export { pathText, SuiteError } from './suite/suite-shape.ts'
export { SUITE_SHAPE } from './suite/suite-shape.ts'
export { messagesFault } from './suite/task-messages.ts'
export { earlierText, offeredTools } from './trace/task.ts'
export type { EarlierMessage, Suite, Task } from './trace/task.ts'
export { openTape } from './tape/tape.ts'
export type { Tape } from './tape/tape.ts'
export { markReply, SPAN_KINDS } from './score/reply-spans.ts'
export { factsOf } from './store/manifest.ts'
export { continueRun } from './store/run-folder.ts'
export { joinBuilds } from './store/manifest.ts'
export { traceLine } from './store/journal-index.ts'
export { createRefusals } from './play/refusals.ts'
export { createSpending } from './run/run-eval.ts'
export { createRunReport } from './store/run-report.ts'
export type { RunReport } from './store/run-report.ts'
export { scored } from './judging/score-episode.ts'
export { settingsOf } from './store/manifest.ts'
