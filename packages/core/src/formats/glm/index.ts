import type { Format, FormatAbout } from '../../format/format.ts'
import { grammarFormat } from '../../format/grammar-format.ts'
import type { ItemSpelling } from '../../format/write-items.ts'
import { withLineFeeds, withoutLineFeeds } from './grammar.ts'
import { callText, LAYOUT_45, LAYOUT_47 } from './layout.ts'
import type { Layout } from './layout.ts'
import { promptIn } from './prompt.ts'

/** Name, keys and values in tags, with line feeds between them. Its README describes it with examples. */
export const glm45: Format = grammarFormat({
  id: 'glm-4.5',
  servedAs: { vllm: ['glm45'], sglang: ['glm45', 'glm'] },
  unread: {
    opens: /<tool_call>\s{0,4}[^\s<>{}[\]]{1,80}\s{0,4}<(?:arg_key|\/tool_call)>/,
    body: { closes: '</tool_call>' },
  },
  about: aboutOf('GLM-4.5, GLM-4.6', 'GLM-4.6, sha256 8804f445…e0301'),
  grammar: withLineFeeds,
  spelling: spellingIn(LAYOUT_45),
  prompt: promptIn(LAYOUT_45),
})

/** `glm-4.5` without the line feeds; replies begin inside a thought. */
export const glm47: Format = grammarFormat({
  id: 'glm-4.7',
  servedAs: { vllm: ['glm47'], sglang: ['glm47'] },
  about: aboutOf('GLM-4.7, GLM-4.7-Flash; replies also of GLM-5', 'GLM-4.7-Flash, sha256 d63ad536…81375'),
  grammar: withoutLineFeeds,
  spelling: spellingIn(LAYOUT_47),
  prompt: promptIn(LAYOUT_47),
})

function aboutOf(models: string, template: string): FormatAbout {
  return { models, source: `chat template of ${template}`, licence: 'MIT' }
}

function spellingIn(layout: Layout): ItemSpelling {
  const { feed } = layout
  return {
    thought: { open: `${feed}<think>`, close: `</think>${feed}` },
    beforeCalls: feed,
    betweenCalls: feed,
    call: ({ name }, given) => `<tool_call>${callText(layout, name, given)}</tool_call>`,
  }
}
