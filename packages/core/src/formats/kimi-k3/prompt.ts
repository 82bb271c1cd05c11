import { attempt, isDict, isList, loads, pyCompare, str, strip, truthy } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'
import { partWriter, prompting, Refusal } from '../../conversation/conversation.ts'
import type { Conversation, PartWriter, PromptOutcome } from '../../conversation/conversation.ts'
import { asksForReply, roleOf } from '../../conversation/message-view.ts'
import type { ValueNotation } from '../../conversation/value-notation.ts'
import { COMPACT_JSON, valueText } from '../../conversation/value-notation.ts'
import { addCall, addClose, addOpen, attribute } from './sections.ts'

/** The prompt as the maker's encoder of Kimi K3 writes it. Its tokenizer asks for the effort `max` where none is given. */
export function kimiK3Prompt({ messages, tools, options }: Conversation): PromptOutcome {
  return prompting(() => {
    const writer = partWriter()
    const thinks = !options.has('thinking') || truthy(options.get('thinking'))
    if (truthy(tools ?? null)) addTools(writer, TOOLS_HEAD, tools ?? [])
    addEffort(writer, options, thinks)
    const turn: Turn = { calls: [], results: 0, thinks }
    for (const message of inCallOrder(messages)) addMessage(writer, message, turn)
    addChoice(writer, options.get('tool_choice') ?? null)
    addAnswerForm(writer, options)
    if (asksForReply(options)) {
      addOpen(writer, 'message role="assistant"')
      addOpen(writer, thinks ? 'think' : 'response')
    }
    return writer.parts()
  })
}

/** A message of the system that the encoder makes up. */
function addNote(writer: PartWriter, type: string, text: string): void {
  addOpen(writer, `message role="system" type="${type}"`)
  writer.text(text)
  endMessage(writer)
}

function endMessage(writer: PartWriter): void {
  addClose(writer, 'message')
  writer.add('<|end_of_msg|>')
}

function addTools(writer: PartWriter, head: string, tools: PyValue): void {
  addNote(writer, 'tool-declare', `${head}\`\`\`json\n${compactJson(tools)}\n\`\`\``)
}

/** JSON without blanks, its keys in the order of their code points. */
function compactJson(value: PyValue): string {
  return valueText(value, SORTED_JSON)
}

const SORTED_JSON: ValueNotation = {
  ...COMPACT_JSON,
  keys: (dict) => [...dict.keys()].toSorted(pyCompare),
}

function addEffort(writer: PartWriter, options: PyDict, thinks: boolean): void {
  const effort = options.has('thinking_effort') ? (options.get('thinking_effort') ?? null) : 'max'
  if (!thinks || effort === null) return
  if (typeof effort !== 'string' || !EFFORTS.includes(effort))
    throw new Refusal('the thinking_effort of Kimi K3 is low, high or max')
  addNote(writer, 'thinking-effort', `${EFFORT_HEAD}${effort}\`.`)
}

const EFFORTS = ['low', 'high', 'max']

/** The calls that the next results answer, and how many of them came. */
interface Turn {
  calls: readonly PyValue[]
  results: number
  readonly thinks: boolean
}

/** As in the encoder, a message of another role vanishes. */
function addMessage(writer: PartWriter, message: PyDict, turn: Turn): void {
  const role = roleOf(message)
  switch (role) {
    case '':
      throw new Refusal('a message has no role')
    case 'system':
      if (truthy(message.get('tools') ?? null)) return addTools(writer, MORE_TOOLS_HEAD, message.get('tools') ?? null)
      return addTurn(writer, message, namedHead(message))
    case 'user':
      return addTurn(writer, message, namedHead(message))
    case 'tool': {
      turn.results += 1
      const name = attribute('tool', resultName(message, turn))
      return addTurn(writer, message, `message role="tool"${name} index="${turn.results}"`)
    }
    case 'assistant':
      turn.calls = callsOf(message)
      turn.results = 0
      return addAnswer(writer, message, turn)
    default:
  }
}

