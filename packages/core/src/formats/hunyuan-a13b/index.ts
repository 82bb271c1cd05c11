import { dumps } from '@callspec/python'
import type { Grammar, Transition } from '../../grammar/grammar.ts'
import { argumentsInBody, readJsonCalls } from '../../grammar/json.ts'
import type { Format } from '../../format/format.ts'
import { grammarFormat } from '../../format/grammar-format.ts'
import { HUNYUAN_A13B_SPECIALS } from '../special-tokens.ts'
import { ASSISTANT, END, prompt } from './prompt.ts'

const OPENS: Transition = { to: 'calls', opens: true }

/** How replies are read. All markers are plain words; those of an answer count only directly after a thought. */
const grammar: Grammar = {
  start: 'start',
  // Prompts never open a thought; servers that do so by hand say so.
  thought: 'thought',
  stops: [END],
  states: {
    // > 助手：It is noon.
    //   ^
    start: {
      kind: 'nothing',
      transitions: { '<think>': 'thought', [ASSISTANT]: 'text', '<tool_calls>': OPENS },
      fallback: 'text',
    },
    // > <think>\nHm.\n</think>\n<answer>\nNoon.\n</answer>
    //          ^
    thought: { kind: 'reasoning', isTrimmed: true, transitions: { '</think>': 'said' } },
    // > <think>\nHm.\n</think>\n<answer>\nNoon.\n</answer>
    //                         ^
    said: {
      kind: 'nothing',
      transitions: { '<answer>': 'answer', [ASSISTANT]: 'text', '<tool_calls>': OPENS },
      fallback: 'text',
    },
    // > <think>\nHm.\n</think>\n<answer>\nNoon.\n</answer>
    //                                   ^
    answer: { kind: 'nothing', transitions: { [ASSISTANT]: 'inAnswer', '<tool_calls>': OPENS }, fallback: 'inAnswer' },
    // > <think>\nHm.\n</think>\n<answer>\nNoon.\n</answer>
    //                                     ^
    inAnswer: { kind: 'text', isTrimmed: true, transitions: { '</answer>': 'text', '<tool_calls>': OPENS } },
    // > Let me look.<tool_calls>[{"name": "f", "arguments": {}}]</tool_calls>
    //   ^
    text: {
      kind: 'text',
      isTrimmed: true,
      transitions: { '<tool_calls>': OPENS, '<think>': 'thought', '</think>': 'said' },
    },
    // > <tool_calls>[{"name": "f", "arguments": {}}]</tool_calls>
    //               ^
    calls: { kind: 'calls', bodyStart: '[', next: 'end', transitions: { '</tool_calls>': 'inAnswer' } },
    // > <tool_calls>[{"name": "f", "arguments": {}}]</tool_calls>
    //                                               ^
    end: { kind: 'nothing', mayBeTruncated: true, transitions: { '</tool_calls>': 'inAnswer' } },
  },
  readCalls: readJsonCalls({ name: 'name', arguments: ['arguments'] }),
}

/** One JSON list in a pair of tags; prose has the word of the assistant before it. Its README describes it with examples. */
export const hunyuanA13b: Format = grammarFormat({
  id: 'hunyuan-a13b',
  specialTokens: HUNYUAN_A13B_SPECIALS,
  servedAs: { vllm: ['hunyuan_a13b'] },
  unread: { opens: /<tool_calls>\s{0,8}\[/, body: 'json' },
  about: {
    models: 'Hunyuan-A13B-Instruct',
    source: 'chat template of vLLM for Hunyuan-A13B, sha256 05d3f879…65b6a',
    licence: 'Apache-2.0 (the template as vLLM carries it)',
  },
  grammar,
  spelling: {
    thought: { open: '<think>\n', close: '\n</think>\n' },
    section: { open: '<tool_calls>[', close: ']</tool_calls>' },
    betweenCalls: ', ',
    call: ({ name, arguments: text }) => `{"name": ${dumps(name)}, "arguments": ${argumentsInBody(text)}}`,
  },
  prompt,
})
