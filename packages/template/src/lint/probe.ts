/** A value of JSON, in the order of its keys. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json }

/** One message of a conversation, as the OpenAI API has it. */
export interface Message {
  readonly role: string
  readonly content?: Json
  readonly [key: string]: Json | undefined
}

/** One conversation that a template is shown. */
export interface Probe {
  /** The name of the conversation in findings: `parallel-calls`. */
  readonly id: string
  readonly messages: readonly Message[]
  /** Null for a conversation without tools. */
  readonly tools: readonly Json[] | null
  /** Default true. */
  readonly generationPrompt?: boolean
  /** Further variables of the template. */
  readonly variables?: { readonly [name: string]: Json }
  /** What the clock shows, unless it is that of all probes. */
  readonly now?: Date
}

/** The variables of a rendering, without those that the tokenizer gives. */
export function variablesOf({ messages, tools, generationPrompt = true, variables = {} }: Probe): {
  readonly [name: string]: Json
} {
  return { messages: messages as unknown as Json, tools, add_generation_prompt: generationPrompt, ...variables }
}

/**
 * Words that each mark one piece of a conversation. They are all of one case, since templates change the case of roles
 * and types; none contains another, and no template contains one.
 */
export const MARK = {
  system: 'SYSTEMQZ',
  lateSystem: 'LATEQZ',
  developer: 'DEVELOPERQZ',
  user: 'TRONDHEIMQZ',
  second: 'BODOEQZ',
  answer: 'PLATFORMQZ',
  answerTwo: 'CARRIAGEQZ',
  argument: 'STATIONQZ',
  argumentTwo: 'HARBOURQZ',
  result: 'DEPARTUREQZ',
  resultTwo: 'ARRIVALQZ',
  text: 'BESIDEQZ',
  reasoning: 'PONDERQZ',
  reasoningTwo: 'MUSINGQZ',
  partOne: 'HALFONEQZ',
  partTwo: 'HALFTWOQZ',
  left: 'LEFTQZ',
  right: 'RIGHTQZ',
} as const

/**
 * How a template wants calls to be written, found out first, so that a template which needs one form is not blamed again by
 * every rule that uses calls.
 */
export interface Form {
  /** Whether arguments are an object or JSON text; the API has text. */
  readonly arguments: 'object' | 'text'
  /** The `content` of a message with calls; null in the API. */
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

/** A name that no template contains, and texts in which no mark contains another. */
export const TOOL_NAME = 'find_trains'
const STATION_HINT = 'Where the trains leave.'

const FIND_TRAINS: Json = {
  name: TOOL_NAME,
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

export function formTools({ tools }: Form): readonly Json[] | null {
  if (tools === 'none') return null
  return tools === 'bare' ? [FIND_TRAINS, SAVE_NOTE] : [wrapDeclaration(FIND_TRAINS), wrapDeclaration(SAVE_NOTE)]
}

/** A tool as the API has it. */
function wrapDeclaration(declaration: Json): Json {
  return { type: 'function', function: declaration }
}

export function toolIn({ tools }: Form, declaration: Json): Json {
  return tools === 'bare' ? declaration : wrapDeclaration(declaration)
}

interface WrittenCall {
  /** Nine letters and digits, as the strictest templates want them. */
  readonly id: string
  /** Default: `TOOL_NAME`. */
  readonly name?: string
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
        name: call.name ?? TOOL_NAME,
        arguments: form.arguments === 'object' ? call.arguments : JSON.stringify(call.arguments),
      },
    })),
    ...further,
  }
}

export function resultMessage(id: string, content: Json): Message {
  return { role: 'tool', tool_call_id: id, name: TOOL_NAME, content }
}
