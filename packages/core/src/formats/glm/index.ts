import type { Format, ItemSpelling } from '../../format/format.ts'
import { grammarFormat } from '../../format/grammar-format.ts'
import type { VersionParts } from '../../format/grammar-format.ts'
import { GLM_SPECIALS, LAGUNA_SPECIALS, LING3_SPECIALS } from '../special-tokens.ts'
import { callSpelling, feedsOf, grammarWith } from './grammar.ts'
import { LAGUNA_FEEDS, lagunaS21Prompt, lagunaXs21Prompt, lagunaXs2Prompt } from './laguna.ts'
import { LING_FEEDS, lingPrompt } from './ling.ts'
import { LAYOUT_45, LAYOUT_47, writePrompt } from './prompt.ts'

/** How GLM writes replies, with a line feed between all pieces or none. */
function glmSpelling(feed: '' | '\n'): ItemSpelling {
  return { ...callSpelling(feedsOf(feed), feed), thought: { open: `${feed}<think>`, close: `</think>${feed}` } }
}

/** Ends of a turn of Laguna. */
const LAGUNA_STOPS = ['</assistant>', '〈|EOS|〉']

const LAGUNA: VersionParts = {
  specialTokens: LAGUNA_SPECIALS,
  servedAs: { vllm: ['poolside_v1'], sglang: ['poolside_v1'] },
  make: () => ({
    grammar: grammarWith({}, LAGUNA_STOPS),
    spelling: { ...callSpelling(LAGUNA_FEEDS, '\n'), thought: { open: '<think>\n', close: '\n</think>\n' } },
  }),
}

/** Name, keys and values in tags, with line feeds between them. Its README describes it with examples. */
export const glm45: Format = grammarFormat({
  id: 'glm-4.5',
  specialTokens: GLM_SPECIALS,
  servedAs: { vllm: ['glm45'], sglang: ['glm45', 'glm'] },
  unread: {
    opens: /<tool_call>\s{0,4}[^\s<>{}[\]]{1,80}\s{0,4}<(?:arg_key|\/tool_call)>/,
    body: { closes: '</tool_call>' },
  },
  about: { models: 'GLM-4.5, GLM-4.6', source: 'chat template of GLM-4.6, sha256 8804f445…e0301', licence: 'MIT' },
  make: () => ({ grammar: grammarWith({ '\n': 'body' }), spelling: glmSpelling('\n') }),
  prompt: (conversation) => writePrompt(conversation, LAYOUT_45),
})

/** `glm-4.5` without the line feeds; replies begin inside a thought. */
export const glm47: Format = grammarFormat({
  id: 'glm-4.7',
  specialTokens: GLM_SPECIALS,
  servedAs: { vllm: ['glm47'], sglang: ['glm47'] },
  about: {
    models: 'GLM-4.7, GLM-4.7-Flash; replies also of GLM-5',
    source: 'chat template of GLM-4.7-Flash, sha256 d63ad536…81375',
    licence: 'MIT',
  },
  make: () => ({ grammar: grammarWith({}), spelling: glmSpelling('') }),
  prompt: (conversation) => writePrompt(conversation, LAYOUT_47),
  versions: {
    'ling-3': {
      specialTokens: LING3_SPECIALS,
      servedAs: { vllm: ['ling3'], sglang: ['ling3'] },
      prompt: lingPrompt,
      make: () => ({
        grammar: grammarWith({}, ['<|role_end|>']),
        spelling: { ...callSpelling(LING_FEEDS, '\n'), thought: { open: '<think>', close: '</think>' } },
      }),
    },
    'laguna-xs.2': { ...LAGUNA, prompt: lagunaXs2Prompt },
    'laguna-xs-2.1': { ...LAGUNA, prompt: lagunaXs21Prompt },
    'laguna-s-2.1': {
      ...LAGUNA,
      prompt: lagunaS21Prompt,
      make: () => ({
        grammar: grammarWith({}, LAGUNA_STOPS),
        spelling: { ...callSpelling(feedsOf(''), ''), thought: { open: '<think>', close: '</think>' } },
      }),
    },
  },
})
