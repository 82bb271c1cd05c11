import { isList, str, truthy } from '@callspec/python'
import type { PyDict } from '@callspec/python'
import { partWriter, prompting, Refusal } from '../../conversation/conversation.ts'
import type { Conversation, PartWriter, PromptOutcome } from '../../conversation/conversation.ts'
import { END, THOUGHT, TURNS, V4, V41 } from './grammar.ts'
import type { Tags } from './grammar.ts'
import { mergeResults } from './merge-results.ts'
import type { V4Turn } from './merge-results.ts'
import { addCalls, addSections, contentOr, messagesWithTools } from './prompt.ts'

/** The prompt as the maker's encoder of V4 writes it. */
export function promptV4(conversation: Conversation): PromptOutcome {
  return write(conversation, EDITION_V4)
}

/** That of V4.1. */
export function promptV41(conversation: Conversation): PromptOutcome {
  return write(conversation, EDITION_V41)
}

/** In what the encoders differ. */
interface Edition {
  readonly tags: Tags
  /** What a prompt that asks for thoughts begins with. */
  readonly effort: (options: PyDict) => string
  /** Whether a token begins what the system says; a later message of it then asks for an answer, as one of the user does. */
  readonly hasSystemTurns: boolean
}

function write(conversation: Conversation, edition: Edition): PromptOutcome {
  return prompting(() => {
    const { options } = conversation
    const messages = messagesWithTools(conversation)
    if (edition.hasSystemTurns) refuseLists(messages)
    const isThinking = truthy(options.get('thinking'))
    // With any tools thoughts stay.
    const drops = options.get('drop_thinking') !== false && !messages.some((message) => truthy(message.get('tools')))
    const all = mergeResults(messages)
    const lastOfAll = lastQuestionTurn(all, edition)
    const turns = all.filter(({ role }, index) => !isThinking || !drops || role !== 'developer' || index >= lastOfAll)
    const writer = partWriter()
    writer.add(TURNS.begin)
    const effort = turns.length === 0 ? '' : edition.effort(options)
    const begins = edition.hasSystemTurns && turns.length > 0 && (isThinking || turns[0]?.role === 'system')
    if (begins) writer.add(SYSTEM)
    if (isThinking) writer.text(effort)
    const lastTurn = lastQuestionTurn(turns, edition)
    const isShown = (index: number): boolean => isThinking && (!drops || index >= lastTurn)
    for (const [index, turn] of turns.entries()) {
      if (edition.hasSystemTurns && turn.role === 'system' && index > 0) writer.add(SYSTEM)
      writeTurn(writer, turn, { edition, isThoughtShown: isShown(index) })
      if (goesOn(turns, index, edition)) writer.add(TURNS.assistant, '', THOUGHT[isShown(index) ? 0 : 1])
    }
    return writer.parts()
  })
}

/** Of V4.1, before what the system says. */
const SYSTEM = '<｜System｜>'

function refuseLists(messages: readonly PyDict[]): void {
  if (messages.some((message) => isList(message.get('content') ?? null)))
    throw new Refusal('the content of a message is a list: pictures are not covered')
}

function isQuestion({ role }: V4Turn, index: number, { hasSystemTurns }: Edition): boolean {
  return role === 'user' || role === 'developer' || (hasSystemTurns && role === 'system' && index > 0)
}

function lastQuestionTurn(turns: readonly V4Turn[], edition: Edition): number {
  return turns.findLastIndex((turn, index) => isQuestion(turn, index, edition))
}

/** After a question the model speaks, unless another message follows. */
function goesOn(turns: readonly V4Turn[], index: number, edition: Edition): boolean {
  const [turn, next] = [turns[index], turns[index + 1]]
  if (turn === undefined || !isQuestion(turn, index, edition)) return false
  return next === undefined || next.role === 'assistant' || next.role === 'latest_reminder'
}

interface Manner {
  readonly edition: Edition
  readonly isThoughtShown: boolean
}

