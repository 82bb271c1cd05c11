import type { Format } from '../../format/format.ts'
import { grammarFormat } from '../../format/grammar-format.ts'
import { grammar } from './grammar.ts'
import { spelling } from './write.ts'

/** Sections between special tokens, typed arguments. Reading and writing only, and from descriptions alone. */
export const kimiK3: Format = grammarFormat({
  id: 'kimi-k3',
  servedAs: { vllm: ['kimi_k3'], sglang: ['kimi_k3'] },
  unread: { opens: /<\|open\|>(?:tools<\|sep\|>|call tool=)/, body: { closes: '<|close|>call<|sep|>' } },
  about: {
    models: 'Kimi K3',
    source: 'descriptions of the maker’s encoder at f831ab6',
    licence: 'none: no text is quoted',
  },
  grammar,
  spelling,
  prompt: null,
})
