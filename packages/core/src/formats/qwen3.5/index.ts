import { functionTags, NEXT_PARAMETER, taggedCallWriter, thoughtStates, writeTaggedCall } from '../shared-states.ts'
import type { Grammar } from '../../grammar/grammar.ts'
import type { TypingRules } from '../../grammar/values.ts'
import { typeValueBySchema } from '../../grammar/values.ts'
import type { Format, ItemSpelling } from '../../format/format.ts'
import { grammarFormat } from '../../format/grammar-format.ts'
import type { VersionParts } from '../../format/grammar-format.ts'
import { QWEN35_SPECIALS } from '../special-tokens.ts'
import { nemotronNanoPrompt, nemotronSuperPrompt, nemotronUltraPrompt } from './nemotron.ts'
import { step35Prompt, step37Prompt } from './step.ts'
import { qwen35Prompt, qwen36Prompt, qwen38MaxPrompt, qwen38Prompt } from './prompt.ts'

/** The calls of qwen3-coder after a thought, which the prompt has opened. */
function grammarWith(typing: TypingRules, nextKey = NEXT_PARAMETER): Grammar {
  return {
    start: 'text',
    thought: 'opened',
    stops: ['<|im_end|>', '<|endoftext|>'],
    states: {
      ...thoughtStates({ open: '<think>', close: '</think>', calls: { '<tool_call>': 'call' }, callsCount: true }),
      ...functionTags({ close: '</tool_call>', after: 'text', nextKey }),
    },
    typeValue: typeValueBySchema(typing),
  }
}

/** As in qwen3-coder. */
const PYTHON_WORDS: TypingRules = { lineFeeds: 1, pythonWords: true }

/** Values are JSON: a text may be `None`. */
const JSON_WORDS: TypingRules = { lineFeeds: 1, pythonWords: false }

/** Nothing around a value belongs to the format. */
const VERBATIM: TypingRules = { lineFeeds: 0, pythonWords: true }

/** The first argument of MiMo's calls has its value behind it, in the same line. */
const NEXT_MIMO_PARAMETER = /^<parameter=([^>\n]{1,200})>/gm

/** How a model writes, by what is around its thoughts and calls. */
const QWEN: ItemSpelling = {
  thought: { open: '<think>\n', close: '\n</think>\n\n' },
  beforeCalls: '\n\n',
  betweenCalls: '\n',
  call: writeTaggedCall,
}
const NEMOTRON: ItemSpelling = {
  thought: { open: '<think>\n', close: '\n</think>\n' },
  beforeCalls: '\n',
  betweenCalls: '\n',
  call: writeTaggedCall,
}
const STEP: ItemSpelling = { thought: { open: '<think>\n', close: '\n</think>\n' }, call: writeTaggedCall }

/** Qwen3.6 and later: the values of calls are JSON. */
const LATER_QWEN: VersionParts = {
  make: () => ({
    grammar: grammarWith(JSON_WORDS),
    spelling: { ...QWEN, call: taggedCallWriter({ words: 'json', feed: '\n' }) },
  }),
}

const NEMOTRON_3: VersionParts = { make: () => ({ grammar: grammarWith(PYTHON_WORDS), spelling: NEMOTRON }) }

const STEP_3: VersionParts = {
  servedAs: { vllm: ['step3p5'], sglang: ['step3p5'] },
  make: () => ({ grammar: grammarWith(PYTHON_WORDS), spelling: STEP }),
}

const VERSIONS: { readonly [version: string]: VersionParts } = {
  'qwen3.6': { ...LATER_QWEN, prompt: qwen36Prompt },
  'qwen3.8': { ...LATER_QWEN, prompt: qwen38Prompt },
  'qwen3.8-max': { ...LATER_QWEN, prompt: qwen38MaxPrompt },
  'nemotron-3': { ...NEMOTRON_3, prompt: nemotronNanoPrompt },
  'nemotron-3-super': { ...NEMOTRON_3, prompt: nemotronSuperPrompt },
  'nemotron-3-ultra': {
    prompt: nemotronUltraPrompt,
    make: () => ({
      grammar: grammarWith(PYTHON_WORDS),
      spelling: { ...NEMOTRON, thought: { open: '<think>\n', close: '</think>' } },
    }),
  },
  'step-3.5': { ...STEP_3, prompt: step35Prompt },
  'step-3.7': { ...STEP_3, prompt: step37Prompt },
  // Its template is not at hand in its own bytes.
  'mimo-v2.6': {
    prompt: null,
    servedAs: { vllm: ['mimo'], sglang: ['mimo'] },
    make: () => ({
      grammar: grammarWith(VERBATIM, NEXT_MIMO_PARAMETER),
      spelling: {
        thought: { open: '<think>', close: '</think>' },
        call: taggedCallWriter({ words: 'python', feed: '' }),
      },
    }),
  },
}

/** The calls of qwen3-coder, with thoughts and other prompts. Its README describes it with examples. */
export const qwen35: Format = grammarFormat({
  id: 'qwen3.5',
  specialTokens: QWEN35_SPECIALS,
  servedAs: { vllm: ['qwen3_coder', 'qwen3_xml'], sglang: ['qwen3_coder'] },
  about: {
    models: 'Qwen3.5 to Qwen3.8, Nemotron 3, Step 3.5 and 3.7, MiMo V2.6',
    source: 'chat template of Qwen3.5-4B, sha256 a4aee8af…8f715',
    licence: 'Apache-2.0',
  },
  make: () => ({ grammar: grammarWith(PYTHON_WORDS), spelling: QWEN }),
  prompt: qwen35Prompt,
  versions: VERSIONS,
})
