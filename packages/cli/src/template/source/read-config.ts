import { isJson, isJsonObject, objectIn } from '../../json-object.ts'
import type { JsonObject } from '../../json-object.ts'
import { parseJson5 } from '../../json5-text.ts'
import { readSource } from '../../source-text.ts'
import type { SourceText } from '../../source-text.ts'
import { UsageError } from '../../usage-error.ts'
import { DEFAULT_NAME } from './template-source.ts'
import type { NamedTemplate, SpecialTokens, TemplateFile } from './template-source.ts'

/**
 * Reads `tokenizer_config.json`, or `chat_template.json` as processors have it.
 *
 * @throws UsageError for what is no JSON, and for a configuration without a template
 */
export async function readConfig(path: string): Promise<TemplateFile> {
  const file = await readTokenizerConfig(path)
  if (file.templates.length > 0) return file
  throw new UsageError(
    `${path}: has no chat_template. Newer models keep it in chat_template.jinja: give that file, or the folder.`,
  )
}

/** The same for a configuration that may lack a template. */
export async function readTokenizerConfig(path: string): Promise<TemplateFile> {
  const source = await readSource(path)
  const config = configIn(source.text)
  if (config === null) throw notJson(source)
  return {
    templates: templatesIn(config['chat_template'], path),
    tokens: tokensIn(config),
    specials: specialsIn(config),
  }
}

/** The slow reader knows the place of what is wrong. */
function notJson(source: SourceText): UsageError {
  parseJson5(source, 'an object with "chat_template"')
  return new UsageError(`${source.name}: is no JSON, only JSON5, which no tokenizer reads.`)
}

/** Null for what is no JSON; what is no object has no member. */
function configIn(text: string): JsonObject | null {
  return objectIn(text) ?? (isJson(text) ? {} : null)
}

/** A text, or a list of `{name, template}`. */
function templatesIn(value: unknown, path: string): readonly NamedTemplate[] {
  if (typeof value === 'string') return [{ name: DEFAULT_NAME, place: 'chat_template', text: value }]
  if (value === undefined || value === null) return []
  const entries: readonly unknown[] = Array.isArray(value) ? value : []
  const found = entries.flatMap((entry) => {
    const { name, template } = isJsonObject(entry) ? entry : {}
    return typeof name === 'string' && typeof template === 'string'
      ? [{ name, place: `chat_template ${JSON.stringify(name)}`, text: template }]
      : []
  })
  if (found.length > 0) return found
  throw new UsageError(`${path}: chat_template is neither a text nor a list of {"name", "template"}.`)
}

/** transformers gives a template every `…_token` that is set; each is a text or an object with it. */
function tokensIn(config: JsonObject): SpecialTokens {
  const entries = Object.entries(config).flatMap(([name, value]) => {
    const text = name.endsWith('_token') ? tokenText(value) : null
    return text === null ? [] : [[name, text] as const]
  })
  return Object.fromEntries(entries)
}

function tokenText(value: unknown): string | null {
  if (typeof value === 'string') return value
  const content = isJsonObject(value) ? value['content'] : null
  return typeof content === 'string' ? content : null
}

function specialsIn(config: JsonObject): readonly string[] {
  const added = config['added_tokens_decoder']
  const own = isJsonObject(added) ? Object.values(added) : []
  const named = config['additional_special_tokens']
  const texts = [
    ...own.map((each) => (isJsonObject(each) && each['special'] === true ? tokenText(each) : null)),
    ...(Array.isArray(named) ? (named as readonly unknown[]).map(tokenText) : []),
    ...Object.values(tokensIn(config)),
  ]
  return [...new Set(texts.filter((text) => text !== null && text !== ''))] as readonly string[]
}
