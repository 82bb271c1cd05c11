import type { PyDict, PyValue } from '@callspec/python'
import { dumps, isDict, isList, truthy } from '@callspec/python'
import type { Conversation, PartWriter, PromptOutcome } from '../../conversation/conversation.ts'
import { partWriter, prompting, Refusal } from '../../conversation/conversation.ts'
import { printedMember, roleOf } from '../../conversation/message-view.ts'

type Role = 'SYSTEM' | 'USER' | 'CHATBOT'

/** A conversation, and what its options switch. */
interface Shown {
  readonly messages: readonly PyDict[]
  /** By its id, the place of a call among all calls of the conversation. */
  readonly places: ReadonlyMap<PyValue | undefined, number>
  readonly skipsThoughts: boolean
  /** Whether calls are numbered again over the whole conversation. */
  readonly numbersCalls: boolean
}

/** The prompt as the template of Cohere2MoE writes it. */
export function prompt({ messages, tools, options }: Conversation): PromptOutcome {
  return prompting(() => {
    const writer = partWriter()
    writer.add('<s>')
    const foreign = ['documents', 'grounding', 'response_format'].find((key) => truthy(options.get(key)))
    if (foreign !== undefined) throw new Refusal(`the option ${foreign} is not covered`)
    writeInstructions(writer, tools ?? [], options)
    const shown: Shown = {
      messages,
      places: placesOfCalls(messages),
      skipsThoughts: truthy(options.get('skip_thinking')),
      numbersCalls: options.get('regen_tool_call_ids') !== false,
    }
    writeMessages(writer, shown, writeDeveloper(writer, messages[0], options))
    if (!truthy(options.get('add_generation_prompt'))) return writer.parts()
    beginTurn(writer, 'CHATBOT')
    writer.add('<|START_THINKING|>', '', thinks(options) ? '' : '<|END_THINKING|>')
    return writer.parts()
  })
}

function thinks(options: PyDict): boolean {
  const reasoning = options.get('reasoning')
  return reasoning === undefined ? lower(options, 'reasoning_effort') !== 'none' : truthy(reasoning)
}

/** The first turn: what cannot be overridden, and the tools. */
function writeInstructions(writer: PartWriter, tools: readonly PyValue[], options: PyDict): void {
  const key = 'platform_instruction_override'
  const list = tools.map(toolText).join(',\n')
  const text = `${truthy(options.get(key)) ? printedMember(options, key) : PLATFORM}\n\n# Available Tools\n\`\`\`json\n[\n${list}\n]\n\`\`\``
  beginTurn(writer, 'SYSTEM')
  writer.add('<|START_TEXT|>', text, '<|END_TEXT|>', '', '<|END_OF_TURN_TOKEN|>')
}

function toolText(tool: PyValue): string {
  const inner = isDict(tool) ? tool.get('function') : undefined
  const schema = isDict(inner) ? inner.get('parameters') : undefined
  if (!isDict(inner) || schema === undefined) throw new Refusal('a tool has no member "function" with parameters')
  const [name, description] = ['name', 'description'].map((key) => printedMember(inner, key))
  return `    {"name": "${name}", "description": "${description}", "parameters": ${dumps(schema)}, "responses": null}`
}

/** @returns whether this was the first message, which then is not shown again */
function writeDeveloper(writer: PartWriter, first: PyDict | undefined, options: PyDict): boolean {
  const given = options.get('developer_instruction')
  if (truthy(given)) writeTurn(writer, 'SYSTEM', given ?? null)
  if (truthy(given) || given === '' || roleIn(first) !== 'system') return false
  if (options.get('convert_first_system_msg') === false) return false
  writeTurn(writer, 'SYSTEM', first ?? null)
  return true
}

function placesOfCalls(messages: readonly PyDict[]): Shown['places'] {
  const calls = messages.flatMap(callsIn)
  const placed = calls.flatMap((call, place) => (isDict(call) ? [[call.get('id'), place] as const] : []))
  // The first call with an id counts.
  return new Map(placed.toReversed())
}

function callsIn(message: PyDict): readonly PyValue[] {
  const calls = message.get('tool_calls') ?? null
  return isList(calls) ? calls : []
}

function writeMessages(writer: PartWriter, shown: Shown, skipsFirst: boolean): void {
  let calls = 0
  const seen = new Set<PyValue | undefined>()
  for (const [index, message] of shown.messages.entries()) {
    switch (roleIn(message)) {
      case 'system':
        if (index > 0 || !skipsFirst) writeTurn(writer, 'SYSTEM', message)
        break
      case 'user':
        writeTurn(writer, 'USER', message)
        break
      case 'assistant':
      case 'chatbot':
        calls = writeAnswer(writer, message, { shown, from: calls })
        break
      case 'tool':
        if (!seen.has(message.get('tool_call_id'))) for (const id of writeResults(writer, shown, index)) seen.add(id)
        break
      default:
    }
  }
}

function beginTurn(writer: PartWriter, role: Role): void {
  writer.add('<|START_OF_TURN_TOKEN|>', '', `<|${role}_TOKEN|>`)
}

function writeTurn(writer: PartWriter, role: Role, message: PyValue): void {
  beginTurn(writer, role)
  writeContent(writer, message)
  writer.add('<|END_OF_TURN_TOKEN|>')
}

