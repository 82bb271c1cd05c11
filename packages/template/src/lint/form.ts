import type { Json, Message } from './probe.ts'

/**
 * How a template wants calls to be written, found out first, so that a template which needs one form is not blamed again by
 * every rule that uses calls.
 */
export interface Form {
  /** Whether arguments are an object or JSON text; the API has text. */
  readonly arguments: 'object' | 'text'
  /** What stands in `content` beside a call; the API has null. */
  readonly content: 'empty' | 'null' | 'absent'
  /** Whether tools come as `{type, function}` or as the function alone; `none` where both are refused. */
  readonly tools: 'wrapped' | 'bare' | 'none'
}

/** The form that most templates take. */
export const USUAL: Form = { arguments: 'object', content: 'empty', tools: 'wrapped' }

/** Forms to try, the usual one first; one of another is only tried where those before it are refused. */
export const FORMS: readonly Form[] = [
  USUAL,
  { ...USUAL, arguments: 'text' },
  { ...USUAL, content: 'null' },
  { ...USUAL, content: 'absent' },
  { ...USUAL, arguments: 'text', content: 'null' },
]

/** A name that stands in no template, and texts in which no mark stands within another. */
export const TOOL = 'find_trains'
const STATION_HINT = 'Where the trains leave.'

const FIND_TRAINS: Json = {
  name: TOOL,
  description: 'Lists the next trains.',
  parameters: {
    type: 'object',
    properties: {
      station: { type: 'string', description: STATION_HINT },
      count: { type: 'integer', description: 'How many.' },
    },
    required: ['station'],
  },
}

const SAVE_NOTE: Json = {
  name: 'save_note',
  description: 'Keeps a note.',
  parameters: { type: 'object', properties: { text: { type: 'string', description: 'The note.' } }, required: [] },
}

/** The tools of a form. */
export function toolsIn({ tools }: Form): readonly Json[] | null {
  if (tools === 'none') return null
  return tools === 'bare' ? [FIND_TRAINS, SAVE_NOTE] : [wrapped(FIND_TRAINS), wrapped(SAVE_NOTE)]
}

/** A tool as the API has it. */
export function wrapped(declaration: Json): Json {
  return { type: 'function', function: declaration }
}

/** A tool of a form. */
export function toolIn({ tools }: Form, declaration: Json): Json {
  return tools === 'bare' ? declaration : wrapped(declaration)
}

/** One call to be written. */
export interface WrittenCall {
  /** Nine letters and digits, as the strictest templates want them. */
  readonly id: string
  readonly arguments: { readonly [name: string]: Json }
}

/** An assistant's message with calls in a form; `further` overwrites, also the content. */
export function callMessage(
  form: Form,
  calls: readonly WrittenCall[],
  further: { readonly [key: string]: Json } = {},
): Message {
  const content: { readonly content?: Json } =
    form.content === 'absent' ? {} : { content: form.content === 'null' ? null : '' }
  return {
    role: 'assistant',
    ...content,
    tool_calls: calls.map((call) => ({
      id: call.id,
      type: 'function',
      function: {
        name: TOOL,
        arguments: form.arguments === 'object' ? call.arguments : JSON.stringify(call.arguments),
      },
    })),
    ...further,
  }
}

/** The result of a call. */
export function resultMessage(id: string, content: Json): Message {
  return { role: 'tool', tool_call_id: id, name: TOOL, content }
}
