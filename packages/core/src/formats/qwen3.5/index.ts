import type { Format } from '../../format/format.ts'
import { grammarFormat } from '../../format/grammar-format.ts'
import { writeCall } from '../qwen3-coder/write.ts'
import { grammar } from './grammar.ts'
import { prompt } from './prompt.ts'

/** The calls of qwen3-coder, with thoughts and another prompt. Its README describes it with examples. */
export const qwen35: Format = grammarFormat({
  id: 'qwen3.5',
  servedAs: { vllm: ['qwen3_coder', 'qwen3_xml'], sglang: ['qwen3_coder'] },
  about: {
    models: 'Qwen3.5; replies also of Qwen3.6 and Qwen3.8',
    source: 'chat template of Qwen3.5-4B, sha256 a4aee8af…8f715',
    licence: 'Apache-2.0',
  },
  grammar,
  spelling: {
    thought: { open: '<think>\n', close: '\n</think>\n\n' },
    beforeCalls: '\n\n',
    betweenCalls: '\n',
    call: writeCall,
  },
  prompt,
})