/** What a message says: texts between tags, and a token for each picture. */
function writeContent(writer: PartWriter, message: PyValue): void {
  const content = isDict(message) ? message.get('content') : message
  if (content === undefined) return
  if (typeof content === 'string') return writer.add('<|START_TEXT|>', content, '<|END_TEXT|>')
  if (!isList(content)) throw new Refusal('the content of a message is neither a text nor a list')
  let isOpen = false
  for (const [index, part] of content.entries()) {
    const type = isDict(part) ? lower(part, 'type') : ''
    if (type === 'text') {
      if (!isOpen) writer.add('<|START_TEXT|>')
      writer.text(isDict(part) ? printedMember(part, 'text') : '')
      if (index === content.length - 1) writer.add('<|END_TEXT|>')
    } else if (isOpen) writer.add('<|END_TEXT|>')
    isOpen = type === 'text'
    if (type !== 'image' || !isDict(part)) continue
    if (truthy(part.get('data'))) writer.text(printedMember(part, 'data'))
    else writer.add('<|IMG_PATCH|>')
  }
}

/** As in the template: text next to calls is not shown. @returns how many calls there are up to here */
function writeAnswer(
  writer: PartWriter,
  message: PyDict,
  { shown, from }: { readonly shown: Shown; readonly from: number },
): number {
  const calls = callsIn(message)
  beginTurn(writer, 'CHATBOT')
  const hasPlan = calls.length > 0 && truthy(message.get('tool_plan'))
  const thought = hasPlan ? printedMember(message, 'tool_plan') : thoughtOf(message)
  if (thought !== null && !shown.skipsThoughts) writer.add('<|START_THINKING|>', thought, '<|END_THINKING|>')
  if (calls.length === 0) {
    writeContent(writer, message)
    writer.add('<|END_OF_TURN_TOKEN|>')
    return from
  }
  const lines = calls.map((call, at) => `    ${callText(call, shown.numbersCalls ? String(from + at) : null)}`)
  writer.add('<|START_ACTION|>', `[\n${lines.join(',\n')}\n]`, '<|END_ACTION|>', '', '<|END_OF_TURN_TOKEN|>')
  return from + calls.length
}

function callText(call: PyValue, id: string | null): string {
  const inner = isDict(call) ? call.get('function') : undefined
  const given = isDict(inner) ? inner.get('arguments') : undefined
  if (!isDict(call) || !isDict(inner) || given === undefined) throw new Refusal('a call has no function with arguments')
  const shownId = id ?? printedMember(call, 'id')
  return `{"tool_call_id": "${shownId}", "tool_name": "${printedMember(inner, 'name')}", "parameters": ${dumps(given)}}`
}

/** Null for none. */
function thoughtOf(message: PyDict): string | null {
  for (const key of ['reasoning', 'reasoning_content', 'thinking'])
    if (truthy(message.get(key))) return printedMember(message, key)
  const content = message.get('content')
  if (typeof content === 'number' || typeof content === 'bigint' || content === true)
    throw new Refusal('the content of a message is neither a text nor a list')
  const first = isList(content) ? content[0] : undefined
  if (!isDict(first) || first.get('type') !== 'thinking') return null
  return truthy(first.get('thinking')) ? printedMember(first, 'thinking') : ''
}

/** Neighbouring results share a turn. @returns the ids of the calls that the others of them answer */
function writeResults(writer: PartWriter, shown: Shown, index: number): readonly (PyValue | undefined)[] {
  let end = index + 1
  while (roleIn(shown.messages[end]) === 'tool') end++
  const results = shown.messages.slice(index, end)
  const texts = results.map((message) => `    ${resultText(message, shown)}`)
  beginTurn(writer, 'SYSTEM')
  writer.add('<|START_TOOL_RESULT|>', `[\n${texts.join(',\n')}\n]`, '<|END_TOOL_RESULT|>', '', '<|END_OF_TURN_TOKEN|>')
  return results.slice(1).map((message) => message.get('tool_call_id'))
}

function resultText(message: PyDict, { places, numbersCalls }: Shown): string {
  const place = places.get(message.get('tool_call_id'))
  const number = numbersCalls ? (place?.toString() ?? '') : printedMember(message, 'tool_call_id')
  return `{
        "tool_call_id": "${number}",
        "results": {${resultItems(message.get('content'))}
        },
        "is_error": null
    }`
}

function resultItems(content: PyValue | undefined): string {
  if (content === undefined) return ''
  if (typeof content === 'string') return itemLine(0, new Map([['content', content]]))
  if (isDict(content)) return itemLine(0, content)
  if (!isList(content)) throw new Refusal('a result is neither a text nor a map nor a list')
  return content.map((item, at) => itemLine(at, itemOf(item))).join(',')
}

function itemLine(at: number, value: PyValue): string {
  return `\n            "${at}": ${dumps(value)}`
}

function itemOf(item: PyValue): PyValue {
  if (!isDict(item)) return item
  const [type, text, document] = [lower(item, 'type'), item.get('text'), item.get('document')]
  if (type === 'document' && isDict(document)) return document.get('data') ?? item
  if (type !== 'text') return item
  if (text === undefined) throw new Refusal('a part of a result has no text')
  return new Map([['content', text]])
}

function roleIn(message: PyDict | undefined): string {
  return roleOf(message).toLowerCase()
}

function lower(dict: PyDict, key: string): string {
  return printedMember(dict, key).toLowerCase()
}

/** The texts of the prompt, from the chat template Cohere2MoE (sha256 d8366efb…5fd, as llama.cpp carries it). */

/** Where the request does not override it. */
const PLATFORM = `These instructions are always to be followed and cannot be overridden by subsequent system or user turns:
- You will answer requests for educational, informative, or creative content related to safety categories. You will not provide content that is harmful or could be used to cause harm.

These instructions serve as your defaults, but they can be overridden in subsequent system or user turns:
- Your name is North Mini Code.
- You are a large language model built by Cohere.`
