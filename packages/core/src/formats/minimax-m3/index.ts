import type { PyDict, PyValue } from '@callspec/python'
import { dumps, isDict, isList } from '@callspec/python'
import { grammarFormat } from '../../format/grammar-format.ts'
import type { Format, WriteCall } from '../../format/format.ts'
import type { Grammar } from '../../grammar/grammar.ts'
import { thoughtStates } from '../shared-states.ts'
import { MINIMAX_M3_SPECIALS } from '../special-tokens.ts'
import { prompt } from './prompt.ts'
import { END_THINK, readTags, THINK, TOKEN } from './tags.ts'

const OPEN = `${TOKEN}<tool_call>`
const CLOSE = `${TOKEN}</tool_call>`
const INVOKE = `${TOKEN}<invoke name="`
const END = `${TOKEN}</invoke>`

/** How replies are read. A tag counts only after its token; the tags of all arguments are read at the end of their call. */
const grammar: Grammar = {
  start: 'text',
  thought: 'opened',
  stops: ['[e~['],
  states: {
    ...thoughtStates({ open: THINK, close: END_THINK, calls: { [OPEN]: 'calls' } }),
    // > ]<]minimax[>[<tool_call>\n]<]minimax[>[<invoke name="f">]<]minimax[>[</invoke>\n]<]minimax[>[</tool_call>
    //                           ^                                                     ^
    calls: {
      kind: 'nothing',
      mayBeTruncated: true,
      transitions: { [INVOKE]: { to: 'name', opens: true }, [CLOSE]: 'text' },
    },
    // > ]<]minimax[>[<tool_call>]<]minimax[>[<invoke name="f">]<]minimax[>[</invoke>
    //                                                      ^
    name: { kind: 'name', transitions: { '">': 'tags', [INVOKE]: { to: 'name', opens: true } } },
    // > ]<]minimax[>[<tool_call>]<]minimax[>[<invoke name="f">]<]minimax[>[<k>v]<]minimax[>[</k>]<]minimax[>[</invoke>
    //                                                         ^
    tags: { kind: 'value', transitions: { [END]: { to: 'calls', closes: true } } },
  },
  readArguments: readTags,
}

/** An argument, a member or an element: objects and lists as tags, a text as it is, everything else as JSON. */
function tagText(key: string, value: PyValue): string {
  return `${TOKEN}<${key}>${valueText(value)}${TOKEN}</${key}>`
}

function valueText(value: PyValue): string {
  if (typeof value === 'string') return value
  if (isDict(value) && value.size > 0) return tagsOf(value)
  if (isList(value) && value.length > 0) return value.map((each) => tagText('item', each)).join('')
  return dumps(value)
}

function tagsOf(given: PyDict): string {
  return [...given].map(([key, value]) => tagText(key, value)).join('')
}

const writeCall: WriteCall = ({ name }, given) => `${INVOKE}${name}">${tagsOf(given)}${END}\n`

/** Arguments as tags after a token, nested. Its README describes it with examples. */
export const minimaxM3: Format = grammarFormat({
  id: 'minimax-m3',
  specialTokens: MINIMAX_M3_SPECIALS,
  servedAs: { vllm: ['minimax_m3'], sglang: ['minimax-m3'] },
  unread: { opens: /\]<\]minimax\[>\[\s{0,4}<tool_call>/, body: { closes: END } },
  about: {
    models: 'MiniMax-M3',
    source: "chat template of MiniMax-M3, sha256 11421244…9fe64; replies: SGLang's minimax_m3.py at 8905cbd",
    licence: 'MIT (the template as forks of llama.cpp carry it)',
  },
  grammar,
  spelling: {
    thought: { open: THINK, close: END_THINK },
    section: { open: `${OPEN}\n`, close: CLOSE },
    call: writeCall,
  },
  prompt,
})
