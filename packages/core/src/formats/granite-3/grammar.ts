import type { Grammar } from '../../grammar/grammar.ts'
import { readJsonCalls } from '../../grammar/json.ts'

/** How replies are read: either calls or prose, and with thinking a thought and an answer. */
export const grammar: Grammar = {
  // > <|tool_call|>[{"name": "f", "arguments": {}}]
  //   ^
  start: 'start',
  thinking: 'thinking',
  stops: ['<|end_of_text|>'],
  states: {
    start: {
      kind: 'nothing',
      transitions: { '<|tool_call|>': { to: 'list', opens: true }, '<tool_call>': { to: 'list', opens: true } },
      fallback: 'text',
    },
    // > <|tool_call|>[{"name": "f", "arguments": {}}]
    //                ^
    list: { kind: 'calls', bodyStart: '[', mustEndReply: true, next: 'end', fallback: 'text', transitions: {} },
    // > <|tool_call|>[{"name": "f", "arguments": {}}]
    //                                                ^
    end: { kind: 'nothing', transitions: {} },
    // > It is noon.
    //   ^
    text: { kind: 'text', transitions: {} },
    // > <think>Hm.</think><response>Noon.</response>
    //   ^    thoughts were asked for
    thinking: {
      kind: 'nothing',
      transitions: { '<think>': 'thought', 'Here is my thought process:': 'words' },
      fallback: 'text',
    },
    // > <think>Hm.</think><response>Noon.</response>
    //          ^
    thought: { kind: 'reasoning', isTrimmed: true, transitions: { '</think>': 'answer' } },
    // > <think>Hm.</think><response>Noon.</response>
    //                     ^
    answer: { kind: 'nothing', transitions: { '<response>': 'response' }, fallback: 'text' },
    // > <think>Hm.</think><response>Noon.</response>
    //                               ^
    response: { kind: 'text', isTrimmed: true, transitions: { '</response>': 'text' } },
    // The words of 3.2, where those of 3.3 are tags.
    // > Here is my thought process: Hm.\nHere is my response: Noon.
    //                              ^
    words: { kind: 'reasoning', isTrimmed: true, transitions: { 'Here is my response:': 'said' } },
    // > Here is my thought process: Hm.\nHere is my response: Noon.
    //                                                        ^
    said: { kind: 'text', isTrimmed: true, transitions: {} },
  },
  readCalls: readJsonCalls({ name: 'name', arguments: ['arguments'] }),
}