function namedHead(message: PyDict): string {
  const name = message.get('name') ?? null
  return `message role="${roleOf(message)}"${truthy(name) ? attribute('name', str(name)) : ''}`
}

function addTurn(writer: PartWriter, message: PyDict, head: string): void {
  addOpen(writer, head)
  addContent(writer, message.get('content') ?? null)
  endMessage(writer)
}

function addContent(writer: PartWriter, content: PyValue): void {
  if (content === null) return
  if (typeof content === 'string') return writer.text(content)
  if (!isList(content)) throw new Refusal('the content of a message is neither a text nor a list')
  for (const part of content) {
    const type = isDict(part) ? part.get('type') : undefined
    if (!isDict(part) || type === undefined) throw new Refusal('a part of a message has no type')
    if (type === 'image' || type === 'image_url') writer.add('<|kimi_image_placeholder|>')
    else if (part.has('text')) writer.text(str(part.get('text') ?? null))
    else throw new Refusal('a part of a message is neither a text nor a picture')
  }
}

function callsOf(message: PyDict): readonly PyValue[] {
  const calls = message.get('tool_calls') ?? null
  return isList(calls) ? calls : []
}

/** The map that has name and arguments of a call. */
function functionIn(call: PyValue): PyDict {
  if (!isDict(call)) throw new Refusal('a call in tool_calls is no object')
  const inner = call.get('function')
  if (isDict(inner)) return inner
  if (inner === undefined) return call
  throw new Refusal('the member "function" of a call is no object')
}

function nameIn(call: PyValue): string {
  const name = functionIn(call).get('name')
  if (name === undefined) throw new Refusal('a call in tool_calls has no name')
  return str(name)
}

function givenName(message: PyDict): PyValue {
  return (message.has('tool') ? message.get('tool') : message.get('name')) ?? null
}

/** The name that the result gives, else that of the call at its place. */
function resultName(message: PyDict, { calls, results }: Turn): string {
  const given = givenName(message)
  if (given !== null) return str(given)
  const call = calls[results - 1]
  if (call === undefined) throw new Refusal('a result names no tool, and no call is at its place')
  return nameIn(call)
}

/** A thought has its section even if it is empty. Without thinking there is no section. */
function addAnswer(writer: PartWriter, message: PyDict, { calls, thinks }: Turn): void {
  addOpen(writer, namedHead(message))
  if (thinks) {
    const given = message.get('reasoning_content') ?? null
    const thought = truthy(given) ? given : (message.get('reasoning') ?? null)
    addOpen(writer, 'think')
    if (thought !== null && strip(str(thought)) !== '') writer.text(str(thought))
    addClose(writer, 'think')
  }
  addOpen(writer, 'response')
  addContent(writer, message.get('content') ?? null)
  addClose(writer, 'response')
  if (calls.length > 0) {
    addOpen(writer, 'tools')
    for (const [index, call] of calls.entries()) {
      const name = nameIn(call)
      const { given, raw } = argumentsIn(call)
      addCall(writer, { name, index, given, raw })
    }
    addClose(writer, 'tools')
  }
  endMessage(writer)
}

/** Arguments that are no JSON at all are shown as they are. */
function argumentsIn(call: PyValue): { readonly given: PyDict; readonly raw: string | null } {
  const given = functionIn(call).get('arguments') ?? null
  if (given === null || (typeof given === 'string' && strip(given) === '')) return { given: new Map(), raw: null }
  const read = typeof given === 'string' ? attempt(() => loads(given)) : null
  if (read !== null && read.kind !== 'returned') return { given: new Map(), raw: str(given) }
  const value = read === null ? given : read.value
  if (!isDict(value)) throw new Refusal('the arguments of a call are no JSON object')
  return { given: value, raw: null }
}

