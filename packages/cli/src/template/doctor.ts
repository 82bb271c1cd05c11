import type { DoctorFinding } from '@callspec/eval/doctor'
import type { LintReport } from '@callspec/template/lint'
import type { TemplateServer, TemplateSource } from '@callspec/template/source'
import { countText, lintSource } from './lint.ts'
import { openServerAt } from './server.ts'
import type { ServerAddress } from './server.ts'
import { isSourceError } from './source.ts'

/**
 * Examines a server's chat template: lints its text or its prompts, else compares numbers of tokens. Never throws for what
 * the server does.
 */
export async function examineTemplate(server: ServerAddress, model: string): Promise<DoctorFinding> {
  try {
    const source = await openServerAt(server, { name: null, model })
    if (source.kind === 'server' && source.server.view === 'token-counts')
      return judgeCounts(await countPieces(source.server))
    const { report, sha256 } = await lintSource(source, {})
    return judgeLint(report, { source, sha256 })
  } catch (error) {
    if (!isSourceError(error)) throw error
    // The server's message may contain anything; the other checks have quoted it already.
    return templateFinding('unknown', 'neither /props nor /apply-template nor usage.prompt_tokens shows anything of it')
  }
}

function templateFinding(verdict: DoctorFinding['verdict'], evidence: string, whatToChange?: string): DoctorFinding {
  return { check: 'chat-template', verdict, evidence, whatToChange: whatToChange ?? null }
}

const LOOK = 'See each with `callspec template lint` and the address of this server; docs/templates.md has the rules.'

function judgeLint(
  { findings }: LintReport,
  { source, sha256 }: { readonly source: TemplateSource; readonly sha256: string | null },
): DoctorFinding {
  const which =
    sha256 === null ? 'by the prompts of /apply-template' : `sha256 ${sha256.slice(0, 12)}, ${textPlace(source)}`
  const names = findings.map(({ rule }) => rule).join(', ')
  const evidence = `${which}: ${countText(findings)}${names === '' ? '' : `: ${names}`}`
  if (findings.length === 0) return templateFinding('ok', evidence)
  // The server may change messages before it renders them, as docs/templates.md says for each rule.
  return templateFinding('warn', evidence, LOOK)
}

function textPlace(source: TemplateSource): string {
  return source.kind === 'text' ? source.place : ''
}

function judgeCounts(pieces: readonly CountedPiece[]): DoctorFinding {
  const named = (fate: CountedPiece['fate']): readonly string[] =>
    pieces.filter((each) => each.fate === fate).map(({ name }) => name)
  const [shown, lost, refused] = [named('shown'), named('lost'), named('refused')]
  const parts = [
    ...(shown.length === 0 ? [] : [`counted: ${shown.join(', ')}`]),
    ...(lost.length === 0 ? [] : [`not counted: ${lost.join(', ')}`]),
    ...(refused.length === 0 ? [] : [`refused: ${refused.join(', ')}`]),
  ]
  if (parts.length === 0) return templateFinding('unknown', 'the server counts no tokens of these conversations')
  const evidence = `by usage.prompt_tokens ${parts.join('; ')}`
  if (lost.length + refused.length === 0) return templateFinding('ok', evidence)
  return templateFinding('warn', evidence, 'The model does not see what is not counted: check its template.')
}

/** Whether one part of conversations reaches the model. */
interface CountedPiece {
  /** `the system message`. */
  readonly name: string
  /** `unknown` if the server did not answer. */
  readonly fate: 'shown' | 'lost' | 'refused' | 'unknown'
}

/** Sixty words: no tokenizer encodes them in a few tokens. */
const SIXTY_WORDS =
  'Seven green lamps stand on the old pier and nobody knows who lights them when the boats come home late in the dark. ' +
  'A cook from the north once told me that three of them were made of glass from a church, and that the others came ' +
  'with the trains from the coast, packed in straw beside apples, letters and a clock.'

/** The least number of tokens for them: a third of a token for each word. */
const LEAST = 20

type RequestValue = string | null | readonly RequestValue[] | { readonly [key: string]: RequestValue }
type RequestMessage = { readonly [key: string]: RequestValue }

interface PieceRequests {
  readonly name: string
  /** The request without the words, and with them. */
  readonly short: string
  readonly long: string
}

/**
 * Finds out by numbers of tokens which parts of conversations reach the model: each is sent without and with sixty more
 * words. Cost: some ten requests of one token.
 */
async function countPieces(server: TemplateServer): Promise<readonly CountedPiece[]> {
  const counted = new Map<string, Awaited<ReturnType<TemplateServer['countTokens']>>>()
  const count = async (request: string): Promise<Awaited<ReturnType<TemplateServer['countTokens']>>> => {
    const known = counted.get(request) ?? (await server.countTokens(request))
    counted.set(request, known)
    return known
  }
  const pieces: CountedPiece[] = []
  for (const { name, short, long } of PIECES) {
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

const USER: RequestMessage = { role: 'user', content: 'When does the next train leave?' }

function toolCalling(text: {
  readonly tool?: string
  readonly argument?: string
  readonly said?: string
  readonly result?: string
}): string {
  const { tool = 'Lists trains.', argument = 'Oslo', said = null, result = 'At nine.' } = text
  const call = { name: 'find_trains', arguments: JSON.stringify({ station: argument }) }
  const station = { type: 'string', description: 'Where.' }
  return requestJson(
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

function requestJson(messages: readonly RequestMessage[], tools: readonly RequestValue[] = []): string {
  return JSON.stringify(tools.length === 0 ? { messages } : { messages, tools })
}

function withSystem(text: string): string {
  return requestJson([{ role: 'system', content: `Be brief. ${text}` }, USER])
}

function withLateSystem(text: string): string {
  const turns: readonly RequestMessage[] = [
    { role: 'user', content: 'Hello.' },
    { role: 'assistant', content: 'Hello.' },
  ]
  return requestJson([...turns, { role: 'system', content: `Be brief. ${text}` }, USER])
}

const SHORT_CALLING = toolCalling({})

const PIECES: readonly PieceRequests[] = [
  { name: 'the system message', short: withSystem(''), long: withSystem(SIXTY_WORDS) },
  { name: 'a late system message', short: withLateSystem(''), long: withLateSystem(SIXTY_WORDS) },
  { name: 'tools', short: SHORT_CALLING, long: toolCalling({ tool: SIXTY_WORDS }) },
  { name: 'arguments of calls', short: SHORT_CALLING, long: toolCalling({ argument: SIXTY_WORDS }) },
  { name: 'results', short: SHORT_CALLING, long: toolCalling({ result: SIXTY_WORDS }) },
  { name: 'text next to a call', short: SHORT_CALLING, long: toolCalling({ said: SIXTY_WORDS }) },
]
