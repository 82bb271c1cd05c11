import type { Format } from '../../format/format.ts'
import { grammarFormat } from '../../format/grammar-format.ts'
import { grammar } from './grammar.ts'
import { prompt } from './prompt.ts'
import { writeCall } from './write.ts'

/** Functions and parameters in tags, values as Python prints them. Its README describes it with examples. */
export const seedOss: Format = grammarFormat({
  id: 'seed-oss',
  servedAs: { vllm: ['seed_oss'] },
  unread: { opens: /<seed:tool_call>/, body: { closes: '</function>' } },
  about: {
    models: 'Seed-OSS-36B',
    source: 'chat template of Seed-OSS, sha256 3f9e0dc4…30d3',
    licence: 'Apache-2.0',
  },
  grammar,
  spelling: {
    thought: { open: '\n<seed:think>', close: '</seed:think>\n' },
    beforeCalls: '\n\n',
    betweenCalls: '\n',
    call: writeCall,
  },
  prompt,
})
