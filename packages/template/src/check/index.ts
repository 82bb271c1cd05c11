export { createDatasetChecker } from './check-dataset.ts'
export { DATASET_RULES } from './dataset-finding.ts'
export type { DatasetDetail, DatasetResult, DatasetRule, DatasetUnit } from './dataset-finding.ts'
export { checkCalls, checkPrompts } from './check-format.ts'
export type {
  CallCheck,
  CallDeviation,
  DeviationCause,
  PromptCheck,
  PromptingFormat,
  RenderMessages,
} from './check-format.ts'
export { compareTemplates } from './compare-templates.ts'
export type { Difference, DiffResult } from './compare-templates.ts'
export { createDatasetTemplate } from './dataset-template.ts'
export type { Sample } from './sample.ts'
export { createSide, diffProbes, isForServers } from './side.ts'
export type { DiffProbe, Shown, Side } from './side.ts'
export { callsOfMessage, messagesWithCalls, toolOfCall } from './sample.ts'
export { forgeFormat } from '../forge/forge-format.ts'
export type { FormatForgery } from '../forge/forge-format.ts'
export { escapeMarkers } from './marker-in-text.ts'
export { toolPartFate } from './tool-part.ts'
export type { ToolPart, ToolPartFate, ToolPartResult } from './tool-part.ts'
