import type { Grammar } from '../../grammar/grammar.ts'
import { readJsonCalls } from '../../grammar/json-calls.ts'

/** How replies are read: either calls or prose, and with thinking a thought and an answer. */
export const grammar: Grammar = {
  // > <|tool_call|>[{"name": "f", "arguments": {}}]
  //   ^
  start: 'start',
  thinking: 'thinking',
  stops: ['<|end_of_text|>'],
  states: {
    start: {
      is: 'nothing',
      until: { '<|tool_call|>': { to: 'list', opens: true }, '<tool_call>': { to: 'list', opens: true } },
      otherwise: 'text',
    },
    // > <|tool_call|>[{"name": "f", "arguments": {}}]
    //                ^
    list: { is: 'calls', begins: '[', isLast: true, next: 'end', otherwise: 'text', until: {} },
    // > <|tool_call|>[{"name": "f", "arguments": {}}]
    //                                                ^
    end: { is: 'nothing', until: {} },
    // > It is noon.
    //   ^
    text: { is: 'text', until: {} },
    // > <think>Hm.</think><response>Noon.</response>
    //   ^    thoughts were asked for
    thinking: {
      is: 'nothing',
      until: { '<think>': 'thought', 'Here is my thought process:': 'words' },
      otherwise: 'text',
    },
    // > <think>Hm.</think><response>Noon.</response>
    //          ^
    thought: { is: 'reasoning', isTrimmed: true, until: { '</think>': 'answer' } },
    // > <think>Hm.</think><response>Noon.</response>
    //                     ^
    answer: { is: 'nothing', until: { '<response>': 'response' }, otherwise: 'text' },
    // > <think>Hm.</think><response>Noon.</response>
    //                               ^
    response: { is: 'text', isTrimmed: true, until: { '</response>': 'text' } },
    // The words of 3.2, where those of 3.3 are tags.
    // > Here is my thought process: Hm.\nHere is my response: Noon.
    //                              ^
    words: { is: 'reasoning', isTrimmed: true, until: { 'Here is my response:': 'said' } },
    // > Here is my thought process: Hm.\nHere is my response: Noon.
    //                                                        ^
    said: { is: 'text', isTrimmed: true, until: {} },
  },
  readCalls: readJsonCalls({ name: 'name', arguments: ['arguments'] }),
}
