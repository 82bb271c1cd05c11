import type { Grammar } from '../../grammar/grammar.ts'
import { readJsonCalls } from '../../grammar/json-calls.ts'

/** How replies are read: a call is the whole reply, or what is left of it behind the tag. Everything else is text. */
export const grammar: Grammar = {
  // > <|python_tag|>{"name": "f", "parameters": {}}
  //   ^
  start: 'start',
  stops: ['<|eot_id|>', '<|eom_id|>', '<|end_of_text|>'],
  states: {
    start: { is: 'nothing', until: { '<|python_tag|>': { to: 'tagged', opens: true } }, otherwise: 'map' },
    // At the front the tag is no text, whatever follows it: servers strip it.
    // > <|python_tag|>{"name": "f", "parameters": {}}
    //                 ^
    tagged: { is: 'nothing', until: {}, otherwise: 'map' },
    // > {"name": "f", "parameters": {}}
    //   ^
    map: { is: 'calls', begins: '{', isLast: true, next: 'end', otherwise: 'text', until: {} },
    // > It is noon.
    //   ^
    text: { is: 'text', until: { '<|python_tag|>': { to: 'map', opens: true } } },
    // > {"name": "f", "parameters": {}}
    //                                  ^
    end: { is: 'nothing', until: {} },
  },
  readCalls: readJsonCalls({ name: 'name', arguments: ['parameters'] }),
}
