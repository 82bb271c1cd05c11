export { openCache } from './client/cache.ts'
export type { CacheCounts, CompletionCache } from './client/cache.ts'
export { createClient } from './client/client.ts'
export type { ChatRequest, Client, ClientOptions, CompletionRequest, TextRequest } from './client/client.ts'
export type { ChunkTime, Completion, NativeCall, ReplyWarning, Usage } from './client/completion.ts'
export type { Failure } from './client/failure.ts'
export { finishOf } from './client/finish-reason.ts'
export type { Finish } from './client/finish-reason.ts'
export { createLimiter } from './client/limiter.ts'
export type { Limiter } from './client/limiter.ts'
export { headerFault } from './client/headers.ts'
export type { EndpointHeaders } from './client/headers.ts'
export { REDACTED, redact, redactedUrl } from './client/redact.ts'
export { DOCTOR_SCHEMA, doctorJson, examine, isHealthy } from './doctor/doctor.ts'
export type { DoctorJson, DoctorOptions, DoctorReport } from './doctor/doctor.ts'
export { CHECKS as DOCTOR_CHECKS } from './doctor/finding.ts'
export type { Check as DoctorCheck, Finding as DoctorFinding } from './doctor/finding.ts'
export { driveLoop } from './drive-loop.ts'
export type { LoopNotice, LoopWorld, Model } from './drive-loop.ts'
export { END_LABELS, TURN_FLAGS, TURN_LABELS } from '@callspec/labels'
export type { EndLabel, LedgerRow, TurnFlag, TurnLabel } from '@callspec/labels'
export { protocolReader } from './offline/output-reader.ts'
export type { OutputReader, ReadOutput } from './offline/output-reader.ts'
export { TEXT_FIELDS } from './offline/output-row.ts'
export { jsonRecords } from './offline/json-records.ts'
export type { JsonRecords } from './offline/json-records.ts'
export { readLines } from './offline/read-lines.ts'
export { readText } from './offline/read-text.ts'
export { recogniseShape } from './offline/recognise.ts'
export type { Recognised, Unrecognised } from './offline/recognise.ts'
export { OUTPUT_SHAPES, rowReader, SHAPE_TABLE } from './offline/shapes.ts'
export type { OutputShape } from './offline/shapes.ts'
export { scoreOutputs } from './offline/score-outputs.ts'
export type { OutputScore, OutputsSummary, ScoreOutputsOptions } from './offline/score-outputs.ts'
export { DEFAULT_PROTOCOLS, FORMAT_CHOICES, protocolNamed, PROTOCOLS } from './protocol.ts'
export type { Protocol } from './protocol.ts'
export type { TurnQuestion } from './protocols/question.ts'
export { HOST_PROFILES, protocolsOver, READ_FORMATS } from './protocols/table.ts'
export {
  cellsOf,
  COLUMNS,
  EFFORT_COLUMNS,
  effortCellsOf,
  money,
  boundsText,
  effortLinesOf,
  linesOf,
  rateText,
  pText,
  counts,
  decimal,
  FINE_ENDS,
  FINE_TURNS,
  percent,
  selectionParts,
  uncertainty,
} from './report/format.ts'
export { compareWithLedger, ledgerText } from './report/ledger-agreement.ts'
export { renderMarkdown } from './report/markdown.ts'
export { causeItems } from './report/cause-items.ts'
export { causeText, comparisonText, differenceText, sensitivityText, sizeText, triesText } from './report/sentences.ts'
export type { ReportData } from './report/markdown.ts'
export { createRunFolder } from './report/run-folder.ts'
export type { FileWriter } from './report/part-file.ts'
export type { NewFolderOptions, RunFolder } from './report/run-folder.ts'
export { createRunWriter, summaryText } from './report/write-run.ts'
export type { RunWriter } from './report/write-run.ts'
export { beginRun, exportBatch } from './run/batch-export.ts'
export type { BatchRequest, ExportBatchOptions } from './run/batch-export.ts'
export { importBatch } from './run/batch-import.ts'
export type { BatchImport } from './run/batch-import.ts'
export type { JournalSystem } from './run/journal.ts'
export type { RunManifest } from './run/manifest.ts'
export { openRun } from './run/open-run.ts'
export type { StoredEpisode, StoredRun } from './run/open-run.ts'
export { makePlan } from './run/plan.ts'
export type { Job, Plan, PlanOptions, Shard } from './run/plan.ts'
export { playPlan } from './run/play-plan.ts'
export { EvalAborted } from './run/refusals.ts'
export type { PlayedEpisode, PlayOptions, RunModel } from './run/play-plan.ts'
export { mergeRuns } from './run/merge-runs.ts'
export type { MergedRun } from './run/merge-runs.ts'
export { rescore } from './run/rescore.ts'
export type { RescoreOptions } from './run/rescore.ts'
export { configOf } from './run/run-config.ts'
export type { ResolvedModel, RunConfig, RunModelConfig } from './run/run-config.ts'
export { RunError } from './run/run-error.ts'
export { runEval } from './run/run-eval.ts'
export type { RunEvent, RunOptions } from './run/run-eval.ts'
export type { CallLine, EndLine, EpisodeKey, EpisodeTrace, TraceLine, TurnLine } from './run/trace.ts'
export { labelTurn } from './score/label-turn.ts'
export type { TurnInput, TurnScore } from './score/label-turn.ts'
export { scoreEpisode } from './score/score-episode.ts'
export type { EpisodeScore } from './score/score-episode.ts'
export type { ScoredTurn } from './score/score-turn.ts'
export { rate } from './statistics/rate.ts'
export type { Rate } from './statistics/rate.ts'
export { SCORER_CHANGES, SCORER_VERSION, scorerChangesSince } from './score/scorer-version.ts'
export { BLAMED } from './attribution/attribution.ts'
export type { Attribution, Blamed } from './attribution/attribution.ts'
export { REPAIR_MEANS } from './attribution/trouble.ts'
export { BASELINE_SCHEMA, baselineOf, baselineText } from './compare/baseline.ts'
export type { Baseline } from './compare/baseline.ts'
export { harmOf } from './compare/change.ts'
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
export { outcomeOf } from './compare/outcome.ts'
export { readOutcomes, readSide, readSummary } from './compare/read-side.ts'
export type { StoredSide } from './compare/read-side.ts'
export { readBound, readTaskGate } from './gates/gate.ts'
export type { Gate, ReadGate } from './gates/gate.ts'
export { exitOf, judgeGates, judgeLedger } from './gates/judge.ts'
export type { Decision, GateVerdict } from './gates/judge.ts'
export { GATED_NAMES, judgeRegression } from './gates/regression.ts'
export type { GatedName, RegressionOptions } from './gates/regression.ts'
export { METRIC_NAMES, metricNamed } from './gates/metric.ts'
export type { Metric } from './gates/metric.ts'
export type { EpisodeOutcome } from './compare/outcome.ts'
export { PAIRED_METRICS } from './compare/paired-metric.ts'
export type { PairedMetric } from './compare/paired-metric.ts'
export type { PairedTest } from './compare/paired-tests.ts'
export { SUMMARY_SCHEMA } from './summary/eval-summary.ts'
export type {
  EvalSummary,
  GridTask,
  LedgerAgreement,
  ProtocolComparison,
  RunFacts,
  Sensitivity,
} from './summary/eval-summary.ts'
export type { Blame, Cause } from './summary/causes.ts'
export { FIGURES } from './summary/figures.ts'
export type { FigureName, Price } from './summary/figures.ts'
export { RATES } from './summary/rates.ts'
export type { Better, RateName } from './summary/rates.ts'
export type { Counts, GroupRow, SummaryRow, TaskCell } from './summary/row.ts'
export type { PartRate, Selection } from './summary/selection.ts'
export { summarize } from './summary/summarize.ts'
export { createSummarizer } from './summary/summarizer.ts'
export type { FinishOptions, Summarizer, SummarizerOptions } from './summary/summarizer.ts'
export type { Warning, WarningCode } from './summary/warnings.ts'
export { checkShape } from './shape/check-shape.ts'
export type { ShapeFault, ShapePath } from './shape/check-shape.ts'
export { jsonSchemaOf } from './shape/json-schema.ts'
export type { Member, Shape } from './shape/shape.ts'
export type {
  Description,
  NamedToolDefinition,
  RecordedResult,
  ReferenceDefinition,
  SuiteDefinition,
  TaskDefinition,
  ToolContext,
  ToolDefinition,
} from './suite/definition.ts'
export { makeSuite } from './suite/make-suite.ts'
export type { SuiteSource } from './suite/make-suite.ts'
export { loadBuiltInSuite, readSuite } from './suite/read-suite.ts'
export { pathText, SuiteError } from './suite/suite-error.ts'
export { SUITE_SHAPE } from './suite/suite-shape.ts'
export { offeredTools } from './suite/task.ts'
export type { Suite, Task, ToolSpec, Verdict } from './suite/task.ts'
export { openTape } from './tape/tape.ts'
export type { Tape, TapeCounts, TapeMode } from './tape/tape.ts'
export { builtInToolbox } from './world/toolbox.ts'
export type { Toolbox, ToolCall, ToolReply, ToolSession } from './world/toolbox.ts'
export { BFCL_HANDLERS } from './bfcl/handlers/table.ts'
export type { BfclHandler } from './bfcl/handlers/table.ts'
export type { LenientReading, ReadLeniently } from './bfcl/handlers/lenient.ts'
export { checkOutput } from './bfcl/check-output.ts'
export type { BfclQuestion, DecodedOutput } from './bfcl/check-output.ts'
export { readFunctionDocs } from './bfcl/function-doc.ts'
export type { FunctionDoc } from './bfcl/function-doc.ts'
export { readById } from './bfcl/read-row.ts'
export type { BfclSources } from './bfcl/read-row.ts'
export { scoreBfcl } from './bfcl/score-bfcl.ts'
export type { BfclScore, BfclSummary, ScoreBfclOptions } from './bfcl/score-bfcl.ts'
export type { BfclLanguage, BfclVerdict } from './bfcl/verdict.ts'
export { readLoggedReply } from './offline/logged-reply.ts'
export { createExam } from './qwen-exam/exam.ts'
export type { Exam, ExamFigures, ExamItem } from './qwen-exam/exam.ts'
export { markReply, SPAN_KINDS } from './score/reply-spans.ts'
export type { MarkedReply, ReplySpan, SpanKind } from './score/reply-spans.ts'
export { factsOf } from './run/manifest.ts'
