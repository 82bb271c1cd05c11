/*
 * Reads, recognises and scores replies that other programs recorded.
 */
export { genAiRecords } from './offline/genai-spans.ts'
export type { SpanCounts } from './offline/genai-spans.ts'
export { outputReader } from './offline/output-reader.ts'
export type { OutputReader, ReadOutput } from './offline/output-reader.ts'
export { TEXT_FIELDS } from './offline/output-rows.ts'
export { scoreOutputs } from './offline/score-outputs.ts'
export type { AnswerCounts, OutputScore, OutputsSummary } from './offline/score-outputs.ts'
export { OUTPUT_SHAPES, readReplies, recogniseShape, recordsOf, rowReader, SHAPE_TABLE } from './offline/shapes.ts'
export type { OutputShape, RecordedReply, RepliesOptions, Unrecognised } from './offline/shapes.ts'
export { alternatives, identifyText } from './reading/foreign-calls.ts'
