import { functionTags, NEXT_PARAMETER, writeTaggedCall, taggedCall, TAG_INSTRUCTION } from '../shared-states.ts'
import type { Grammar } from '../../grammar/grammar.ts'
import { typeValueBySchema } from '../../grammar/values.ts'
import { grammarFormat } from '../../format/grammar-format.ts'
import type { Format } from '../../format/format.ts'
import type { Conversation, PromptOutcome, PartWriter } from '../../conversation/conversation.ts'
import { prompting, Refusal, partWriter } from '../../conversation/conversation.ts'
import { mapArguments, messageCalls, roleOf, textMember, printedMember } from '../../conversation/message-view.ts'
import type { PyDict, PyValue } from '@callspec/python'
import { strip, truthy } from '@callspec/python'
import { tagTool } from '../tag-tools.ts'
import { QWEN3_CODER_SPECIALS } from '../special-tokens.ts'

/** How replies are read. Thoughts do not exist: `<think>` is text. */
const grammar: Grammar = {
  start: 'text',
  stops: ['<|im_end|>', '<|endoftext|>'],
  states: {
    // > Let me look.\n\n<tool_call>
    //   ^
    text: { kind: 'text', isTrimmed: true, transitions: { '<tool_call>': 'call' } },
    ...functionTags({ close: '</tool_call>', after: 'text', nextKey: NEXT_PARAMETER }),
  },
  // One line feed at each end belongs to the format; history prints Python's True, False and None.
  typeValue: typeValueBySchema({ lineFeeds: 1, pythonWords: true }),
}

/** Functions and parameters in tags, values as text. Its README describes it with examples. */
export const qwen3Coder: Format = grammarFormat({
  id: 'qwen3-coder',
  specialTokens: QWEN3_CODER_SPECIALS,
  servedAs: { vllm: ['qwen3_coder', 'qwen3_xml'], sglang: ['qwen3_coder'] },
  unread: {
    opens: /(?:<tool_call>\s{0,8})?<function=[^>\s]{1,80}>\s{0,8}<(?:parameter=|\/function)/,
    body: { closes: '</function>' },
  },
  about: {
    models: 'Qwen3-Coder (30B, 480B)',
    source: 'chat template of Qwen3-Coder, sha256 5a38bfa0…6ab06',
    licence: 'Apache-2.0',
  },
  grammar,
  spelling: { beforeCalls: '\n\n', betweenCalls: '\n', call: writeTaggedCall },
  prompt,
})

/** The prompt as the template of Qwen3-Coder-30B and 480B writes it. */
function prompt({ messages, tools, options }: Conversation): PromptOutcome {
  return prompting(() => {
    if (messages.length === 0) throw new Refusal('there is no message')
    const writer = partWriter()
    const first = roleOf(messages[0]) === 'system' ? messages[0] : undefined
    // As in the template: a system message without the member content counts as no system message.
    const system = first?.has('content') === true ? textMember(first, 'content') : null
    writeSystem(writer, system, tools ?? [])
    const rest = first === undefined ? messages : messages.slice(1)
    for (const [index, message] of rest.entries()) writeMessage(writer, { message, index, rest })
    if (truthy(options.get('add_generation_prompt'))) writer.add('<|im_start|>', 'assistant\n')
    return writer.parts()
  })
}

function writeSystem(writer: PartWriter, system: string | null, tools: readonly PyValue[]): void {
  if (system === null && tools.length === 0) return
  writer.add('<|im_start|>', `system\n${system ?? DEFAULT_SYSTEM}`)
  if (tools.length > 0)
    writer.text(`${TOOLS_HEAD}${tools.map((tool) => tagTool(tool)).join('')}\n</tools>${TAG_INSTRUCTION}`)
  writer.add('<|im_end|>', '\n')
}

interface Place {
  readonly message: PyDict
  readonly index: number
  readonly rest: readonly PyDict[]
}

function writeMessage(writer: PartWriter, { message, index, rest }: Place): void {
  const role = roleOf(message)
  if (role === 'tool') {
    // Neighbouring results share a turn; as in the template: a result at the front has no head.
    if (index > 0 && roleOf(rest[index - 1]) !== 'tool') writer.add('<|im_start|>', 'user\n')
    writer.add('<tool_response>', `\n${printedMember(message, 'content')}\n`, '</tool_response>', '\n')
    if (roleOf(rest[index + 1]) !== 'tool') writer.add('<|im_end|>', '\n')
    return
  }
  const calls = role === 'assistant' ? messageCalls(message) : []
  if (calls.length === 0) {
    writer.add('<|im_start|>', `${role}\n${textMember(message, 'content')}`, '<|im_end|>', '\n')
    return
  }
  // As in the template: next to calls, content that is not a text is left out.
  const content = message.get('content')
  const said = typeof content === 'string' ? strip(content) : ''
  writer.add('<|im_start|>', `assistant${said === '' ? '' : `\n${said}\n`}`)
  for (const call of calls) {
    writer.text('\n')
    writer.add('<tool_call>', taggedCall(call.name, mapArguments(call)), '</tool_call>')
  }
  writer.add('<|im_end|>', '\n')
}

/**
 * The texts of the prompt, from the chat template of Qwen3-Coder (Apache-2.0; sha256 5a38bfa0…6ab06).
 */

/** What the system turn says where the conversation has no system message. */
const DEFAULT_SYSTEM = 'You are Qwen, a helpful AI assistant that can interact with a computer to solve tasks.'

/** Before the tools. */
const TOOLS_HEAD = '\n\n# Tools\n\nYou have access to the following functions:\n\n<tools>'
