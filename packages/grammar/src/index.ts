export { type Acceptor, type Refusal, startAcceptor } from './acceptor.ts'
export {
  GRAMMAR_KINDS,
  type GrammarKind,
  type GrammarResult,
  type GrammarVerdict,
  acceptText,
  compileGrammar,
} from './accept.ts'
export type { CompiledGrammar } from './compile.ts'
export { type CheckRequest, type GrammarCheck, type GrammarFinding, checkGrammar } from './check.ts'
export { type GrammarTool, readTools, type SampleReply, sampleReplies } from './sample-calls.ts'
export { type TemplateUse, type TemplateWriter, type WriteReply, templateWriter } from './template-texts.ts'
export { misfit } from './fits.ts'
export { lintGrammar } from './lint.ts'
export type { GrammarLint } from './lint-finding.ts'
export { showGrammar } from './show.ts'
export { triggerSearch } from './trigger.ts'
export {
  EXPORT_SYNTAXES,
  EXPORT_TARGETS,
  type ExportRequest,
  type ExportSyntax,
  type ExportTarget,
  type GrammarExport,
  exportGrammar,
} from './export/export.ts'
export type { ExportLoss } from './export/losses.ts'
