import type { FormatException } from '../../format/format.ts'
import { PROFILE_NAMES } from '../../profile.ts'
import { qwenAgentFormat } from '../../qwen-agent/qwen-agent-format.ts'
import type { QwenAgentFormat } from '../../qwen-agent/qwen-agent-format.ts'
import { readReply, resolveProfile } from '../../qwen-agent/reading.ts'
import { checkRequest, raiseAsInputError, toolRaiseAsInputError } from '../../qwen-agent/rendering.ts'
import { readTools } from '../../tool-description.ts'
import { handedOver } from './agent-tool.ts'
import { readReact } from './parse.ts'
import { reactToolDescriptions, renderReact } from './prompt.ts'
import { reactStrict } from './strict.ts'
import { PARTIAL_STOP_WORDS, STOP_WORDS, TOKENS } from './tokens.ts'
import { QWEN_SPECIALS } from '../special-tokens.ts'

const ABOUT = {
  id: 'react',
  specialTokens: QWEN_SPECIALS,
  stopWords: STOP_WORDS,
  partialStopWords: PARTIAL_STOP_WORDS,
  profiles: PROFILE_NAMES,
  defaultProfile: 'main',
} as const

/** The laws of readers that the format breaks because its reference does. */
const exceptions: readonly FormatException[] = [
  {
    law: 'no-marker-leak',
    breach: 'leaked Action:',
    texts: /\nAction:[^]*\nAction:/,
    because: 'The last Action counts, and everything before it is the thought (Q19).',
    case: 'two actions',
  },
  {
    law: 'no-marker-leak',
    breach: 'leaked Action Input:',
    texts: /\nAction Input:[^]*\nAction:/,
    because: 'The last Action counts, and everything before it is the thought (Q19).',
    case: 'an input before the action',
  },
  {
    law: 'truncation-honesty',
    breach: 'broken-arguments',
    texts: /\nAction Input:\s*```/,
    because: 'A Markdown block is how agents hand over code, so it is well-formed, cut off or not.',
    case: 'a code block that is not closed',
  },
]

/** The Thought / Action / Observation text of Qwen-Agent's `ReActChat`. Its README describes it with examples. */
export const react: QwenAgentFormat = qwenAgentFormat(reactStrict, {
  ...ABOUT,
  tokens: TOKENS,
  exceptions,
  traits: {
    severalCalls: false,
    ids: false,
    reasoning: false,
    typedValues: false,
    quotedCalls: { shown: 'read-with-issue', escaped: 'read' },
    onlyMarkedCalls: true,
  },
  parse: (text, options = {}) =>
    readReply(text, { format: ABOUT, options, read: (reply) => readReact(reply, options) }),
  renderTools: ({ tools, profile }) => {
    const version = resolveProfile(profile, ABOUT)
    return toolRaiseAsInputError(tools, () => reactToolDescriptions(handedOver(readTools(tools), version)))
  },
  render: (asked) => {
    const { request, functions, profile } = checkRequest(asked, ABOUT)
    const { language } = request
    return toolRaiseAsInputError(request.tools, () =>
      raiseAsInputError(request.messages, profile, (messages) =>
        renderReact({ messages, functions: handedOver(functions, profile), language, profile }),
      ),
    )
  },
})
