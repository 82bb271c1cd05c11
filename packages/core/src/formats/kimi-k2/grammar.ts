import type { Grammar, ReadName } from '../../grammar/grammar.ts'
import { strip } from '@callspec/python'

/** How replies are read. */
export const grammar: Grammar = {
  start: 'text',
  thought: 'opened',
  stops: ['<|im_end|>'],
  states: {
    // The prompt has opened the thought; some models open it once more.
    // > Hm.</think>Noon.
    //   ^
    opened: { kind: 'nothing', transitions: { '<think>': 'thought' }, fallback: 'thought' },
    // > <think>Hm.</think>Noon.
    //          ^
    thought: { kind: 'reasoning', transitions: { '</think>': 'text' } },
    // > <think>Hm.</think>Noon.
    //                     ^
    text: { kind: 'text', transitions: { '<think>': 'thought', '<|tool_calls_section_begin|>': 'section' } },
    // > <|tool_calls_section_begin|><|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{}
    //                               ^
    section: {
      kind: 'nothing',
      mayBeTruncated: true,
      transitions: { '<|tool_call_begin|>': { to: 'id', opens: true }, '<|tool_calls_section_end|>': 'text' },
    },
    // > <|tool_calls_section_begin|><|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{}
    //                                                  ^
    // > <|tool_calls_section_begin|><|tool_call_begin|>functions.now:0<|tool_call_end|>
    //                                                                 ^                 a call without arguments
    id: {
      kind: 'name',
      transitions: {
        '<|tool_call_argument_begin|>': 'arguments',
        '<|tool_call_end|>': { to: 'section', closes: true },
      },
    },
    // > <|tool_calls_section_begin|><|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{}
    //                                                                                           ^
    arguments: { kind: 'json', transitions: { '<|tool_call_end|>': { to: 'section', closes: true } } },
  },
  readName,
}

/** The name stands in the id: `functions.get_weather:0`. The number is no position, and white space says that this is prose. */
function readName(text: string): ReadName | null {
  const id = strip(text)
  const name = ID.exec(id)?.[1]
  return name === undefined ? null : { name, id }
}

const ID = /^(?:functions\.(?=[^:]))?([^: \t\n\r]+)(?::[0-9]+)?$/
