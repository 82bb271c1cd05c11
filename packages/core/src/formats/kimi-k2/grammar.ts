import type { Grammar, ReadName } from '../../grammar/grammar.ts'
import { isJsonSpace } from '../../grammar/json-watch.ts'
import { strip } from '@callspec/python'

/** How replies are read. */
export const grammar: Grammar = {
  start: 'text',
  thought: 'opened',
  stops: ['<|im_end|>'],
  states: {
    // The prompt has opened the thought; some models open it once more.
    // > Hm.</think>Noon.
    //   ^
    opened: { is: 'nothing', until: { '<think>': 'thought' }, otherwise: 'thought' },
    // > <think>Hm.</think>Noon.
    //          ^
    thought: { is: 'reasoning', until: { '</think>': 'text' } },
    // > <think>Hm.</think>Noon.
    //                     ^
    text: { is: 'text', until: { '<think>': 'thought', '<|tool_calls_section_begin|>': 'section' } },
    // > <|tool_calls_section_begin|><|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{}
    //                               ^
    section: {
      is: 'nothing',
      isOpen: true,
      until: { '<|tool_call_begin|>': { to: 'id', opens: true }, '<|tool_calls_section_end|>': 'text' },
    },
    // > <|tool_calls_section_begin|><|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{}
    //                                                  ^
    // > <|tool_calls_section_begin|><|tool_call_begin|>functions.now:0<|tool_call_end|>
    //                                                                 ^                 a call without arguments
    id: {
      is: 'name',
      until: { '<|tool_call_argument_begin|>': 'arguments', '<|tool_call_end|>': { to: 'section', closes: true } },
    },
    // > <|tool_calls_section_begin|><|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{}
    //                                                                                           ^
    arguments: { is: 'json', until: { '<|tool_call_end|>': { to: 'section', closes: true } } },
  },
  readName,
}

/** The name stands in the id: `functions.get_weather:0`. The number is no position. */
function readName(text: string): ReadName | null {
  const id = strip(text)
  const colon = id.indexOf(':')
  const end = colon < 0 ? id.length : colon
  if (end === 0 || hasSpace(id, end) || (colon >= 0 && !isNumber(id, colon + 1))) return null
  const isPrefixed = id.startsWith(PREFIX) && end > PREFIX.length
  return { name: id.slice(isPrefixed ? PREFIX.length : 0, end), id }
}

const PREFIX = 'functions.'

/** White space in a name says that prose stands where an id should. */
function hasSpace(text: string, end: number): boolean {
  for (let at = 0; at < end; at++) if (isJsonSpace(text.charCodeAt(at))) return true
  return false
}

/** Whether nothing but digits stands behind `from`, and one at least. */
function isNumber(text: string, from: number): boolean {
  for (let at = from; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit < 0x30 || unit > 0x39) return false
  }
  return from < text.length
}
