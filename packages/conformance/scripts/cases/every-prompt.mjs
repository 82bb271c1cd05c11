// The same conversations in the prompts of every format whose maker's chat template is the one that callspec writes.
//
// The answers are those of `prompt` in core. What Jinja2 3.1.6 makes of the templates that the adapter of llama.cpp lists, under
// the settings of transformers, is the same text: template-prompts.test.ts of cli asks where the templates are at hand.
import { formatNamed, joinParts } from '@callspec/core'

import { CONVERSATIONS } from './conversations.mjs'
import { report } from './nous-reply.mjs'

/** Of the others the templates differ from copy to copy, in default system texts or dates. */
const FORMATS = {
  'llama3-json': 'llama3-json',
  'qwen3.5': 'qwen3.5',
  'glm-4.5': 'glm',
  'glm-4.7': 'glm',
  'gemma-4': 'gemma',
  'minimax-m2': 'minimax-m2',
  'seed-oss': 'seed-oss',
  lfm2: 'pythonic',
  'lfm2.5': 'pythonic',
}

/** Topic, what it is about, and its report. */
const TOPICS = {
  basic: ['The conversation in the prompt.'],
  tools: ['The tools in the prompt.', 'QwenLM/qwen-code#6338'],
  values: ['Texts and numbers in the prompt.', 'ngxson/wllama#127'],
  history: ['Calls, results and prose of a conversation in the prompt.', 'huggingface/text-generation-inference#3247'],
}

/** What a format refuses, such as two calls in one turn, is left out. */
export const PROMPT_CASES = Object.entries(FORMATS).flatMap(([id, folder]) => {
  const { about, prompt } = formatNamed(id)
  return CONVERSATIONS.flatMap(({ topic, name, about: words, input }) => {
    const [topicAbout, evidence] = TOPICS[topic]
    const asked = new Map([...input, ['add_generation_prompt', true]])
    const { messages, tools } = Object.fromEntries(asked)
    const options = new Map([['add_generation_prompt', true]])
    const outcome = prompt({ messages, tools, options }, 'strict')
    if (outcome.kind === 'refused') return []
    return [
      {
        ...{ format: id, op: 'render', topic, topicAbout, name, about: words, input: asked },
        ...(evidence === undefined ? {} : { evidence: [report(evidence)] }),
        provenance: { kind: 'template', source: about.source, licence: about.licence },
        expected: { text: joinParts(outcome.parts) },
        writtenFor: `packages/core/src/formats/${folder}/README.md`,
      },
    ]
  })
})
