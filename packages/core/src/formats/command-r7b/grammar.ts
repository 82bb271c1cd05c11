import type { Grammar } from '../../grammar/grammar.ts'
import { readJsonCalls } from '../../grammar/json.ts'

/** Where the tags of a reply lead. Newer models write TEXT for RESPONSE. */
const TAGS = {
  '<|START_THINKING|>': 'thought',
  '<|START_ACTION|>': { to: 'action', opens: true },
  '<|START_RESPONSE|>': 'text',
  '<|END_RESPONSE|>': 'text',
  '<|START_TEXT|>': 'text',
  '<|END_TEXT|>': 'text',
} as const

/** How replies are read. */
export const grammar: Grammar = {
  start: 'text',
  thought: 'thought',
  stops: ['<|END_OF_TURN_TOKEN|>'],
  hasIds: true,
  states: {
    // > <|START_RESPONSE|>Noon.<|END_RESPONSE|>
    //                     ^
    text: { kind: 'text', transitions: TAGS },
    // > <|START_THINKING|>Hm.<|END_THINKING|>
    //                     ^
    thought: { kind: 'reasoning', transitions: { '<|END_THINKING|>': 'text' } },
    // > <|START_ACTION|>[{"tool_name": "f", "parameters": {}}]<|END_ACTION|>
    //                   ^
    action: { kind: 'calls', bodyStart: '[', next: 'behind', transitions: { '<|END_ACTION|>': 'text' } },
    // > <|START_ACTION|>[{"tool_name": "f", "parameters": {}}]<|END_ACTION|>
    //                                                         ^
    behind: { kind: 'nothing', mayBeTruncated: true, transitions: { '<|END_ACTION|>': 'text', ...TAGS } },
  },
  readCalls: readJsonCalls({ name: 'tool_name', arguments: ['parameters'], id: 'tool_call_id' }),
}
