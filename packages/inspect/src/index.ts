/*
 * What the files of a model say about its tool calls: its format, its prompts, what is wrong with them, and how another copy differs. Pure:
 * files are texts, and requests are sent by a function of the caller, so that a program and a page can both use it.
 */
export { HUB, isModelName, modelAddress } from './address.ts'
export type { ModelAddress } from './address.ts'
export { compareModels, groupedPrompts } from './compare-models.ts'
export type { ModelDifference, PromptDifference, TemplateDifference } from './compare-models.ts'
export { modelAnswer, modelEvidence, nameEvidence } from './evidence.ts'
export type { Evidence, Ground, ModelAnswer } from './evidence.ts'
export { fetchModel, requestedAddresses } from './fetch-model.ts'
export type { PartRequest, PartResponse, SendRequest } from './fetch-model.ts'
export { readGgufHead } from './gguf-head.ts'
export type { FilePart, LoadPart } from './gguf-head.ts'
export { identifyTemplate } from './identify-template.ts'
export { inspectModel, likestFormat, tokensOfFormat, variablesFrom } from './inspect-model.ts'
export type {
  FormatPrompt,
  InspectedResponse,
  InspectedTemplate,
  Inspection,
  InspectSettings,
  LikestVersion,
  TripView,
} from './inspect-model.ts'
export {
  fileRole,
  folderGguf,
  folderModelName,
  isTemplateFile,
  MODEL_FILES,
  NAMED_TEMPLATES,
  openModel,
} from './model-files.ts'
export type { ModelFiles, OpenedModel } from './model-files.ts'
export { sampleVariables } from './sample.ts'
export { answersFor, promptedVersion, servedFormat, servedModel } from './served-format.ts'
export type { ServedFormat, ServedModel } from './served-format.ts'
export { previousRevision, revisionAddresses } from './previous-revision.ts'
export type { PreviousRevision, RevisionAddresses } from './previous-revision.ts'
export { readResponse } from './read-response.ts'
