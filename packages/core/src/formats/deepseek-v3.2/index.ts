import type { Format } from '../../format/format.ts'
import { grammarFormat } from '../../format/grammar-format.ts'
import { grammarOf, V32, V4, V41, spellingOf } from './grammar.ts'
import { promptV32 } from './prompt.ts'
import { promptV4, promptV41 } from './prompt-v4.ts'
import { DSML_SPECIALS } from '../special-tokens.ts'

/** Calls and arguments in tags that say whether a value is a text. Its README describes it with examples. */
export const deepseekV32: Format = grammarFormat({
  id: 'deepseek-v3.2',
  specialTokens: DSML_SPECIALS,
  servedAs: { vllm: ['deepseek_v32'], sglang: ['deepseekv32'] },
  unread: { opens: /<｜DSML｜(?:function_calls>|tool_calls>|invoke name=)/, body: { closes: '</｜DSML｜invoke>' } },
  about: { models: 'DeepSeek V3.2', source: 'encoding_dsv32.py of DeepSeek-V3.2', licence: 'MIT' },
  make: () => ({ grammar: grammarOf(V32), spelling: spellingOf(V32) }),
  prompt: promptV32,
})

/** The same with another name of the block, and prompts of its own. */
export const deepseekV4: Format = grammarFormat({
  id: 'deepseek-v4',
  specialTokens: DSML_SPECIALS,
  servedAs: { vllm: ['deepseek_v4'], sglang: ['deepseekv4'] },
  about: {
    models: 'DeepSeek V4',
    source: 'encoding_dsv4.py of DeepSeek-V4, as vLLM at 2dbd5be has it',
    licence: 'MIT',
  },
  make: () => ({ grammar: grammarOf(V4), spelling: spellingOf(V4) }),
  prompt: promptV4,
})

/** V4 with a blank in every tag, and turns of the system. */
export const deepseekV41: Format = grammarFormat({
  id: 'deepseek-v4.1',
  specialTokens: DSML_SPECIALS,
  unread: { opens: /<｜DSML｜ (?:calls>|invoke name=)/, body: { closes: '</｜DSML｜ invoke>' } },
  servedAs: { vllm: ['deepseek_v41'], sglang: ['deepseekv41'] },
  about: {
    models: 'DeepSeek V4.1',
    source: 'encoder of DeepSeek-V4.1, as SGLang 0.5.22 has it (encoding_dsv41.py)',
    licence: 'MIT',
  },
  make: () => ({ grammar: grammarOf(V41), spelling: spellingOf(V41) }),
  prompt: promptV41,
})
