import { InputError } from '@callspec/python'
import { prompting, Refusal } from '../conversation/conversation.ts'
import type { Conversation, PromptOutcome, PromptPart } from '../conversation/conversation.ts'
import { partWriter } from '../conversation/conversation.ts'
import { qwenMessages } from '../conversation/qwen-messages.ts'
import type { Format, FormatException, FormatMarkers, FormatNotes, FormatTraits } from '../format/format.ts'
import { grammarParts, keepParts } from '../format/grammar-format.ts'
import { toolOf } from '../grammar/values.ts'
import type { Content } from '../messages/message.ts'
import type { FormatTokens, PromptFormat, PromptMessage, RenderToolsRequest } from './prompt-format.ts'
import { END_TOKENS, readWhole, wholeReader } from './reading.ts'
import type { VersionedFormat } from './reading.ts'

/**
 * A format of Qwen-Agent: its versions read and write as that program does, replies and prompts as messages; `strict` is read by a grammar,
 * as all other formats are.
 */
export interface QwenAgentFormat extends Format, PromptFormat, VersionedFormat {
  readonly stopWords: readonly string[]
  readonly partialStopWords?: ReadonlyMap<string, string>
  readonly tokens: FormatTokens
  readonly renderTools: (request: RenderToolsRequest) => string
}

/** What a format of Qwen-Agent has in addition to its version `strict`. */
interface QwenAgentParts extends FormatNotes, VersionedFormat {
  readonly tokens: FormatTokens
  readonly traits: FormatTraits
  readonly parse: PromptFormat['parse']
  readonly render: PromptFormat['render']
  readonly renderTools: QwenAgentFormat['renderTools']
  /** Prompts of further versions, by their names; their replies are read as those of `strict`. */
  readonly prompts?: Readonly<Record<string, (conversation: Conversation) => PromptOutcome>>
}

/** The law of readers that all versions of Qwen-Agent break. */
const READS_WHOLE: FormatException = {
  law: 'linear-work',
  breach: 'too-much-work',
  texts: /^[^]{4000}/,
  because: 'Versions of Qwen-Agent read the whole text for each snapshot, as their reference does.',
  case: 'a long reply with many snapshots',
}

/** The format that has the versions of Qwen-Agent, `strict`, and those of the further prompts. */
export function qwenAgentFormat(strict: Format, { prompts = {}, ...parts }: QwenAgentParts): QwenAgentFormat {
  const { profiles, defaultProfile, stopWords, partialStopWords, tokens } = parts
  const ofStrict = strict.versions.filter((version) => version !== 'strict')
  const isStrict = (version = ''): boolean => strict.versions.includes(version) || Object.hasOwn(prompts, version)
  const versions = [...new Set([defaultProfile, ...profiles])].map((name) => `qwen-agent@${name}`)
  const { about, write } = strict
  const format: QwenAgentFormat = {
    ...parts,
    exceptions: [...(parts.exceptions ?? []), READS_WHOLE],
    about,
    write,
    stops: {
      end: END_TOKENS,
      handOver: [],
      words: stopWords,
      ...(partialStopWords === undefined ? {} : { partials: partialStopWords }),
    },
    markers: markersOf(tokens),
    createReader: (options) =>
      isStrict(options?.version) ? strict.createReader(options) : wholeReader(parts, options),
    read: (text, options) =>
      isStrict(options?.version) ? strict.read(text, options) : readWhole(parts, text, options),
    versions: [...versions, 'strict', ...Object.keys(prompts), ...ofStrict],
    readVersions: [...versions, ...(strict.readVersions ?? ['strict'])],
    ...(strict.inVersion === undefined ? {} : { inVersion: strict.inVersion }),
    prompt: (conversation, version = 'strict') => {
      const further = strict.inVersion?.(version)?.prompt ?? null
      if (further !== null) return further(conversation)
      const own = Object.hasOwn(prompts, version) ? prompts[version] : undefined
      return own?.(conversation) ?? promptOf(parts, conversation, version === 'strict' ? undefined : version)
    },
  }
  keepParts(format, () => grammarParts(strict))
  return format
}

function markersOf({ thought, others = [], ...calls }: FormatTokens): FormatMarkers {
  return { ...calls, thought: thought === undefined ? null : { open: thought.start, close: thought.end }, others }
}

/** The prompt of Qwen-Agent in ChatML. */
function promptOf(
  { render }: Pick<PromptFormat, 'render'>,
  conversation: Conversation,
  version: string | undefined,
): PromptOutcome {
  const { tools, options } = conversation
  return prompting(() => {
    const bare = (tools ?? []).map((tool) => toolOf(tool) ?? refuse('a tool is not an object'))
    const messages = refusing(() =>
      render({
        messages: qwenMessages(conversation),
        tools: bare,
        language: options.get('lang') === 'zh' ? 'zh' : 'en',
        parallelCalls: options.get('parallel_tool_calls') === true,
        toolChoice: 'auto',
        ...(version === undefined ? {} : { profile: version }),
      }),
    )
    return chatMl(messages)
  })
}

/** A conversation that the format cannot show is refused; it is not an error of the caller. */
function refusing<T>(run: () => T): T {
  try {
    return run()
  } catch (error) {
    if (error instanceof InputError) throw new Refusal(error.message)
    throw error
  }
}

function refuse(reason: string): never {
  throw new Refusal(reason)
}

/** One turn after the other; a last one of the assistant goes on, else a new one begins. */
function chatMl(turns: readonly PromptMessage[]): readonly PromptPart[] {
  const writer = partWriter()
  for (const [index, { role, content }] of turns.entries()) {
    writer.add('<|im_start|>', `${role}\n${contentText(content)}`)
    if (role === 'assistant' && index === turns.length - 1) return writer.parts()
    writer.add('<|im_end|>', '\n')
  }
  writer.add('<|im_start|>', 'assistant\n')
  return writer.parts()
}

function contentText(content: Content): string {
  return typeof content === 'string' ? content : refuse('images, audio and video cannot be shown as text')
}
