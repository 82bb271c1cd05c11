import type { TemplateServer } from '../source/template-server.ts'

/** What became of one piece of conversations. */
export interface CountedPiece {
  /** `the system message`. */
  readonly name: string
  /** `unknown` where the server did not answer. */
  readonly fate: 'shown' | 'lost' | 'refused' | 'unknown'
}

/** Sixty words, so that their loss is no accident of a tokenizer. */
const WORDS =
  'Seven green lamps stand on the old pier and nobody knows who lights them when the boats come home late in the dark. ' +
  'A cook from the north once told me that three of them were made of glass from a church, and that the others came ' +
  'with the trains from the coast, packed in straw beside apples, letters and a clock.'

/** The least that they can cost: a third of a token for each word. */
const LEAST = 20

type Json = string | null | readonly Json[] | { readonly [key: string]: Json }
type Message = { readonly [key: string]: Json }

interface Question {
  readonly name: string
  /** Without and with the words. */
  readonly short: string
  readonly long: string
}

/**
 * Finds out by numbers of tokens which pieces of conversations reach the model: each is asked about without and with sixty
 * words. Cost: some ten requests of one token.
 */
export async function countPieces(server: TemplateServer): Promise<readonly CountedPiece[]> {
  const counted = new Map<string, Awaited<ReturnType<TemplateServer['countTokens']>>>()
  const count = async (request: string): Promise<Awaited<ReturnType<TemplateServer['countTokens']>>> => {
    const known = counted.get(request) ?? (await server.countTokens(request))
    counted.set(request, known)
    return known
  }
  const pieces: CountedPiece[] = []
  for (const { name, short, long } of QUESTIONS) {
    const [before, after] = [await count(short), await count(long)]
    pieces.push({ name, fate: fateOf(before, after) })
  }
  return pieces
}

type Count = Awaited<ReturnType<TemplateServer['countTokens']>>

function fateOf(before: Count, after: Count): CountedPiece['fate'] {
  if (before.kind === 'raised' || after.kind === 'raised') return 'refused'
  if (before.kind !== 'counted' || after.kind !== 'counted') return 'unknown'
  return after.tokens - before.tokens >= LEAST ? 'shown' : 'lost'
}

const USER: Message = { role: 'user', content: 'When does the next train leave?' }

function toolCalling(text: {
  readonly tool?: string
  readonly argument?: string
  readonly said?: string
  readonly result?: string
}): string {
  const { tool = 'Lists trains.', argument = 'Oslo', said = null, result = 'At nine.' } = text
  const call = { name: 'find_trains', arguments: JSON.stringify({ station: argument }) }
  const station = { type: 'string', description: 'Where.' }
  return requestOf(
    [
      USER,
      { role: 'assistant', content: said, tool_calls: [{ id: 'trainA001', type: 'function', function: call }] },
      { role: 'tool', tool_call_id: 'trainA001', name: 'find_trains', content: result },
    ],
    [
      {
        type: 'function',
        function: {
          name: 'find_trains',
          description: tool,
          parameters: { type: 'object', properties: { station }, required: ['station'] },
        },
      },
    ],
  )
}

function requestOf(messages: readonly Message[], tools: readonly Json[] = []): string {
  return JSON.stringify(tools.length === 0 ? { messages } : { messages, tools })
}

function withSystem(text: string): string {
  return requestOf([{ role: 'system', content: `Be brief. ${text}` }, USER])
}

function withLateSystem(text: string): string {
  const turns: readonly Message[] = [
    { role: 'user', content: 'Hello.' },
    { role: 'assistant', content: 'Hello.' },
  ]
  return requestOf([...turns, { role: 'system', content: `Be brief. ${text}` }, USER])
}

const SHORT = toolCalling({})

const QUESTIONS: readonly Question[] = [
  { name: 'the system message', short: withSystem(''), long: withSystem(WORDS) },
  { name: 'a late system message', short: withLateSystem(''), long: withLateSystem(WORDS) },
  { name: 'tools', short: SHORT, long: toolCalling({ tool: WORDS }) },
  { name: 'arguments of calls', short: SHORT, long: toolCalling({ argument: WORDS }) },
  { name: 'results', short: SHORT, long: toolCalling({ result: WORDS }) },
  { name: 'text beside a call', short: SHORT, long: toolCalling({ said: WORDS }) },
]
