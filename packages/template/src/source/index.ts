export { readTemplateFile } from './files.ts'
export type { TemplateFiles } from './files.ts'
export type { ByteReader } from './gguf.ts'
export { chooseTemplate, readJson } from './template-source.ts'
export { createRenderer, variablesWithDefaults } from './renderer.ts'
export type { Renderer, VariableSettings } from './renderer.ts'
export { openTemplateServer } from './server.ts'
export type { FetchServer, ServerResponse } from './server.ts'
export type {
  NamedTemplate,
  ServerFailure,
  ServerSource,
  SpecialTokens,
  TemplateFile,
  TemplateServer,
  TemplateSource,
  TemplateView,
  TextSource,
  TokenCount,
} from './template-source.ts'
