import type { Format, FormatAbout } from '../../format/format.ts'
import { grammarFormat } from '../../format/grammar-format.ts'
import type { ItemSpelling } from '../../format/write-items.ts'
import { grammar } from './grammar.ts'
import { prompt, thinkingPrompt } from './prompt.ts'
import { SECTION, writeCall } from './write.ts'

const SPELLING: ItemSpelling = {
  thought: { open: '<think>', close: '</think>' },
  section: SECTION,
  call: writeCall,
}

const ABOUT: Omit<FormatAbout, 'models'> = {
  source: 'chat template of Kimi-K2-Instruct-0905 and tool_call_guidance.md',
  licence: 'Modified MIT',
}

/** Calls between special tokens; the id is part of the grammar. Its README describes it with examples. */
export const kimiK2: Format = grammarFormat({
  id: 'kimi-k2',
  servedAs: { vllm: ['kimi_k2'], sglang: ['kimi_k2'] },
  unread: { opens: /<\|tool_calls_section_begin\|>|<\|tool_call_begin\|>/, body: 'json' },
  about: { models: 'Kimi K2 Instruct, K2.5 to K2.7', ...ABOUT },
  grammar,
  spelling: SPELLING,
  prompt,
})

/** `kimi-k2` with the prompt of the thinking models. */
export const kimiK2Thinking: Format = grammarFormat({
  id: 'kimi-k2-thinking',
  servedAs: { vllm: ['kimi_k2'], sglang: ['kimi_k2'] },
  about: { models: 'Kimi K2 Thinking', ...ABOUT },
  grammar,
  spelling: SPELLING,
  prompt: thinkingPrompt,
})
