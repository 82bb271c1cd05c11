import type { Format } from '../../format/format.ts'
import { grammarFormat } from '../../format/grammar-format.ts'
import { grammar } from './grammar.ts'
import { prompt } from './prompt.ts'
import { SECTION, writeCall } from './write.ts'

/** Invokes and named parameters in one wrapper, values as text. Its README describes it with examples. */
export const minimaxM2: Format = grammarFormat({
  id: 'minimax-m2',
  servedAs: { vllm: ['minimax_m2'], sglang: ['minimax-m2'] },
  unread: { opens: /<minimax:tool_call>\s{0,8}</, body: { closes: '</invoke>' } },
  about: {
    models: 'MiniMax-M2; replies also of M2.1 and M2.5',
    source: 'chat template of MiniMax-M2, sha256 967ff7e3…ea001',
    licence: 'MIT',
  },
  grammar,
  spelling: {
    thought: { open: '<think>\n', close: '\n</think>\n\n' },
    beforeCalls: '\n',
    section: { open: `${SECTION.open}\n`, close: SECTION.close },
    call: writeCall,
  },
  prompt,
})
