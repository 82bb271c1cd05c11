import type { FormatException } from '../../format/format.ts'
import { PROFILES } from '../../profile.ts'
import type { ProfileName } from '../../profile.ts'
import type { ParseOptions, ParseOutcome } from '../../qwen-agent/prompt-format.ts'
import { qwenAgentFormat } from '../../qwen-agent/qwen-agent-format.ts'
import type { QwenAgentFormat } from '../../qwen-agent/qwen-agent-format.ts'
import { choiceName, readReply, replyMessages, resolveProfile } from '../../qwen-agent/reading.ts'
import { checkRequest, renderPrompt, toolRaiseAsInputError } from '../../qwen-agent/rendering.ts'
import { readTools } from '../../tool-description.ts'
import { nousPostprocessFncallMessages } from './parse.ts'
import { nousPreprocessFncallMessages, nousToolSection } from './render.ts'
import { granite40Prompt, granite41Prompt } from './granite.ts'
import { rekaPrompt } from './reka.ts'
import { STRICT_GRAMMAR, strictParts } from './strict.ts'
import { QWEN25_TEMPLATE, qwen25Prompt } from './template.ts'
import { spelling, STOP_WORDS, TOKENS } from './tokens.ts'
import { grammarFormat } from '../../format/grammar-format.ts'
import type { VersionParts } from '../../format/grammar-format.ts'
import { GRANITE4_SPECIALS, QWEN3_SPECIALS, REKA_SPECIALS } from '../special-tokens.ts'

const NOUS_PROFILES: readonly ProfileName[] = [...PROFILES.values()]
  .filter((profile) => profile.hasNous)
  .map((profile) => profile.name)

const ABOUT = { id: 'nous', stopWords: STOP_WORDS, profiles: NOUS_PROFILES, defaultProfile: 'main' } as const

/** The laws of readers that the format breaks because its reference does. */
const exceptions: readonly FormatException[] = [
  {
    law: 'no-marker-leak',
    breach: 'leaked </tool_call>',
    texts: /(?:^|<\/think>)(?:(?!<tool_call>)[^])*<\/tool_call>/,
    because: 'Text before the first <tool_call> is prose, even a </tool_call>.',
    case: 'a closing tag before the first call',
  },
  {
    law: 'round-trip',
    breach: 'call-differs',
    texts: /[\u2028\u2029]/,
    because: 'JSON5 has no raw line separators in strings, so such arguments are shown as a quoted text.',
    case: 'a line separator in a value',
  },
]

function granite(version: string, prompt: VersionParts['prompt'] & object): VersionParts {
  return {
    about: { models: `Granite ${version}`, source: `chat template of Granite ${version}`, licence: 'Apache-2.0' },
    specialTokens: GRANITE4_SPECIALS,
    servedAs: { vllm: ['granite4', 'hermes'] },
    prompt,
    make: () => ({ grammar: { ...STRICT_GRAMMAR, stops: ['<|end_of_text|>'] }, spelling }),
  }
}

/** The same calls in turns of other models, with prompts of their chat templates. */
const VERSIONS: { readonly [version: string]: VersionParts } = {
  'granite-4.0': granite('4.0', granite40Prompt),
  'granite-4.1': granite('4.1', granite41Prompt),
  'reka-edge': {
    about: { models: 'Reka Edge', source: 'chat template of Reka Edge, sha256 546b04db…', licence: 'MIT' },
    specialTokens: REKA_SPECIALS,
    servedAs: {},
    prompt: rekaPrompt,
    make: () => ({
      grammar: { ...STRICT_GRAMMAR, stops: ['<sep>'] },
      spelling: { ...spelling, thought: { open: '<think>\n', close: '\n</think>\n\n' }, betweenCalls: '' },
    }),
  },
}

/**
 * The XML-like format of Qwen-Agent (`fncall_prompt_type: nous`), elsewhere known as hermes. Its README describes it
 * with examples.
 */
export const nous: QwenAgentFormat = qwenAgentFormat(grammarFormat({ ...strictParts(), versions: VERSIONS }), {
  ...ABOUT,
  tokens: TOKENS,
  aliases: ['hermes', 'hermes_tool_call_xml'],
  exceptions,
  unread: { opens: /<tool_call>\s{0,8}\{/, body: 'json' },
  recordedAs: 'fncall-nous',
  servedAs: { vllm: ['hermes'], sglang: ['qwen25', 'hermes'] },
  specialTokens: QWEN3_SPECIALS,
  traits: {
    severalCalls: true,
    ids: false,
    reasoning: false,
    typedValues: false,
    quotedCalls: { shown: 'read-with-issue', escaped: 'text' },
    onlyMarkedCalls: true,
  },
  prompts: { [QWEN25_TEMPLATE]: qwen25Prompt },
  parse: parseNous,
  renderTools: ({ tools, codeMode = false, profile: asked }) => {
    const profile = resolveProfile(asked, ABOUT)
    return toolRaiseAsInputError(tools, () =>
      nousToolSection(readTools(tools), { codeMode: codeMode && profile.nousCodeMode, profile }),
    )
  },
  render: (asked) => {
    const { request, functions, profile } = checkRequest(asked, ABOUT)
    return renderPrompt(request, profile, (messages) =>
      nousPreprocessFncallMessages({
        messages,
        functions,
        lang: request.language,
        functionChoice: choiceName(request),
        codeMode: request.codeMode ?? false,
        profile,
      }),
    )
  },
})

function parseNous(text: string, options: ParseOptions = {}): ParseOutcome {
  return readReply(text, {
    format: ABOUT,
    options,
    read: (reply) =>
      nousPostprocessFncallMessages(
        {
          messages: replyMessages(reply.text, reply.profile),
          functionChoice: choiceName(options),
          codeMode: options.codeMode ?? false,
          thoughtInContent: options.thoughtInContent ?? false,
          profile: reply.profile,
        },
        reply.note,
      ),
  })
}
