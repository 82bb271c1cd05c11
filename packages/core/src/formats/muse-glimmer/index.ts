import { grammarFormat } from '../../format/grammar-format.ts'
import type { Format } from '../../format/format.ts'
import { MUSE_GLIMMER_SPECIALS } from '../special-tokens.ts'
import { grammar, MESSAGE, NEXT, START, write } from './grammar.ts'
import { prompt } from './prompt.ts'

/** Messages with recipients, and invokes in them. Its README describes it with examples. */
export const museGlimmer: Format = grammarFormat({
  id: 'muse-glimmer',
  specialTokens: MUSE_GLIMMER_SPECIALS,
  servedAs: { vllm: ['muse_glimmer'], sglang: ['muse'] },
  unread: { opens: /<atem:function_calls>\s{0,8}</, body: { closes: '</atem:invoke>' } },
  about: {
    models: 'Muse Glimmer',
    source: 'chat template of Muse Glimmer in vLLM, sha256 a3e32125…53f5',
    licence: 'Apache-2.0',
  },
  grammar,
  spelling: {
    thought: { open: ` to=self${MESSAGE}`, close: `${NEXT}${START}assistant` },
    call: () => '',
  },
  write,
  markers: { head: { open: START, close: MESSAGE } },
  prompt,
})
