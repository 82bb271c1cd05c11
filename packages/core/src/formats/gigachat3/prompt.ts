import { dumps, isDict, isList, str, strip, truthy } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'
import type { Conversation, PartWriter, PromptOutcome } from '../../conversation/conversation.ts'
import { partWriter, prompting, Refusal } from '../../conversation/conversation.ts'
import { roleOf } from '../../conversation/message-view.ts'

export const CALL = '<|function_call|>'
export const ROLE_END = '<|role_sep|>'
export const MESSAGE_END = '<|message_sep|>'

/** The prompt as the template of GigaChat 3.1 writes it: every message has its role, a line feed, and its end. */
export function prompt({ messages, tools, options }: Conversation): PromptOutcome {
  return prompting(() => {
    const writer = partWriter()
    writer.add('<s>')
    writeMessage(writer, 'developer system', DEVELOPER_SYSTEM)
    const [first] = messages
    const hasSystem = first !== undefined && roleOf(first) === 'system'
    if (hasSystem) writeTurn(writer, first)
    if (truthy(tools)) writeMessage(writer, 'function descriptions', `${toolTypes(tools ?? [])}\n\n`)
    const rest = hasSystem ? messages.slice(1) : messages
    for (const message of rest) writeTurn(writer, message)
    // The template begins the reply after its last message only, and not after a lone system message.
    const last = rest.at(-1)
    if (last !== undefined && truthy(options.get('add_generation_prompt')) && roleOf(last) !== 'assistant')
      writer.add('', 'assistant', ROLE_END, '\n')
    return writer.parts()
  })
}

/** A message of any role, with the first of its calls. */
function writeTurn(writer: PartWriter, message: PyDict): void {
  const role = message.get('role')
  if (typeof role !== 'string') throw new Refusal('a message has no role')
  const content = message.get('content') ?? null
  const text = typeof content === 'string' ? content : truthy(content) ? dumps(content) : ''
  writeMessage(writer, role === 'tool' ? 'function result' : role, text, message.get('tool_calls') ?? null)
}

function writeMessage(writer: PartWriter, role: string, text: string, calls: PyValue = null): void {
  writer.add('', role, ROLE_END, `\n${text}`)
  if (truthy(calls)) writer.add(CALL, callText(calls))
  writer.add(MESSAGE_END, '\n\n')
}

/** As in the template: a name is not escaped, and arguments that are a text are printed as they are. */
function callText(calls: PyValue): string {
  const first = isList(calls) ? calls[0] : undefined
  if (!isDict(first)) throw new Refusal('a call in tool_calls is no object')
  const inner = truthy(first.get('function')) ? first.get('function') : first
  if (!isDict(inner)) throw new Refusal('the member "function" of a call is no object')
  const given = inner.get('arguments')
  if (given === undefined) throw new Refusal('a call in tool_calls has no arguments')
  return `{"name": "${printed(inner.get('name'))}", "arguments": ${typeof given === 'string' ? given : dumps(given)}}`
}

/** As Jinja prints it: nothing where it is missing. */
function printed(value: PyValue | undefined): string {
  return value === undefined ? '' : str(value)
}

/** The tools as declarations of TypeScript. */
function toolTypes(tools: readonly PyValue[]): string {
  return ['namespace functions {', ...tools.map(toolType), '} // namespace functions'].join('\n')
}

/** Of a tool: the lines of its description, and a function type; blank lines are left out. */
function toolType(given: PyValue): string {
  const tool = isDict(given) && truthy(given.get('function')) ? given.get('function') : given
  if (!isDict(tool)) throw new Refusal('a tool is no object')
  const returned = typeWithMembers(tool.get('return_parameters'), '  ') ?? 'any'
  const parameters = typeWithMembers(tool.get('parameters'), '  ')
  const type = `type ${printed(tool.get('name'))} = (${parameters === null ? '' : `_: ${parameters}`}) => ${returned};\n`
  return [...commentLines(tool.get('description')).map((line) => `// ${line}`), type].join('\n')
}

