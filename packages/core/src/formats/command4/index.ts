import { dumps } from '@callspec/python'
import { grammarFormat } from '../../format/grammar-format.ts'
import type { Format, ItemSpelling } from '../../format/format.ts'
import type { Grammar, Transitions } from '../../grammar/grammar.ts'
import { argumentsInBody, readJsonCalls } from '../../grammar/json.ts'
import { COMMAND4_SPECIALS } from '../special-tokens.ts'
import { prompt } from './prompt.ts'

/** Where the tags of a reply lead. */
const TAGS: Transitions = {
  '<|START_THINKING|>': 'thought',
  '<|START_TEXT|>': 'text',
  '<|END_TEXT|>': 'between',
  '<|START_ACTION|>': { to: 'action', opens: true },
}

/** How replies are read. Text without its tags is text all the same: servers strip them. */
const grammar: Grammar = {
  start: 'between',
  thought: 'thought',
  stops: ['<|END_OF_TURN_TOKEN|>'],
  hasIds: true,
  states: {
    // > <|START_TEXT|>Noon.<|END_TEXT|>
    //   ^                              ^
    between: { kind: 'nothing', isToken: true, fallback: 'text', transitions: TAGS },
    // > <|START_TEXT|>Noon.<|END_TEXT|>
    //                 ^
    text: { kind: 'text', transitions: TAGS },
    // > <|START_THINKING|>Hm.<|END_THINKING|>
    //                     ^
    thought: { kind: 'reasoning', transitions: { '<|END_THINKING|>': 'between' } },
    // > <|START_ACTION|>[{"tool_name": "f", "parameters": {}}]<|END_ACTION|>
    //                   ^
    action: { kind: 'calls', bodyStart: '[', next: 'afterCalls', transitions: { '<|END_ACTION|>': 'between' } },
    // > <|START_ACTION|>[{"tool_name": "f", "parameters": {}}]<|END_ACTION|>
    //                                                         ^
    afterCalls: { kind: 'nothing', mayBeTruncated: true, transitions: { '<|END_ACTION|>': 'between', ...TAGS } },
  },
  readCalls: readJsonCalls({ name: 'tool_name', arguments: ['parameters'], id: 'tool_call_id' }),
}

/** How the model writes: one action a line. A call without an id stays without one. */
const SPELLING: ItemSpelling = {
  thought: { open: '<|START_THINKING|>', close: '<|END_THINKING|>' },
  text: { open: '<|START_TEXT|>', close: '<|END_TEXT|>' },
  section: { open: '<|START_ACTION|>[\n', close: '\n]<|END_ACTION|>' },
  betweenCalls: ',\n',
  call: ({ id, name, arguments: text }) => {
    const start = id === null ? '' : `"tool_call_id": ${dumps(id)}, `
    return `    {${start}"tool_name": ${dumps(name)}, "parameters": ${argumentsInBody(text)}}`
  },
}

/** The actions of command-r7b, with other tags around text. Its README describes it with examples. */
export const command4: Format = grammarFormat({
  id: 'command4',
  specialTokens: COMMAND4_SPECIALS,
  servedAs: { vllm: ['cohere_command4'], sglang: ['cohere_command4'] },
  about: {
    models: 'North Mini Code; models whose vocabulary has <|START_TEXT|>',
    source: 'chat template Cohere2MoE, sha256 d8366efb…5fd',
    licence: 'MIT (the template as llama.cpp carries it)',
  },
  grammar,
  spelling: SPELLING,
  prompt,
})
