import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'

const VECTORS = resolve(import.meta.dirname, '../../../../../shared/vectors')
const FOLDER = resolve(VECTORS, 'templates')

/** Formats, and the name of a template that writes their calls among those that are not kept here. */
const BY_FORMAT: Readonly<Record<string, string>> = {
  'glm-4.5': 'llama.cpp__GLM-4.6',
  'glm-4.7': 'llama.cpp__GLM-4.7-Flash',
  'qwen3-coder': 'llama.cpp__Qwen3-Coder',
  'mistral-v3': 'vllm__mistral',
  'mistral-v11': 'llama.cpp__Mistral-Small-3.2-24B-Instruct-2506',
  'mistral-v13': 'llama.cpp__mistralai-Ministral-3-14B-Reasoning-2512',
  'deepseek-v3': 'vllm__deepseekr1',
  'deepseek-v3.1': 'vllm__deepseekv31',
  'deepseek-v3.2': 'llama.cpp__deepseek-ai-DeepSeek-V3.2',
  'gemma-4': 'llama.cpp__google-gemma-4-31B-it',
  'llama3-json': 'llama.cpp__meta-llama-Llama-3.1-8B-Instruct',
  'llama-4': 'vllm__llama4_pythonic',
  'granite-3': 'vllm__granite',
}

/** What the tokenizers of formats put before everything. */
const BEGINNINGS: readonly (readonly [RegExp, string])[] = [
  [/^gemma/, '<bos>'],
  [/^llama/, '<|begin_of_text|>'],
  [/^deepseek/, '<｜begin▁of▁sentence｜>'],
  [/^mistral/, '<s>'],
]

/** A format, and a template of somebody else that writes its calls. */
export interface SharedTemplate {
  readonly format: string
  readonly text: string
  readonly beginning: string | undefined
  /** The file of prompts that are right for the format; null where there is none. */
  readonly prompts: string | null
}

/** The templates that are at hand; none where the folder beside the project is absent. */
export function sharedTemplates(): readonly SharedTemplate[] {
  const index = resolve(FOLDER, 'templates.json')
  if (!existsSync(index)) return []
  const known = JSON.parse(readFileSync(index, 'utf8')) as readonly { readonly name: string; readonly sha256: string }[]
  return Object.entries(BY_FORMAT).flatMap(([format, wanted]) => {
    const sha256 = known.find(({ name }) => name === wanted)?.sha256
    const file = resolve(FOLDER, `texts/${sha256 ?? ''}.jinja`)
    if (sha256 === undefined || !existsSync(file)) return []
    const beginning = BEGINNINGS.find(([formats]) => formats.test(format))?.[1]
    const prompts = resolve(VECTORS, `formats/${format}/render.jsonl`)
    return [{ format, beginning, text: readFileSync(file, 'utf8'), prompts: existsSync(prompts) ? prompts : null }]
  })
}
