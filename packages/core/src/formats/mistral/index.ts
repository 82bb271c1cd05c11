import type { Format, FormatAbout } from '../../format/format.ts'
import { grammarFormat } from '../../format/grammar-format.ts'
import type { ItemSpelling } from '../../format/write-items.ts'
import { v11, v13, v3 } from './grammar.ts'
import { promptV3 } from './prompt-v3.ts'
import { promptV11, promptV13, promptV15 } from './prompt.ts'
import { writeV3Call } from './write.ts'

const ABOUT: Omit<FormatAbout, 'models'> = { source: 'mistral-common 1.11.7', licence: 'Apache-2.0' }

const SPELLING: ItemSpelling = {
  thought: { open: '[THINK]', close: '[/THINK]' },
  call: ({ id, name, arguments: text }) => `[TOOL_CALLS]${name}${id === null ? '' : `[CALL_ID]${id}`}[ARGS]${text}`,
}

/** One JSON list behind a token. Its README describes it with examples. */
export const mistralV3: Format = grammarFormat({
  id: 'mistral-v3',
  servedAs: { vllm: ['mistral'], sglang: ['mistral'], tekken: ['v2', 'v3', 'v7'] },
  unread: { opens: /\[TOOL_CALLS\]\s{0,4}\[\s{0,16}\{/, body: 'json' },
  about: { models: 'Mistral Nemo, Mixtral 8x22B, Ministral 2410, Mistral Large 2407', ...ABOUT },
  grammar: v3,
  spelling: { section: { open: '[TOOL_CALLS][', close: ']' }, betweenCalls: ', ', call: writeV3Call },
  prompt: promptV3,
})

/** Name, id and arguments behind tokens. Its README describes it with examples. */
export const mistralV11: Format = grammarFormat({
  id: 'mistral-v11',
  servedAs: { vllm: ['mistral'], sglang: ['mistral'], tekken: ['v11'] },
  unread: { opens: /\[TOOL_CALLS\][^[\]{}\n]{1,80}\[CALL_ID\][^[\]{}\n]{1,40}\[ARGS\]/, body: 'json' },
  about: { models: 'Mistral Small 3.1 and 3.2, Magistral 2506 and 2507', ...ABOUT },
  grammar: v11,
  spelling: SPELLING,
  prompt: promptV11,
})

/** Name and arguments behind tokens, thoughts in tokens; prompts of v15 under `mistral-common@1.11.7/v15`. */
export const mistralV13: Format = grammarFormat({
  id: 'mistral-v13',
  servedAs: { vllm: ['mistral'], sglang: ['mistral'], tekken: ['v13', 'v15'] },
  unread: { opens: /\[TOOL_CALLS\][^[\]{}\n]{1,80}(?:\[ARGS\]|\{)/, body: 'json' },
  about: { models: 'Devstral 2507 and later, Ministral 3, Magistral 2509, Mistral Small 4', ...ABOUT },
  grammar: v13,
  spelling: { ...SPELLING, call: ({ name, arguments: text }) => `[TOOL_CALLS]${name}[ARGS]${text}` },
  prompt: promptV13,
  versions: { 'mistral-common@1.11.7/v15': promptV15 },
})
