import type { Format } from '../../format/format.ts'
import { grammarFormat } from '../../format/grammar-format.ts'
import { argumentsInBody } from '../../grammar/json.ts'
import { dumps } from '@callspec/python'
import { grammar } from './grammar.ts'
import { prompt, prompt32 } from './prompt.ts'

/** One JSON map is the whole reply; prompts of the 3.2 copy under `llama-3.2`. Its README describes it with examples. */
export const llama3Json: Format = grammarFormat({
  id: 'llama3-json',
  servedAs: { vllm: ['llama3_json'], sglang: ['llama3'] },
  unread: { opens: /<\|python_tag\|>\s{0,4}\{/, body: 'json' },
  about: {
    models: 'Llama 3.1, 3.2 (text), 3.3',
    source: 'chat template of Llama-3.1-8B-Instruct and llama-models@a9c89c4',
    licence: 'Llama 3.1 community licence (template as carried by llama.cpp: MIT)',
  },
  grammar,
  spelling: {
    // Behind a text a call is one only behind the tag.
    beforeCalls: '<|python_tag|>',
    call: ({ name, arguments: text }) => `{"name": ${dumps(name)}, "parameters": ${argumentsInBody(text)}}`,
  },
  prompt,
  versions: { 'llama-3.2': prompt32 },
})