/** Null for a schema without properties. */
function typeWithMembers(schema: PyValue | undefined, indent: string): string | null {
  if (schema === undefined || !truthy(schema)) return null
  return truthy(schemaOf(schema).get('properties')) ? typeOf(schema, indent) : null
}

function commentLines(description: PyValue | undefined): readonly string[] {
  if (description === undefined || !truthy(description)) return []
  if (typeof description !== 'string') throw new Refusal('a description is not a text')
  return description.split('\n').filter((line) => strip(line) !== '')
}

/** The type of a schema. `indent` is that of the members of an object. */
function typeOf(given: PyValue | undefined, indent: string): string {
  const schema = schemaOf(given)
  const values = schema.get('enum')
  switch (schema.get('type')) {
    case 'object':
      return objectType(schema, indent)
    case 'string':
      if (truthy(values))
        return listIn(values)
          .map((value) => `"${str(value)}"`)
          .join(' | ')
      return DATES.has(schema.get('format') ?? null) ? 'Date' : 'string'
    case 'number':
    case 'integer':
      return truthy(values)
        ? listIn(values)
            .map((value) => str(value))
            .join(' | ')
        : 'number'
    case 'boolean':
      return 'boolean'
    case 'array':
      return schema.has('items') ? `${typeOf(schema.get('items'), indent)}[]` : 'Array<any>'
    default:
      return 'any'
  }
}

const DATES: ReadonlySet<PyValue> = new Set<PyValue>(['date-time', 'date'])

function objectType(schema: PyDict, indent: string): string {
  const properties = schema.has('properties') ? schema.get('properties') : new Map<string, PyValue>()
  if (!isDict(properties)) throw new Refusal('the properties of a schema are no object')
  const required = schema.has('required') && properties.size > 0 ? listIn(schema.get('required')) : []
  const members = [...properties].map(([key, value]) =>
    member({ key, value, indent, isRequired: required.includes(key) }),
  )
  const more = schema.get('additionalProperties')
  const index =
    more === true
      ? `${indent}[key: string]: any\n`
      : isDict(more)
        ? `${indent}[key: string]: ${typeOf(more, `${indent}  `)}\n`
        : ''
  return `{\n${members.join('')}${index}${indent.slice(2)}}`
}

interface Member {
  readonly key: string
  readonly value: PyValue
  readonly indent: string
  readonly isRequired: boolean
}

/** A member of an object type, with comments before it: its description, and limits that a type cannot say. */
function member({ key, value, indent, isRequired }: Member): string {
  const schema = schemaOf(value)
  if (schema.has('description') && typeof schema.get('description') !== 'string')
    throw new Refusal(`the description of ${key} is not a text`)
  const description = commentLines(schema.get('description')).map((line) => `${indent}// ${line}\n`)
  const limits = [...schema].flatMap(([name, limit]) =>
    LIMITS.has(name) ? [`${indent}// ${name}: ${quotedText(limit)}\n`] : [],
  )
  // The second spelling is the template's.
  const named = ['default', 'defalut_value'].find((name) => schema.has(name))
  const preset = named === undefined ? '' : ` // default: ${quotedText(schema.get(named) ?? null)}`
  return `${description.join('')}${limits.join('')}${indent}${key}${isRequired ? '' : '?'}: ${typeOf(schema, `${indent}  `)},${preset}\n`
}

const LIMITS: ReadonlySet<string> = new Set(['format', 'maxItems', 'maximum', 'minItems', 'minimum', 'pattern'])

function quotedText(value: PyValue): string {
  return typeof value === 'string' ? `"${value}"` : str(value)
}

function schemaOf(value: PyValue | undefined): PyDict {
  if (value !== undefined && isDict(value)) return value
  throw new Refusal('a schema of a tool is no object')
}

