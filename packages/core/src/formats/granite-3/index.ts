import type { Format } from '../../format/format.ts'
import { grammarFormat } from '../../format/grammar-format.ts'
import { argumentsInBody } from '../../grammar/json.ts'
import { dumps } from '@callspec/python'
import { grammar } from './grammar.ts'
import { prompt } from './prompt.ts'

/** A JSON list after a word, or prose. Its README describes it with examples. */
export const granite3: Format = grammarFormat({
  id: 'granite-3',
  servedAs: { vllm: ['granite'] },
  unread: { opens: /<\|tool_call\|>\s{0,4}[[{]|<tool_call>\s{0,4}\[\s{0,16}\{/, body: 'json' },
  about: {
    models: 'Granite 3.0 to 3.3 instruct',
    source: 'chat template of granite-3.3 and granite-io@9ee74ae',
    licence: 'Apache-2.0',
  },
  grammar,
  spelling: {
    thought: { open: '<think>', close: '</think>' },
    section: { open: '<tool_call>[', close: ']' },
    betweenCalls: ', ',
    call: ({ name, arguments: text }) => `{"name": ${dumps(name)}, "arguments": ${argumentsInBody(text)}}`,
  },
  prompt,
})
