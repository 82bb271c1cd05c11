export { createClient } from './client/client.ts'
export type { ChatRequest, Client, ClientOptions, CompletionRequest, TextRequest } from './client/client.ts'
export type { ChunkTime, Completion, NativeCall, ReplyWarning, Usage } from './trace/completion.ts'
export type { Failure } from './trace/completion.ts'
export { finishOf } from './trace/completion.ts'
export type { Finish } from './trace/completion.ts'
export { createLimiter } from './client/limiter.ts'
export type { Limiter } from './client/limiter.ts'
export { headerFault } from './client/headers.ts'
export type { EndpointHeaders } from './client/headers.ts'
export { REDACTED, redact, redactedUrl } from './client/redact.ts'
export { DOCTOR_SCHEMA, doctorJson, doesHang, examine, isHealthy } from './doctor/doctor.ts'
export type { DoctorJson, DoctorOptions, DoctorReport } from './doctor/doctor.ts'
export { modelNames } from './doctor/list-models.ts'
export { CHECKS as DOCTOR_CHECKS } from './doctor/finding.ts'
export type { Check as DoctorCheck, Finding as DoctorFinding, ScriptFinding, ScriptRow } from './doctor/finding.ts'
export { quickSuite } from './doctor/scripts.ts'
export { driveLoop } from './play/drive-loop.ts'
export type { LoopNotice, LoopWorld, Model } from './play/drive-loop.ts'
export { END_LABELS, TURN_FLAGS, TURN_LABELS } from '@callspec/labels'
export type { EndLabel, LedgerRow, TurnFlag, TurnLabel } from '@callspec/labels'
export { outputReader } from './offline/output-reader.ts'
export type { OutputReader, ReadOutput } from './offline/output-reader.ts'
export { TEXT_FIELDS } from './offline/output-row.ts'
export { jsonRecords } from './offline/json-records.ts'
export type { JsonRecords } from './offline/json-records.ts'
export { MAX_RECORD_UNITS } from './offline/read-text.ts'
export { readLines } from './offline/read-text.ts'
export { readText } from './offline/read-text.ts'
export { alternatives, identifyText } from './reading/foreign-calls.ts'
export { readReplies } from './offline/recorded-replies.ts'
export type { ReadReplies, RecordedReply, RepliesOptions } from './offline/recorded-replies.ts'
export { recogniseShape } from './offline/shapes.ts'
export type { Recognised, Unrecognised } from './offline/shapes.ts'
export { OUTPUT_SHAPES, rowReader, SHAPE_TABLE } from './offline/shapes.ts'
export type { OutputShape } from './offline/shapes.ts'
export type { AnswerCounts } from './offline/score-outputs.ts'
export { scoreOutputs } from './offline/score-outputs.ts'
export type { OutputScore, OutputsSummary, ScoreOutputsOptions } from './offline/score-outputs.ts'
export {
  DEFAULT_FORMATS,
  DEFAULT_FORMAT_NAMES,
  FORMAT_ALIASES,
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
export type { TurnQuestion } from './trace/trace.ts'
export { hasFormatPrompt, promptGaps } from './formats/table.ts'
export { evalFormat, FORMAT_PROFILES, formatsOver, formatsWith } from './formats/table.ts'
export type { EvalFormat, FormatTable } from './formats/eval-format.ts'
export {
  cellsOf,
  COLUMN_TEXTS,
  COLUMNS,
  effortTable,
  money,
  boundsText,
  linesOf,
  sizeOfRow,
  rateText,
  pText,
  counts,
  decimal,
  FINE_ENDS,
  FINE_TURNS,
  percent,
  selectionParts,
} from './report/format.ts'
export { compareWithLedger, ledgerText } from './summary/ledger-agreement.ts'
export { renderMarkdown } from './report/markdown.ts'
export { causeItems } from './report/names.ts'
export type { Breakage } from './report/conclusion.ts'
export { conclusionsOf, realFirst } from './report/conclusion.ts'
export type { Beaten, Conclusion, FormatVerdict } from './report/conclusion.ts'
export { breakageText, priceOf, verdictText, visiblePoints } from './report/conclusion-text.ts'
export type { ToldPrice } from './report/conclusion-text.ts'
export { causeName, END_NAMES, TURN_NAMES } from './report/names.ts'
export {
  causeText,
  comparisonText,
  differenceText,
  endpointText,
  MODEL_COLUMNS,
  modelDifferences,
  sensitivityText,
  sizeText,
  transportTexts,
  sizeOfTest,
  triesText,
} from './report/sentences.ts'
export type { ReportData } from './report/markdown.ts'
export { createRunFolder } from './store/run-folder.ts'
export type { FileWriter } from './store/part-file.ts'
export type { NewFolderOptions, RunFolder } from './store/run-folder.ts'
export { createRunWriter, summaryText } from './store/write-run.ts'
export type { RunWriter } from './store/write-run.ts'
export { beginRun, exportBatch } from './batch/batch-export.ts'
export type { BatchRequest, ExportBatchOptions } from './batch/batch-export.ts'
export { importBatch } from './batch/batch-import.ts'
export type { BatchImport } from './batch/batch-import.ts'
export type { JournalSystem } from './store/journal.ts'
export type { FormatModule, RecordedServer, RunManifest } from './trace/run-manifest.ts'
export { openRun } from './store/open-run.ts'
export type { StoredEpisode, StoredRun } from './store/open-run.ts'
export { makePlan } from './plan/plan.ts'
export type { Plan, PlanOptions } from './plan/plan.ts'
export type { Job } from './trace/trace.ts'
export type { Shard } from './trace/run-manifest.ts'
export { playPlan } from './play/play-plan.ts'
export { EvalAborted } from './play/refusals.ts'
export type { PlayOptions } from './play/play-plan.ts'
export type { RunModel } from './play/run-model.ts'
export type { PlayedEpisode } from './judging/played-episode.ts'
export { mergeRuns } from './store/merge-runs.ts'
export type { MergedRun } from './store/merge-runs.ts'
export { rescore } from './store/rescore.ts'
export type { RescoreOptions } from './store/rescore.ts'
export { configOf } from './run/run-config.ts'
export type { BaseUrls, EndpointConfig } from './run/resolve-endpoints.ts'
export type { ResolvedModel, RunConfig, RunModelConfig } from './run/run-config.ts'
export { RunError } from './trace/run-error.ts'
export { RunStopped } from './trace/run-error.ts'
export type { RunLimits } from './run/run-limits.ts'
export { runEval } from './run/run-eval.ts'
export type { RunEvent, RunOptions } from './run/run-eval.ts'
export type { CallLine, EndLine, EpisodeKey, EpisodeTrace, TraceLine, TurnLine } from './trace/trace.ts'
export { labelTurn } from './score/label-turn.ts'
export type { TurnScore } from './score/label-turn.ts'
export type { TurnInput } from './score/turn-input.ts'
export { scoreEpisode } from './judging/score-episode.ts'
export type { EpisodeScore } from './judging/score-episode.ts'
export type { ScoredTurn } from './score/scored-turn.ts'
export { rate } from './statistics/rate.ts'
export type { Rate } from './statistics/rate.ts'
export { SCORER_CHANGES, SCORER_VERSION, scorerChangesSince } from './score/scorer-version.ts'
export { BLAMED, causeKey } from './trace/attribution.ts'
export type { Attribution, Blamed } from './trace/attribution.ts'
export { settledScore } from './summary/row-counts.ts'
export type { RowCounts, SettledRow } from './summary/row-counts.ts'
export { REPAIR_MEANS } from './attribution/parse-failure.ts'
export { BASELINE_SCHEMA, baselineOf, baselineText } from './compare/baseline.ts'
export type { Baseline } from './compare/baseline.ts'
export { worseningOf } from './compare/change.ts'
export type { ChangeKind } from './compare/change.ts'
export { compareRuns } from './compare/compare-runs.ts'
export type {
  ComparedFigure,
  ComparedRow,
  LoneRow,
  Obstacle,
  RowName,
  RunComparison,
  RunSide,
  TaskChange,
} from './compare/compare-runs.ts'
export { outcomeOf } from './paired/outcome.ts'
export { readOutcomes, readSide, readSummary } from './store/read-side.ts'
export { verifyRun } from './store/verify-run.ts'
export type { Verified } from './store/verify-run.ts'
export type { StoredSide } from './store/read-side.ts'
export { readBound, readTaskGate } from './gates/gate.ts'
export type { Gate, ReadGate } from './gates/gate.ts'
export { exitOf, judgeGates, judgeLedger } from './gates/judge.ts'
export type { Decision, GateVerdict } from './gates/judge.ts'
export { GATED_NAMES, judgeRegression } from './gates/regression.ts'
export type { GatedName, RegressionOptions } from './gates/regression.ts'
export { hasPairs, nothingToCompare, unpairedReasons } from './gates/match-verdicts.ts'
export { METRIC_NAMES, metricNamed } from './gates/metric.ts'
export type { Metric } from './gates/metric.ts'
export type { EpisodeOutcome } from './paired/outcome.ts'
export { PAIRED_METRICS } from './paired/paired-metric.ts'
export type { PairedMetric } from './paired/paired-metric.ts'
export type { PairedTest } from './paired/paired-tests.ts'
export { SUMMARY_SCHEMA } from './summary/eval-summary.ts'
export type { EvalSummary, GridTask, LedgerAgreement, Sensitivity } from './summary/eval-summary.ts'
export type { ModelComparison, FormatComparison } from './paired/compare-rows.ts'
export type { RunFacts } from './trace/run-manifest.ts'
export { mergedCauses, sameCause } from './summary/causes.ts'
export type { Blame, Cause } from './summary/causes.ts'
export { FIGURES } from './metrics/figures.ts'
export type { FigureName, Price, TimeName, Times } from './metrics/figures.ts'
export { RATES } from './metrics/rates.ts'
export type { Better, RateName } from './metrics/rates.ts'
export type { GroupRow, SummaryRow, TaskCell } from './summary/row.ts'
export type { Counts } from './statistics/tally.ts'
export type { PartRate, Selection } from './summary/selection.ts'
export { summarize } from './summary/summarizer.ts'
export { createSummarizer } from './summary/summarizer.ts'
export type { FinishOptions, Summarizer, SummarizerOptions } from './summary/summarizer.ts'
export { createEndpointCounts } from './summary/endpoint-counts.ts'
export type { EndpointCounts, EndpointRow, EndpointTurn } from './summary/endpoint-counts.ts'
export { allWarnings, settledPart, timesOfRow } from './summary/renew-parts.ts'
export type { SettledSummary } from './summary/renew-parts.ts'
export type { EndpointEntry, Timing, TimingRow, Transport, TransportRow } from './summary/transport.ts'
export type { Warning, WarningCode } from './summary/warnings.ts'
export { checkShape } from './shape/shape.ts'
export type { Shape, ShapeFault, ShapePath } from './shape/shape.ts'
export type {
  Description,
  NamedToolDefinition,
  RecordedResult,
  ReferenceDefinition,
  SuiteDefinition,
  TaskDefinition,
  ToolContext,
  ToolDefinition,
} from './trace/suite-definition.ts'
export { makeSuite } from './suite/make-suite.ts'
export type { SuiteSource } from './suite/make-suite.ts'
export { loadBuiltInSuite, readSuite } from './suite/read-suite.ts'
export { pathText, SuiteError } from './suite/suite-shape.ts'
export { SUITE_SHAPE } from './suite/suite-shape.ts'
export { offeredTools } from './trace/task.ts'
export type { Suite, Task, ToolSpec, Verdict } from './trace/task.ts'
export { openTape } from './tape/tape.ts'
export type { Tape, TapeOptions } from './tape/tape.ts'
export type { TapeCounts, TapeMode } from './tape/tape-store.ts'
export { builtInToolbox } from './world/toolbox.ts'
export type { Toolbox, ToolCall, ToolReply, ToolSession } from './trace/task.ts'
export { readLoggedReply } from './offline/logged-reply.ts'
export { markReply, SPAN_KINDS } from './score/reply-spans.ts'
export type { MarkedReply, ReplySpan, SpanKind } from './score/reply-spans.ts'
export { factsOf } from './store/manifest.ts'
