import { stat } from 'node:fs/promises'
import { readSource } from '../../source-text.ts'
import { chooseTemplate } from './choose-template.ts'
import { readConfig } from './read-config.ts'
import { readFolder } from './read-folder.ts'
import { readGguf } from './read-gguf.ts'
import { DEFAULT_NAME } from './template-source.ts'
import type { SourceInvocation, TemplateFile, TemplateSource } from './template-source.ts'

/**
 * Opens what a caller names as SOURCE: a file with a template, a tokenizer's configuration or the folder that holds it,
 * a GGUF, or the address of a server.
 *
 * @throws UsageError, one line, for what is missing, broken or no template
 */
export async function openTemplateSource(source: string, invocation: SourceInvocation): Promise<TemplateSource> {
  if (/^https?:\/\//i.test(source)) {
    // What speaks to servers takes longer to load than a template to render.
    const { openServer } = await import('./open-server.ts')
    return openServer(source, invocation)
  }
  const file = await readTemplateFile(source)
  const chosen = chooseTemplate(source, file.templates, invocation.options.text('name'))
  const others = file.templates.filter((each) => each !== chosen).map((each) => each.name)
  const { tokens, specials } = file
  return {
    kind: 'text',
    name: others.length === 0 ? source : `${source}#${chosen.name}`,
    place: chosen.place,
    template: chosen.text,
    tokens,
    specials,
    others,
    server: null,
  }
}

async function readTemplateFile(path: string): Promise<TemplateFile> {
  if (path !== '-') {
    const found = await stat(path).catch(() => null)
    if (found?.isDirectory() === true) return readFolder(path)
    if (/\.gguf$/i.test(path)) return readGguf(path)
    if (/\.json5?$/i.test(path)) return readConfig(path)
  }
  const { text } = await readSource(path)
  return { templates: [{ name: DEFAULT_NAME, place: '', text }], tokens: {}, specials: [] }
}
