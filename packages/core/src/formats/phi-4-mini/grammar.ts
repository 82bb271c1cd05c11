import type { Grammar } from '../../grammar/grammar.ts'
import { readJsonCalls } from '../../grammar/json-calls.ts'

/** How replies are read: the word counts only with its whole list. */
export const grammar: Grammar = {
  start: 'text',
  stops: ['<|end|>', '<|endoftext|>'],
  states: {
    // > Let me look.functools[{"name": "f", "arguments": {}}]
    //   ^
    text: { is: 'text', until: { functools: { to: 'list', opens: true } } },
    // > functools[{"name": "f", "arguments": {}}]
    //            ^
    list: { is: 'calls', begins: '[', next: 'text', otherwise: 'text', until: {} },
  },
  readCalls: readJsonCalls({ name: 'name', arguments: ['arguments', 'parameters'] }),
}