/** Results that follow each other in the order of the calls that their ids name; as they are if one names none. */
function inCallOrder(messages: readonly PyDict[]): readonly PyDict[] {
  const ordered: PyDict[] = []
  let answer: PyDict | null = null
  let run: PyDict[] = []
  const endRun = (): void => {
    if (run.length === 0) return
    // One by one: a call takes no hundred thousand arguments.
    for (const message of sorted(run, answer)) ordered.push(message)
    run = []
  }
  for (const message of messages) {
    const role = roleOf(message)
    if (role === 'tool') {
      run.push(message)
      continue
    }
    endRun()
    ordered.push(message)
    if (role === 'assistant') answer = message
  }
  endRun()
  return ordered
}

interface Known {
  readonly place: number
  readonly name: PyValue
}

function callsById(calls: readonly PyValue[]): ReadonlyMap<string, Known> {
  const known = new Map<string, Known>()
  for (const [place, call] of calls.entries()) {
    const id = isDict(call) ? (call.get('id') ?? null) : null
    if (!isDict(call) || id === null || known.has(str(id))) continue
    const inner = call.get('function')
    known.set(str(id), { place, name: (isDict(inner) ? inner.get('name') : call.get('name')) ?? null })
  }
  return known
}

/** The results of the calls of an answer. */
function sorted(run: readonly PyDict[], answer: PyDict | null): readonly PyDict[] {
  const known = callsById(answer === null ? [] : callsOf(answer))
  const found: { readonly place: number; readonly message: PyDict }[] = []
  for (const message of run) {
    const id = (message.has('tool_call_id') ? message.get('tool_call_id') : message.get('id')) ?? null
    const call = id === null ? undefined : known.get(str(id))
    if (call === undefined) return run
    const { place, name } = call
    const isNamed = name === null || name === givenName(message)
    found.push({ place, message: isNamed ? message : new Map(message).set('tool', name) })
  }
  return found.toSorted((one, other) => one.place - other.place).map(({ message }) => message)
}

function addChoice(writer: PartWriter, choice: PyValue): void {
  const words = typeof choice === 'string' ? CHOICES.get(choice) : undefined
  if (words !== undefined)
    addNote(writer, 'tool-choice', `The system is invoked with \`tool_choice=${str(choice)}\`.\n${words}`)
}

function addAnswerForm(writer: PartWriter, options: PyDict): void {
  const form = options.get('response_format') ?? null
  const type = isDict(form) ? (form.has('type') ? form.get('type') : form) : form
  const head = `The system is invoked with \`response_format=${typeof type === 'string' ? type : ''}\`.\n${FORM}`
  if (type === 'json_object') addNote(writer, 'response-format', head)
  if (type !== 'json_schema') return
  const schema = compactJson(schemaIn(options, form))
  addNote(
    writer,
    'response-format',
    `${head}\nThe JSON data must match the following schema:\n\`\`\`json\n${schema}\n\`\`\``,
  )
}

function schemaIn(options: PyDict, form: PyValue): PyValue {
  if (options.has('response_schema')) return options.get('response_schema') ?? null
  const wrapped = isDict(form) ? (form.get('json_schema') ?? null) : null
  if (!isDict(wrapped)) return wrapped
  return (
    (wrapped.has('schema')
      ? wrapped.get('schema')
      : wrapped.has('json_schema')
        ? wrapped.get('json_schema')
        : wrapped) ?? null
  )
}

/** The texts of the prompt, as the chat template in llama.cpp has them, too (MIT). */
const TOOLS_HEAD = '# Tools\nHere are the available tools, described in JSONSchema.\n\n'

const MORE_TOOLS_HEAD =
  '## New Tools Available\nThe system dynamically extends the toolset via lazy-loading.\nYou have access to all existing and extended tools.\n' +
  'Here are the specs for the extended tools.\n\n'

const EFFORT_HEAD =
  '`thinking_effort` guides on how much to think in your thinking channel (not including the response channel), supported values include ' +
  '`low`, `medium`, `high`, and `max`.\nNow the system is invoked with `thinking_effort='

const CHOICES: ReadonlyMap<string, string> = new Map([
  ['required', 'You MUST call tools in the next message.'],
  ['none', 'You MUST NOT call any tools in the next message.'],
])

const FORM = 'Your response must be raw JSON data without markdown code blocks (```json) or any additional formatting.'
