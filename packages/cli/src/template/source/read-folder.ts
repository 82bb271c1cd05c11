import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { refusePipe } from '../../exists.ts'
import { readSource } from '../../source-text.ts'
import { systemCode, UsageError } from '../../usage-error.ts'
import { readTokenizerConfig } from './read-config.ts'
import { DEFAULT_NAME } from './template-source.ts'
import type { NamedTemplate, TemplateFile } from './template-source.ts'

const JINJA = 'chat_template.jinja'
const PROCESSOR = 'chat_template.json'
const CONFIG = 'tokenizer_config.json'
/** Where transformers saves named templates: `additional_chat_templates/tool_use.jinja`. */
const NAMED = 'additional_chat_templates'

/**
 * Reads the folder of a model as transformers does: `chat_template.jinja`, and `additional_chat_templates`, win over
 * `chat_template.json`, which wins over `tokenizer_config.json`; special tokens are those of the last.
 *
 * @throws UsageError for a folder without a template
 */
export async function readFolder(folder: string): Promise<TemplateFile> {
  const names = new Set(await list(folder))
  const jinja = await jinjaTemplates(folder, names)
  for (const name of [CONFIG, PROCESSOR]) await refusePipe(join(folder, name))
  const config = names.has(CONFIG) ? await readTokenizerConfig(join(folder, CONFIG)) : EMPTY
  const processor = names.has(PROCESSOR) ? await readTokenizerConfig(join(folder, PROCESSOR)) : EMPTY
  const templates = [jinja, processor.templates, config.templates].find((each) => each.length > 0)
  if (templates !== undefined) return { ...config, templates }
  const gguf = [...names].find((name) => /\.gguf$/i.test(name))
  const hint = gguf === undefined ? '' : ` There is ${gguf}: give that file.`
  throw new UsageError(`${folder}: no ${JINJA}, and no chat_template in ${PROCESSOR} or ${CONFIG}.${hint}`)
}

const EMPTY: TemplateFile = { templates: [], tokens: {}, specials: [] }

async function jinjaTemplates(folder: string, names: ReadonlySet<string>): Promise<readonly NamedTemplate[]> {
  const found: NamedTemplate[] = []
  const add = async (name: string, file: string): Promise<void> => {
    await refusePipe(join(folder, file))
    found.push({ name, place: file, text: (await readSource(join(folder, file))).text })
  }
  if (names.has(JINJA)) await add(DEFAULT_NAME, JINJA)
  for (const file of names.has(NAMED) ? await list(join(folder, NAMED)) : []) {
    if (file.endsWith('.jinja')) await add(file.slice(0, -'.jinja'.length), join(NAMED, file))
  }
  return found
}

async function list(folder: string): Promise<readonly string[]> {
  try {
    return (await readdir(folder)).toSorted()
  } catch (error) {
    throw new UsageError(`${folder}: cannot be listed (${systemCode(error) ?? 'unknown error'})`)
  }
}
