import type { Grammar, GrammarState } from '../../grammar/grammar.ts'

const TEXT = { is: 'text', until: { '[TOOL_CALLS]': { to: 'name', opens: true }, '[THINK]': 'thought' } } as const

/** How calls stand in v11: the id may be missing. */
export const v11: Grammar = versionWith({
  name: {
    is: 'name',
    until: { '[CALL_ID]': 'id', '[ARGS]': 'arguments', '[TOOL_CALLS]': { to: 'name', opens: true } },
  },
  id: { is: 'id', until: { '[ARGS]': 'arguments', '[TOOL_CALLS]': { to: 'name', opens: true } } },
})

/** How calls stand in v13 and v15: without ids. */
export const v13: Grammar = versionWith({
  name: { is: 'name', until: { '[ARGS]': 'arguments', '[TOOL_CALLS]': { to: 'name', opens: true } } },
})

function versionWith(head: { readonly [name: string]: GrammarState }): Grammar {
  return {
    start: 'text',
    thought: 'thought',
    stops: ['</s>'],
    states: {
      text: TEXT,
      thought: { is: 'reasoning', until: { '[/THINK]': 'text' } },
      ...head,
      arguments: { is: 'json', next: 'text', until: { '[TOOL_CALLS]': { to: 'name', opens: true } } },
    },
  }
}