function listIn(value: PyValue | undefined): readonly PyValue[] {
  if (value !== undefined && isList(value)) return value
  throw new Refusal('a list in a schema of a tool is no list')
}

/** The text of the first message, from the chat template of GigaChat 3.1 (MIT). */
const DEVELOPER_SYSTEM = `<role_description>
Description of the roles available in the dialog.

\`developer system\`
A message added by Sber before the main dialog. It has the highest priority and sets global, non-overridable conditions (for example, conversation rules, the safety policy, the assistant's overall response style, etc.).

\`system\`
A system instruction added by developers or by the user, but with a lower priority than \`developer system\`. It usually describes the assistant's instructions, a specific response style, and other conditions for this particular dialog.

\`user\`
A message or request from the user. The assistant follows it if it does not conflict with higher-priority instructions (see <instruction_priority>).

\`user memory\`
A sequence of the most up-to-date long-term facts about the user at the time of their request, presented as a JSON list of strings. Facts are listed in chronological order, meaning newer facts are appended to the end of the sequence. When facts are changed or deleted, records of previous facts remain in the sequence. The assistant saves facts using a function and uses them in accordance with the <memory_guidelines> block below.

\`added files\`
Metadata about files available for use in the dialog, presented in JSON format. It contains the following keys: id (a unique file identifier), name (file name), type (file type).

\`assistant\`
The assistant's reply to the user's request. If the system instruction or the user does not set additional rules for \`assistant\`, this reply must comply with the instructions in the <assistant_guidelines> block below. The list of functions available to call is contained in \`function descriptions\`. The name of the required function and its arguments will be generated next by the \`function call\` role. In its replies, the assistant follows the instructions in accordance with <instruction_priority>.

\`function descriptions\`
Function descriptions in TypeScript format. A function is a special tool (or a set of instructions) that the assistant can call to perform specific actions, computations, or obtain data needed to solve the user's task. Each function description contains blocks with the name, description, and arguments. Sometimes the description contains separate blocks with return parameters and usage examples that illustrate the correct call and arguments.

\`function call\`
The function that \`assistant\` calls based on the dialog context, and its arguments. The function is invoked in strict accordance with the instructions in the <function_usage> block.

\`function result\`
The result of the last function call.
</role_description>

<available_modalities>
The assistant can work with the following modalities: text, available functions.
</available_modalities>

<instruction_priority>
If instructions from different roles conflict within the dialog context, observe the following priorities:  
\`developer system\` > \`system\` > \`user\` > \`function descriptions\` > \`function result\` > \`user memory\`
</instruction_priority>

<function_usage>
Basic instructions for working with functions.

Only call those functions that are described in \`function descriptions\`.

Call available functions when, according to their description, such a call will help provide a more complete and/or accurate answer to the user's request. Fill in function arguments using information from the dialog context. If a function could help answer the request but a required argument is missing from the context, ask the user for the missing data before calling the function. If a necessary function is unavailable or an error occurs, briefly inform the user and, if possible, suggest an alternative.
</function_usage>

<memory_guidelines>
Rules for using facts in long-term memory:

If there is no message under the \`user memory\` role in the dialog, this is equivalent to the absence of long-term facts about the user in memory. In that case, information about the user is limited to the current dialog, and no new facts should be saved.
</memory_guidelines>

<assistant_guidelines>
You are a helpful assistant.

# Instructions
- Strictly follow the instruction priority.
- Maintain a logical chain of reasoning when answering the user's question.
- For complex questions (for example, STEM), try to answer in detail unless the system message or dialog context limits the response length.
- Be helpful, truthful, and avoid unsafe or prohibited content in your responses.
- Try to reply in the language in which the user asked their question.
</assistant_guidelines>

A dialog will follow below.
The dialog may include various roles described in the <role_description> block.
Each turn begins with the role name and a special token that marks the end of the role's full name, and ends with a special end-of-turn token.
Your task is to continue the dialog from the last specified role in accordance with the dialog context.`
