import { beforeSpace, InputError, unreachable } from '@callspec/python'
import type { AssistantMessage, Issue, IssueCode, ParseOptions, ParseOutcome, PromptFormat } from '../format.ts'
import { grammarIssue } from '../grammar/issues.ts'
import { replyOf } from '../reply/event.ts'
import type { ReplyEvent } from '../reply/event.ts'
import type { IssueItem, IssueWeight, ReplyItem } from '../reply/item.ts'
import type { ReadOptions } from '../reply/read-options.ts'
import type { ReplyReader } from '../reply/reader.ts'
import type { Reply } from '../reply/reply.ts'

/** The reading side of a format that reads whole texts, as its reference does. */
export interface WholeReading {
  readonly createReader: (options?: ReadOptions) => ReplyReader
  readonly read: (text: string, options?: ReadOptions) => Reply
}

/**
 * Reads as the reference does, whole texts only: later text may change what an earlier one meant. A reader keeps the chunks and parses
 * all of them for each snapshot; its events come at the end. A stop token at the end, which the reference takes for text, is reported.
 */
export function wholeReading(format: Pick<PromptFormat, 'parse'>, stops: readonly string[]): WholeReading {
  const events = (text: string, options: ReadOptions): readonly ReplyEvent[] => {
    const outcome = format.parse(text, parseOptions(options))
    const found = outcomeEvents(outcome)
    // Nothing is reported after a raise of the reference.
    return outcome.kind === 'rejected' ? found : found.concat(stopLeft(text, stops))
  }
  return {
    read: (text, options = {}) => replyOf(events(text, options)),
    createReader: (options = {}) => {
      // A wrong option is an error of the caller: it throws before the first chunk.
      format.parse('', parseOptions(options))
      let text = ''
      let answer: Reply | null = null
      const examine = (): void => options.onExamined?.(text.length)
      return {
        push: (chunk) => {
          text = extended(text, chunk)
          if (chunk !== '') answer = null
          return NO_EVENTS
        },
        end: () => {
          examine()
          return events(text, options)
        },
        snapshot: () => {
          if (answer === null) examine()
          return (answer ??= replyOf(events(text, options)))
        },
      }
    },
  }
}

const NO_EVENTS: readonly ReplyEvent[] = []

function extended(text: string, chunk: unknown): string {
  if (typeof chunk !== 'string') throw new InputError('chunk', 'This is not a text. Give what the model wrote.')
  if (text.length + chunk.length > LONGEST_TEXT)
    throw new InputError('chunk', `The reply is longer than ${LONGEST_TEXT} characters. No text can hold it.`)
  return text + chunk
}

/** The longest string that V8 can hold, in UTF-16 units. */
const LONGEST_TEXT = 2 ** 29 - 24

function parseOptions({ version, ...options }: ReadOptions): ParseOptions {
  return version === undefined ? options : { ...options, profile: version }
}

/** The note `stop-token-left` for a text that ends with a stop token, white space after it allowed. */
function stopLeft(text: string, stops: readonly string[]): readonly IssueItem[] {
  const end = beforeSpace(text)
  const stop = stops.find((each) => text.endsWith(each, end))
  if (stop === undefined) return []
  return [grammarIssue('stop-token-left', { start: end - stop.length, end, head: stop })]
}

/** What an outcome in the reference's form says. */
export function replyOfOutcome(outcome: ParseOutcome): Reply {
  return replyOf(outcomeEvents(outcome))
}

/** An outcome as events. */
function outcomeEvents(outcome: ParseOutcome): readonly ReplyEvent[] {
  if (outcome.kind === 'rejected') return [{ kind: 'rejected', error: outcome.error }, issueItem(outcome.issue)]
  const events: ReplyEvent[] = []
  for (const { content, reasoning_content: thought, function_call: call } of outcome.messages) {
    if (typeof thought === 'string' && thought !== '') events.push({ kind: 'reasoning', text: thought })
    if (content !== '') events.push({ kind: 'text', text: content })
    if (!call) continue
    events.push({ kind: 'call', name: call.name, id: null })
    events.push({ kind: 'arguments', text: call.arguments }, { kind: 'call-end' })
  }
  for (const issue of outcome.issues) events.push(issueItem(issue))
  return events
}

/** A reply in the reference's form: each item a message, its issues apart. */
export function outcomeOfReply({ items, error }: Reply): ParseOutcome {
  const messages: AssistantMessage[] = []
  const issues: IssueItem[] = []
  for (const item of items) {
    if (item.kind === 'issue') issues.push(item)
    else messages.push(messageOf(item))
  }
  const [first] = issues
  if (error !== null)
    return { kind: 'rejected', error, issue: first ?? { code: 'rejected', message: error.message, start: 0, end: 0 } }
  return { kind: 'parsed', messages, issues }
}

function messageOf(item: Exclude<ReplyItem, IssueItem>): AssistantMessage {
  const role = 'assistant'
  switch (item.kind) {
    case 'text':
      return { role, content: item.text }
    case 'reasoning':
      return { role, content: '', reasoning_content: item.text }
    case 'call': {
      const call = { name: item.name, arguments: item.arguments }
      if (item.id === null) return { role, content: '', function_call: call }
      return { role, content: '', function_call: call, extra: new Map([['function_id', item.id]]) }
    }
    default:
      return unreachable(item)
  }
}

/**
 * How much the issues of the formats of Qwen-Agent matter. Prose that the reference drops after a call touches no call, and
 * neither do further members of a call.
 */
const WEIGHTS: { readonly [Code in IssueCode]: IssueWeight } = {
  'argument-list': 'harm',
  'arguments-not-json': 'harm',
  'arguments-not-object': 'harm',
  'call-at-start': 'harm',
  'call-dropped': 'harm',
  'call-not-closed': 'harm',
  'call-not-json': 'harm',
  'call-not-strict-json': 'harm',
  'call-without-arguments': 'harm',
  'call-without-name': 'harm',
  'choice-not-supported': 'harm',
  'empty-name': 'harm',
  'empty-reply': 'note',
  'marker-removed': 'harm',
  'members-dropped': 'note',
  'name-not-text': 'harm',
  'partial-stop-word': 'note',
  'stop-word-in-text': 'note',
  'text-after-call-dropped': 'note',
  'text-dropped': 'harm',
}

const BY_CODE: ReadonlyMap<string, IssueWeight> = new Map(Object.entries(WEIGHTS))

/** An issue with its weight; an unknown code, such as one of a user's format, is a harm. */
function issueItem({ code, message, start, end }: Issue): IssueItem {
  return { kind: 'issue', weight: BY_CODE.get(code) ?? 'harm', code, message, start, end }
}
