import type { Grammar } from '../../grammar/grammar.ts'
import { readJsonCalls } from '../../grammar/json.ts'

/** How replies are read: a call is the whole reply, or what is left of it behind the tag. Everything else is text. */
export const grammar: Grammar = {
  // > <|python_tag|>{"name": "f", "parameters": {}}
  //   ^
  start: 'start',
  stops: ['<|eot_id|>', '<|eom_id|>', '<|end_of_text|>'],
  states: {
    start: { kind: 'nothing', transitions: { '<|python_tag|>': { to: 'tagged', opens: true } }, fallback: 'map' },
    // At the front the tag is no text, whatever follows it: servers strip it.
    // > <|python_tag|>{"name": "f", "parameters": {}}
    //                 ^
    tagged: { kind: 'nothing', transitions: {}, fallback: 'map' },
    // > {"name": "f", "parameters": {}}
    //   ^
    map: { kind: 'calls', bodyStart: '{', mustEndReply: true, next: 'end', fallback: 'text', transitions: {} },
    // > It is noon.
    //   ^
    text: { kind: 'text', transitions: { '<|python_tag|>': { to: 'map', opens: true } } },
    // > {"name": "f", "parameters": {}}
    //                                  ^
    end: { kind: 'nothing', transitions: {} },
  },
  readCalls: readJsonCalls({ name: 'name', arguments: ['parameters'] }),
}