function writeTurn(writer: PartWriter, turn: V4Turn, { edition, isThoughtShown }: Manner): void {
  if ('blocks' in turn) return writer.add(TURNS.user, turn.blocks.map(({ text }) => text).join('\n\n'))
  const { role, message } = turn
  switch (role) {
    case 'system':
      writer.text(contentOr(message))
      return addSections(writer, message, toolsOf(edition.tags))
    case 'developer':
      if (contentOr(message) === '') throw new Refusal('a message of developer says nothing')
      writer.add(TURNS.user, contentOr(message))
      return addSections(writer, message, toolsOf(edition.tags))
    case 'latest_reminder':
      return writer.add(TURNS.reminder, str(message.get('content') ?? null))
    case 'assistant':
      return writeAnswer(writer, message, { edition, isThoughtShown })
    default:
      throw new Refusal(`there is no role "${role}"`)
  }
}

function writeAnswer(writer: PartWriter, message: PyDict, { edition, isThoughtShown }: Manner): void {
  const thought = message.get('reasoning_content') ?? null
  if (isThoughtShown) {
    writer.text(truthy(thought) ? str(thought) : '')
    writer.add(THOUGHT[1])
  }
  writer.text(contentOr(message))
  addCalls(writer, message, edition.tags)
  writer.add(END)
}

/** The texts of the prompts, from the maker's encoders of DeepSeek-V4 and V4.1 (MIT). Functions are between the two halves, one a line. */
const toolsOf = ({ block, call, argument }: Tags): readonly [string, string] => [
  `## Tools

You have access to a set of tools to help answer the user's question. You can invoke tools by writing a "<${block}>" block like the following:

<${block}>
<${call} name="$TOOL_NAME">
<${argument} name="$PARAMETER_NAME" string="true|false">$PARAMETER_VALUE</${argument}>
...
</${call}>
<${call} name="$TOOL_NAME2">
...
</${call}>
</${block}>

String parameters should be specified as is and set \`string="true"\`. For all other types (numbers, booleans, arrays, objects), pass the value in JSON format and set \`string="false"\`.

If thinking_mode is enabled (triggered by <think>), you MUST output your complete reasoning inside <think>...</think> BEFORE any tool calls or final response.

Otherwise, output directly after </think> with tool calls or final response.

### Available Tool Schemas

`,
  '\n\nYou MUST strictly follow the above defined tool name and parameter schemas to invoke tool calls.\n',
]

/** The beginning of prompts of V4 with the effort `max`. */
const V4_EFFORT_MAX = `Reasoning Effort: Absolute maximum with no shortcuts permitted.
You MUST be very thorough in your thinking and comprehensively decompose the problem to resolve the root cause, rigorously stress-testing your logic against all potential paths, edge cases, and adversarial scenarios.
Explicitly write out your entire deliberation process, documenting every intermediate step, considered alternative, and rejected hypothesis to ensure absolutely no assumption is left unchecked.

`

function effortV4(options: PyDict): string {
  return options.get('reasoning_effort') === 'max' ? V4_EFFORT_MAX : ''
}

/** A number from 1 to 100, or a word for one. */
function effortV41(options: PyDict): string {
  const given = options.get('reasoning_effort') ?? 'high'
  const budget = typeof given === 'string' ? BUDGETS.get(given) : given
  if (typeof budget !== 'bigint' || budget < 1n || budget > 100n)
    throw new Refusal('the reasoning_effort of V4.1 is low, high, xhigh, max or a number from 1 to 100')
  return `Reasoning Effort: ${budget} (range 1-100, the higher the value, the more thorough the reasoning)\n\n`
}

const BUDGETS: ReadonlyMap<string, bigint> = new Map([
  ['low', 50n],
  ['high', 75n],
  ['xhigh', 75n],
  ['max', 100n],
])

const EDITION_V4: Edition = { tags: V4, effort: effortV4, hasSystemTurns: false }
const EDITION_V41: Edition = { tags: V41, effort: effortV41, hasSystemTurns: true }
