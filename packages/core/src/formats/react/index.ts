import { exceptions } from './exceptions.ts'
import type { BuiltInFormat, ParseOptions } from '../../format.ts'
import type { Format } from '../../format/format.ts'
import { qwenAgentFormat } from '../../format/qwen-agent-format.ts'
import { withStrictVersion } from '../../format/strict-version.ts'
import * as total from '../../outcome/formats.ts'
import { PROFILE_NAMES } from '../../profile.ts'
import { readTools } from '../../tool-description.ts'
import { raiseAsInputError, toolRaiseAsInputError } from '../prompt.ts'
import { readReply, resolveProfile } from '../reply.ts'
import { checkRequest } from '../request.ts'
import { detectTool } from './parse.ts'
import { handedOver } from './agent-tool.ts'
import { readReact } from './parse.ts'
import { reactToolDescriptions } from './prompt.ts'
import { renderReact } from './render.ts'
import { strictGrammar } from './strict.ts'
import { MODELS, PARTIAL_STOP_WORDS, STOP_WORDS, TOKENS, spelling } from './tokens.ts'

const ABOUT = {
  id: 'react',
  stopWords: STOP_WORDS,
  partialStopWords: PARTIAL_STOP_WORDS,
  profiles: PROFILE_NAMES,
  defaultProfile: 'main',
} as const

/** A format that the reference knows as an agent: its prompt and the reading of its replies as members. */
export interface ReactFormat extends BuiltInFormat {
  readonly buildReactPrompt: typeof total.buildReactPrompt
  readonly detectTool: typeof detectTool
}

/** The Thought / Action / Observation text of Qwen-Agent's `ReActChat`. Its README describes it with examples. */
export const react: ReactFormat & Format = withStrictVersion(
  qwenAgentFormat<ReactFormat>(
    {
      ...ABOUT,
      tokens: TOKENS,
      buildReactPrompt: total.buildReactPrompt,
      detectTool,
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
      parse: (text, options: ParseOptions = {}) =>
        readReply(text, { format: ABOUT, options, read: (reply) => readReact(reply, options) }),
    },
    {
      exceptions,
      models: MODELS,
      spelling,
      traits: { severalCalls: false, ids: false, reasoning: false, typedValues: false, onlyMarkedCalls: true },
    },
  ),
  { grammar: strictGrammar, spelling },
)
