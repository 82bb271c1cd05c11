import type { FormatException } from '../../format/format.ts'
import type { Message } from '../../messages/message.ts'
import { PROFILE_NAMES } from '../../profile.ts'
import type { ParseOptions, ParseOutcome } from '../../qwen-agent/prompt-format.ts'
import { qwenAgentFormat } from '../../qwen-agent/qwen-agent-format.ts'
import type { QwenAgentFormat } from '../../qwen-agent/qwen-agent-format.ts'
import { choiceName, readReply, replyMessages, resolveProfile } from '../../qwen-agent/reading.ts'
import type { ReplyText } from '../../qwen-agent/reading.ts'
import { checkRequest, renderPrompt, toolRaiseAsInputError } from '../../qwen-agent/rendering.ts'
import { readTools } from '../../tool-description.ts'
import { callStart, colonLength, isForced, qwenPostprocessFncallMessages } from './parse.ts'
import { qwenPreprocessFncallMessages, qwenToolSection } from './render.ts'
import { qwenStrict } from './strict.ts'
import { PARTIAL_STOP_WORDS, STOP_WORDS, TOKENS } from './tokens.ts'
import { QWEN_SPECIALS } from '../special-tokens.ts'

const ABOUT = {
  id: 'qwen',
  specialTokens: QWEN_SPECIALS,
  stopWords: STOP_WORDS,
  partialStopWords: PARTIAL_STOP_WORDS,
  profiles: PROFILE_NAMES,
  defaultProfile: 'v0.0.26',
} as const

/** The laws of readers that the format breaks because its reference does. */
const exceptions: readonly FormatException[] = [
  {
    law: 'no-marker-leak',
    breach: 'leaked ✿ARGS✿:',
    texts: /^(?:(?!✿FUNCTION✿:)[^])*✿ARGS✿:/,
    because: 'Text before the first ✿FUNCTION✿: is prose, even an ✿ARGS✿:.',
    case: 'arguments before the name',
  },
  {
    law: 'truncation-honesty',
    breach: 'broken-arguments',
    texts: /✿ARGS✿:\s*```/,
    because: 'A Markdown block is how the format hands over code, so it is well-formed, cut off or not.',
    case: 'a code block that is not closed',
  },
]

/**
 * The ✿ format of Qwen-Agent (`fncall_prompt_type: qwen`). Its README describes it with examples.
 *
 * The default profile is v0.0.26, the last one in which it works from end to end (spec Q1 to Q3).
 */
export const qwen: QwenAgentFormat = qwenAgentFormat(qwenStrict, {
  ...ABOUT,
  tokens: TOKENS,
  exceptions,
  recordedAs: 'fncall-qwen',
  traits: {
    severalCalls: true,
    ids: false,
    reasoning: false,
    typedValues: false,
    quotedCalls: { shown: 'read-with-issue', escaped: 'read' },
    onlyMarkedCalls: true,
  },
  parse: parseQwen,
  renderTools: ({ tools, language, parallelCalls, profile }) =>
    toolRaiseAsInputError(tools, () =>
      qwenToolSection(readTools(tools), {
        lang: language,
        parallelFunctionCalls: parallelCalls,
        profile: resolveProfile(profile, ABOUT),
      }),
    ),
  render: (asked) => {
    const { request, functions, profile } = checkRequest(asked, ABOUT)
    return renderPrompt(request, profile, (messages) =>
      qwenPreprocessFncallMessages({
        messages,
        functions,
        lang: request.language,
        parallelFunctionCalls: request.parallelCalls,
        functionChoice: choiceName(request),
        profile,
      }),
    )
  },
})

function parseQwen(text: string, options: ParseOptions = {}): ParseOutcome {
  return readReply(text, { format: ABOUT, options, read: (reply) => readQwen(reply, options) })
}

function readQwen({ text, profile, note }: ReplyText, options: ParseOptions): readonly Message[] {
  const functionChoice = choiceName(options)
  const start = isForced(functionChoice) ? callStart(text, functionChoice) : ''
  const colon = start === '' ? colonLength(text) : 0
  if (colon > 0) note('marker-removed', { start: 0, end: colon })
  // The spans that come back are offsets into the text as it is read: with the start added, or the colon removed.
  const offset = colon - start.length
  const at = (position: number): number => Math.max(0, position + offset)
  return qwenPostprocessFncallMessages(
    {
      messages: replyMessages(text, profile),
      parallelFunctionCalls: options.parallelCalls ?? false,
      functionChoice,
      profile,
    },
    {
      note: (code, span) => note(code, { start: at(span.start), end: at(span.end) }),
      checksArguments: options.rawArguments !== true,
    },
  )
}
