import { InputError, isDict } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'
import { sourcedTemplate } from '@callspec/response-template'
import type { SourcedTemplate } from '@callspec/response-template'
import { chooseTemplate, readJson, readTemplateFile } from '@callspec/template/source'
import type { TemplateFile, TemplateFiles, TextSource } from '@callspec/template/source'

/** The files of a model that say how it calls tools, wherever they come from: a folder, a page, an address. */
export interface ModelFiles {
  /** For messages: the folder, the file or the address. */
  readonly name: string
  /** What may be the name of the model: that of its folder, or `owner/name`; null without one. */
  readonly modelName: string | null
  /** Texts by their path in the folder, such as `tokenizer_config.json`. */
  readonly texts: ReadonlyMap<string, string>
  /** The head of a GGUF, or null. */
  readonly gguf: { readonly file: string; readonly head: TemplateFile } | null
}

export const TEKKEN = 'tekken.json'
export const TOKENIZER = 'tokenizer_config.json'
const CONFIG = 'config.json'
const JINJA = 'chat_template.jinja'
const PROCESSOR = 'chat_template.json'

/** The files that are looked for in the folder of a model. Named templates (`additional_chat_templates`) are found only where a folder can be listed. */
export const MODEL_FILES: readonly string[] = [JINJA, TOKENIZER, PROCESSOR, CONFIG, TEKKEN]

/** Whether a file of a model can have a chat template or a response template. */
export function isTemplateFile(file: string): boolean {
  return file === JINJA || file === TOKENIZER || file === PROCESSOR || file.startsWith(`${NAMED_TEMPLATES}/`)
}

/**
 * The GGUF that is read of a folder; null where a text may have the template, and without any. Of its parts the first has the template,
 * and a projector (`mmproj`) has none.
 *
 * @param names of the files in the folder
 */
export function folderGguf(names: readonly string[]): string | null {
  if (names.some(isTemplateFile)) return null
  const heads = names.filter((name) => /\.gguf$/i.test(name)).toSorted()
  return heads.find((name) => !name.startsWith('mmproj')) ?? heads[0] ?? null
}

/** The folder where transformers saves named templates. */
export const NAMED_TEMPLATES = 'additional_chat_templates'

/**
 * The name under which a file that was given alone is read: its own if a model's folder has it, else by its ending.
 *
 * @param text decides whether an unknown JSON file is a tokenizer's configuration
 */
export function fileRole(file: string, text: string): string {
  if (MODEL_FILES.includes(file)) return file
  if (!/\.json5?$/i.test(file)) return JINJA
  const value = readJson(text, file)
  if (isDict(value) && value.has('model_type') && !value.has('chat_template')) return CONFIG
  return TOKENIZER
}

/** The name of a model by the path of its folder: that of the folder, or of the model in Hugging Face's cache (`models--owner--name/snapshots/REVISION`). */
export function folderModelName(path: string): string {
  const [, cached] = /(?:^|[\\/])models--([^\\/]+)[\\/]snapshots[\\/][^\\/]+$/.exec(path) ?? []
  return cached?.replaceAll('--', () => '/') ?? path.split(/[\\/]/).at(-1) ?? path
}

/** What the files of a model say, read. */
export interface OpenedModel {
  readonly name: string
  readonly modelName: string | null
  /** The names of the files that were found. */
  readonly files: readonly string[]
  /** Null without a chat template. */
  readonly chat: TextSource | null
  /** Why it lacks a chat template, in one sentence; null if it has one. */
  readonly missing: string | null
  readonly response: SourcedTemplate
  readonly tokenizer: PyDict
  readonly config: PyDict
  readonly tekken: PyDict
  /** Texts that are one token each. */
  readonly vocabulary: ReadonlySet<string>
}

/**
 * Reads the files of a model.
 *
 * @param template which of several named templates; null for the one that transformers takes where tools are offered
 * @throws InputError, one line, for a file that is broken, a template that is not there, and a model without any file
 */
export async function openModel(files: ModelFiles, template: string | null): Promise<OpenedModel> {
  const { name, modelName, texts, gguf } = files
  const found = [...texts.keys(), ...(gguf === null ? [] : [gguf.file])]
  if (found.length === 0)
    throw new InputError(
      name,
      `has none of ${MODEL_FILES.join(', ')}, and no GGUF. Give a model's folder or one of these files.`,
    )
  const object = (file: string): PyDict => {
    const text = texts.get(file)
    const value = text === undefined ? null : readJson(text, placeOf(files, file))
    return isDict(value) ? value : new Map<string, PyValue>()
  }
  const tokenizer = object(TOKENIZER)
  const chat = gguf === null ? await chatFile(files) : gguf.head
  const isThere = typeof chat !== 'string' && chat.templates.length > 0
  return {
    name,
    modelName,
    files: found,
    chat: isThere ? chooseTemplate(name, chat, template ?? nameFor(chat)) : null,
    missing: isThere ? null : typeof chat === 'string' ? chat : `${name} has no chat template.`,
    response: sourcedTemplate(tokenizer),
    tokenizer,
    config: object(CONFIG),
    tekken: object(TEKKEN),
    vocabulary: new Set(gguf === null ? addedTokens(tokenizer) : gguf.head.specials),
  }
}

/** With tools transformers takes `tool_use`, else `default`. A model with neither has its first template inspected. */
function nameFor({ templates }: TemplateFile): string | null {
  const names = templates.map(({ name }) => name)
  if (names.length < 2) return null
  return ['tool_use', 'default'].find((name) => names.includes(name)) ?? names[0] ?? null
}

/** The chat templates, or why there are none. */
async function chatFile(files: ModelFiles): Promise<TemplateFile | string> {
  try {
    return await readTemplateFile('', inMemory(files))
  } catch (error) {
    if (error instanceof InputError)
      return error.message.replace(/^: /, () => '').replace(/^./, (letter) => letter.toUpperCase())
    throw error
  }
}

function inMemory(files: ModelFiles): TemplateFiles {
  const { texts } = files
  const text = (path: string): Promise<string> => Promise.resolve(texts.get(path) ?? '')
  const unread = (): never => {
    throw new InputError(files.name, 'a GGUF is not read as a text.')
  }
  return {
    list: (path) => {
      const below = path === '' ? '' : `${path}/`
      const names = [...texts.keys()].filter((each) => each.startsWith(below)).map((each) => each.slice(below.length))
      return Promise.resolve(
        MODEL_FILES.includes(path) ? null : [...new Set(names.map((each) => each.split('/')[0] ?? each))].toSorted(),
      )
    },
    join: (folder, name) => (folder === '' ? name : `${folder}/${name}`),
    text,
    regularText: text,
    bytes: unread,
  }
}

/** How a message names a file of the model. */
function placeOf({ name, texts }: ModelFiles, file: string): string {
  return texts.size === 1 && name.endsWith(file) ? name : `${name.replace(/\/$/, '')}/${file}`
}

function addedTokens(tokenizer: PyDict): readonly string[] {
  const added = tokenizer.get('added_tokens_decoder') ?? null
  const values = isDict(added) ? [...added.values()] : []
  return values.flatMap((each) => {
    const text = isDict(each) ? each.get('content') : null
    return typeof text === 'string' ? [text] : []
  })
}
