import type { Format } from '../../format/format.ts'
import { grammarFormat } from '../../format/grammar-format.ts'
import { argumentsInBody } from '../../grammar/json.ts'
import { dumps } from '@callspec/python'
import { grammar } from './grammar.ts'
import { prompt } from './prompt.ts'

/** A JSON list behind the word `functools`. Its README describes it with examples. */
export const phi4Mini: Format = grammarFormat({
  id: 'phi-4-mini',
  servedAs: { vllm: ['phi4_mini_json'] },
  unread: { opens: /functools\s{0,2}\[\s{0,4}\{/, body: 'json' },
  about: {
    models: 'Phi-4-mini-instruct, Phi-4-multimodal-instruct',
    source: 'chat template of Phi-4-mini-instruct and vLLM@239b5ff',
    licence: 'MIT',
  },
  grammar,
  spelling: {
    section: { open: 'functools[', close: ']' },
    betweenCalls: ', ',
    call: ({ name, arguments: text }) => `{"name": ${dumps(name)}, "arguments": ${argumentsInBody(text)}}`,
  },
  prompt,
})
