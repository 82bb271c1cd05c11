import { grammarFormat } from '../../format/grammar-format.ts'
import type { Format } from '../../format/format.ts'
import { grammar } from './grammar.ts'
import { prompt } from './prompt.ts'
import { writeCall } from './write.ts'

/** Functions and parameters in tags, values as text. Its README describes it with examples. */
export const qwen3Coder: Format = grammarFormat({
  id: 'qwen3-coder',
  servedAs: { vllm: ['qwen3_coder', 'qwen3_xml'], sglang: ['qwen3_coder'] },
  unread: {
    opens: /(?:<tool_call>\s{0,8})?<function=[^>\s]{1,80}>\s{0,8}<(?:parameter=|\/function)/,
    body: { closes: '</function>' },
  },
  about: {
    models: 'Qwen3-Coder (30B, 480B)',
    source: 'chat template of Qwen3-Coder, sha256 5a38bfa0…6ab06',
    licence: 'Apache-2.0',
  },
  grammar,
  spelling: { beforeCalls: '\n\n', betweenCalls: '\n', call: writeCall },
  prompt,
})
