import type { Grammar } from '../../grammar/grammar.ts'
import { readJsonCalls } from '../../grammar/json.ts'

/** How replies are read: the word counts only with its whole list. */
export const grammar: Grammar = {
  start: 'text',
  stops: ['<|end|>', '<|endoftext|>'],
  states: {
    // > Let me look.functools[{"name": "f", "arguments": {}}]
    //   ^
    text: { kind: 'text', transitions: { functools: { to: 'list', opens: true } } },
    // > functools[{"name": "f", "arguments": {}}]
    //            ^
    list: { kind: 'calls', bodyStart: '[', next: 'text', fallback: 'text', transitions: {} },
  },
  readCalls: readJsonCalls({ name: 'name', arguments: ['arguments', 'parameters'] }),
}
