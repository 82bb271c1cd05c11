import type { Grammar } from '../../grammar/grammar.ts'
import { readJsonCalls } from '../../grammar/json-calls.ts'

/** How replies are read: either calls or prose, and with thinking a thought and an answer. */
export const grammar: Grammar = {
  start: 'start',
  thinking: 'thinking',
  stops: ['<|end_of_text|>'],
  states: {
    start: {
      is: 'nothing',
      until: { '<|tool_call|>': { to: 'list', opens: true }, '<tool_call>': { to: 'list', opens: true } },
      otherwise: 'text',
    },
    list: { is: 'calls', begins: '[', isLast: true, next: 'end', otherwise: 'text', until: {} },
    end: { is: 'nothing', until: {} },
    text: { is: 'text', until: {} },
    thinking: {
      is: 'nothing',
      until: { '<think>': 'thought', 'Here is my thought process:': 'words' },
      otherwise: 'text',
    },
    thought: { is: 'reasoning', isTrimmed: true, until: { '</think>': 'answer' } },
    answer: { is: 'nothing', until: { '<response>': 'response' }, otherwise: 'text' },
    response: { is: 'text', isTrimmed: true, until: { '</response>': 'text' } },
    // The words of 3.2, where those of 3.3 are tags.
    words: { is: 'reasoning', isTrimmed: true, until: { 'Here is my response:': 'said' } },
    said: { is: 'text', isTrimmed: true, until: {} },
  },
  readCalls: readJsonCalls({ name: 'name', arguments: ['arguments'] }),
}
