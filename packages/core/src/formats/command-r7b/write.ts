import type { ItemSpelling } from '../../format/write-items.ts'
import { argumentsInBody } from '../../grammar/json.ts'
import { dumps } from '@callspec/python'

/** How the model writes: one action a line. A call without an id stays without one. */
export const SPELLING: ItemSpelling = {
  thought: { open: '<|START_THINKING|>', close: '<|END_THINKING|>' },
  text: { open: '<|START_RESPONSE|>', close: '<|END_RESPONSE|>' },
  section: { open: '<|START_ACTION|>[\n', close: '\n]<|END_ACTION|>' },
  betweenCalls: ',\n',
  call: ({ id, name, arguments: text }) => {
    const start = id === null ? '' : `"tool_call_id": ${dumps(id)}, `
    return `    {${start}"tool_name": ${dumps(name)}, "parameters": ${argumentsInBody(text)}}`
  },
}
