import type { Grammar, GrammarState } from '../../grammar/grammar.ts'
import { readJsonCalls } from '../../grammar/json.ts'

const TEXT = {
  kind: 'text',
  transitions: { '[TOOL_CALLS]': { to: 'name', opens: true }, '[THINK]': 'thought' },
} as const

/** How calls stand in v2, v3 and v7: in one JSON list. */
export const v3: Grammar = {
  start: 'text',
  stops: ['</s>'],
  hasIds: true,
  states: {
    // > Let me look.[TOOL_CALLS][{"name": "f", "arguments": {}}]
    //   ^
    text: { kind: 'text', transitions: { '[TOOL_CALLS]': { to: 'list', opens: true } } },
    // > [TOOL_CALLS][{"name": "f", "arguments": {}}]
    //               ^
    list: { kind: 'calls', bodyStart: '[', next: 'text', transitions: { '[TOOL_CALLS]': { to: 'list', opens: true } } },
  },
  readCalls: readJsonCalls({ name: 'name', arguments: ['arguments'], id: 'id' }),
}

/** How calls stand in v11: the id may be missing. */
export const v11: Grammar = versionWith({
  // > [TOOL_CALLS]f[CALL_ID]abc123def[ARGS]{}
  //               ^
  name: {
    kind: 'name',
    transitions: { '[CALL_ID]': 'id', '[ARGS]': 'arguments', '[TOOL_CALLS]': { to: 'name', opens: true } },
  },
  // > [TOOL_CALLS]f[CALL_ID]abc123def[ARGS]{}
  //                         ^
  id: { kind: 'id', transitions: { '[ARGS]': 'arguments', '[TOOL_CALLS]': { to: 'name', opens: true } } },
})

/** How calls stand in v13 and v15: without ids. */
export const v13: Grammar = versionWith({
  // > [TOOL_CALLS]f[ARGS]{}
  //               ^
  name: { kind: 'name', transitions: { '[ARGS]': 'arguments', '[TOOL_CALLS]': { to: 'name', opens: true } } },
})

function versionWith(head: { readonly [name: string]: GrammarState }): Grammar {
  return {
    start: 'text',
    thought: 'thought',
    stops: ['</s>'],
    states: {
      // > Let me look.[TOOL_CALLS]f[ARGS]{}
      //   ^
      text: TEXT,
      // > [THINK]Hm.[/THINK]Noon.
      //          ^
      thought: { kind: 'reasoning', transitions: { '[/THINK]': 'text' } },
      ...head,
      // > [TOOL_CALLS]f[ARGS]{"a": 1}[TOOL_CALLS]g[ARGS]{}
      //                      ^                          ^
      arguments: { kind: 'json', next: 'text', transitions: { '[TOOL_CALLS]': { to: 'name', opens: true } } },
    },
  }
}
