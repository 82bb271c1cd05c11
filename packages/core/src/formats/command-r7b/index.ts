import type { Format } from '../../format/format.ts'
import { grammarFormat } from '../../format/grammar-format.ts'
import { grammar } from './grammar.ts'
import { SPELLING } from './write.ts'

/** A list of actions between tags; without a prompt, whose text may not be copied. Its README describes it with examples. */
export const commandR7b: Format = grammarFormat({
  id: 'command-r7b',
  servedAs: { vllm: ['cohere_command3', 'cohere_command4'], sglang: ['cohere_command4'] },
  unread: { opens: /<\|START_ACTION\|>\s{0,4}\[/, body: 'json' },
  about: {
    models: 'Command R7B, Command A',
    source: 'melody 0.5.1 and the tool-use template of Command R7B',
    licence: 'CC-BY-NC-4.0 (of the template, which is not here)',
  },
  grammar,
  spelling: SPELLING,
  prompt: null,
})
