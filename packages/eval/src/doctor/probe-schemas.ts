import type { ClientOptions } from '../client/client.ts'
import type { EndpointHeaders } from '../client/redact.ts'
import { redactedUrl } from '../client/redact.ts'
import { checkEndpoint } from '../client/sender.ts'
import { excerpt } from '../text/excerpt.ts'
import { isRecord, parsedJson } from '../text/json.ts'
import type { Completion, Failure } from '../trace/completion.ts'
import type { Finding } from './finding.ts'
import { hangs } from './finding.ts'
import { listModels, withAnswering } from './list-models.ts'
import type { Probe, Prober } from './prober.ts'
import { createProber, isCut, SEED } from './prober.ts'
import type { ProbedTool } from './schema-probes.ts'
import { PLAIN_PROBE } from './schema-probes.ts'

/** What a server does with a request that has the tool. */
export type ServerVerdict = 'accepted' | 'refused' | 'hangs' | 'failed' | 'unknown'

/**
 * What a call that `tool_choice` forces looks like: `obeyed` if its arguments fit the schema although the question tempts to break it,
 * `looping` if it has no end within the limit of tokens.
 */
export type ForcedVerdict = 'obeyed' | 'ignored' | 'looping' | 'refused' | 'hangs' | 'failed' | 'unknown'

/** A verdict and what it is based on, on one line; may quote the server. */
export interface SchemaAnswer<Verdict extends string> {
  readonly verdict: Verdict
  readonly evidence: string
}

/** The answers of a server to one tool. */
export interface SchemaAnswers {
  readonly id: string
  readonly server: SchemaAnswer<ServerVerdict>
  /** Null where no call was forced: the tool was not accepted, or the question does not ask for it. */
  readonly forced: SchemaAnswer<ForcedVerdict> | null
}

/** One tool, or several, with the question that is sent. */
export interface SchemaQuestion {
  readonly id: string
  readonly tools: readonly ProbedTool[]
  readonly question: string
  /** Why arguments of a forced call do not fit; null if they do. Absent: no call is forced. */
  readonly misfit?: ((call: string, args: unknown) => string | null) | undefined
}

export interface SchemaProbeOptions {
  readonly baseUrl: string
  readonly apiKey: string
  readonly headers?: EndpointHeaders
  /** Default: the first model that the server lists. */
  readonly model?: string | null
  readonly questions: readonly SchemaQuestion[]
  /** For one request, in milliseconds. */
  readonly timeoutMs: number
  /** For everything, in milliseconds. Default: ten minutes. */
  readonly budgetMs?: number
  readonly fetch?: ClientOptions['fetch']
  /** Called before each question, with how many are answered. */
  readonly onQuestion?: (answered: number) => void
}

/** What a server does with the tools of all questions. */
export interface SchemaServerReport {
  /** Without name, password and query. */
  readonly baseUrl: string
  readonly model: string | null
  /** Whether the server answers and has the model. */
  readonly findings: readonly Finding[]
  /** The plain tool first, then one per question. */
  readonly answers: readonly SchemaAnswers[]
  /** Whether the server answered the plain tool. */
  readonly isAsked: boolean
}

/** A forced call has arguments of a few words. */
export const FORCED_TOKENS = 256
/** The reply to a request that is only accepted does not matter. */
const ACCEPT_TOKENS = 8
const BUDGET_MS = 600_000

/**
 * Sends each tool twice, once with a free choice and once forced, one request after the other. After a request without an answer the
 * plain tool is sent again; if that has no answer either, nothing more is sent. Never throws for what a server does.
 *
 * @throws RunError for an address or a key that no request can be made with
 */
export async function probeSchemas(options: SchemaProbeOptions): Promise<SchemaServerReport> {
  const { baseUrl, apiKey, headers, timeoutMs, fetch, questions, onQuestion } = options
  checkEndpoint(baseUrl, apiKey, headers)
  const over = new AbortController()
  const timer = setTimeout(() => over.abort(), options.budgetMs ?? BUDGET_MS)
  try {
    const address = { baseUrl, apiKey, ...(headers === undefined ? {} : { headers }), timeoutMs, fetch }
    const { model, findings } = await listModels(address, options.model ?? null, over.signal)
    const report = { baseUrl: redactedUrl(baseUrl), model }
    if (model === null) return { ...report, findings, answers: [], isAsked: false }
    const prober = createProber(address, model, over.signal)
    const session = { prober, ended: null as string | null, served: '' }
    const plain = await answerTo(PLAIN_QUESTION, session)
    const isAsked = plain.server.verdict === 'accepted'
    if (!isAsked) session.ended = 'the plain tool was not accepted'
    const answers = [plain]
    for (const question of questions) {
      onQuestion?.(answers.length - 1)
      answers.push(await answerTo(question, session))
    }
    return { ...report, findings: withAnswering(findings, { model, served: session.served }), answers, isAsked }
  } finally {
    clearTimeout(timer)
  }
}

const PLAIN_QUESTION: SchemaQuestion = {
  id: PLAIN_PROBE.id,
  tools: [PLAIN_PROBE.tool],
  question: PLAIN_PROBE.question,
  misfit: (_call, args) => (isRecord(args) && typeof args['value'] === 'string' ? null : 'value is not a text'),
}

interface Session {
  readonly prober: Prober
  /** Why nothing more is sent; null while the server answers. */
  ended: string | null
  served: string
}

async function answerTo(question: SchemaQuestion, session: Session): Promise<SchemaAnswers> {
  const { id, misfit } = question
  const free = await send(question, { tokens: ACCEPT_TOKENS, session })
  const server = acceptedOf(free)
  if (server.verdict !== 'accepted' || misfit === undefined) return { id, server, forced: null }
  const forced = await send(question, { tokens: FORCED_TOKENS, session, choice: 'required' })
  return { id, server, forced: forcedOf(forced, question) }
}

type Sent = Probe | { readonly kind: 'ended'; readonly reason: string }

interface SendHow {
  readonly tokens: number
  readonly session: Session
  readonly choice?: 'required'
}

async function send(question: SchemaQuestion, { tokens, session, choice }: SendHow): Promise<Sent> {
  if (session.ended !== null) return { kind: 'ended', reason: session.ended }
  const { probe } = await session.prober.send(requestOf(question, { model: session.prober.model, tokens, choice }))
  if (probe.kind === 'reply') session.served = probe.reply.servedModel ?? session.served
  if (probe.kind === 'failure' && probe.failure.status === null && probe.failure.kind !== 'unparsed-output')
    await checkAlive(session)
  return probe
}

/** After a silence: whether the server still answers what it answered before. */
async function checkAlive(session: Session): Promise<void> {
  const { model } = session.prober
  const { probe } = await session.prober.send(requestOf(PLAIN_QUESTION, { model, tokens: 1, choice: undefined }))
  if (probe.kind === 'failure' && probe.failure.status === null)
    session.ended = hangs(probe.failure) ? 'the server hangs since then' : 'the server is unavailable since then'
}

function requestOf(
  { tools, question }: SchemaQuestion,
  {
    model,
    tokens,
    choice,
  }: { readonly model: string; readonly tokens: number; readonly choice: 'required' | undefined },
): Parameters<Prober['send']>[0] {
  const parameters = {
    ...{ temperature: 0, seed: SEED, max_tokens: tokens },
    tools: tools.map((tool) => ({ type: 'function', function: tool })),
    ...(choice === undefined ? {} : { tool_choice: choice }),
  }
  return { model, messages: [{ role: 'user', content: question }], parameters }
}

function acceptedOf(sent: Sent): SchemaAnswer<ServerVerdict> {
  if (sent.kind === 'reply') return { verdict: 'accepted', evidence: '' }
  // The model answered: the server took the schema, whatever it made of the reply.
  if (sent.kind === 'failure' && sent.failure.kind === 'unparsed-output') return { verdict: 'accepted', evidence: '' }
  return withoutReply(sent)
}

function withoutReply(
  sent: Exclude<Sent, { kind: 'reply' }>,
): SchemaAnswer<'refused' | 'hangs' | 'failed' | 'unknown'> {
  if (sent.kind === 'ended') return { verdict: 'unknown', evidence: `not asked: ${sent.reason}` }
  if (sent.kind === 'late') return { verdict: 'unknown', evidence: 'not asked: no time was left' }
  const { failure } = sent
  if (hangs(failure)) return { verdict: 'hangs', evidence: failure.message }
  return { verdict: isRefusal(failure) ? 'refused' : 'failed', evidence: failure.message }
}

/** Too many requests, or no time at the server, is not about the schema. */
function isRefusal({ status }: Failure): boolean {
  return status !== null && status >= 400 && status < 500 && status !== 408 && status !== 429
}

function forcedOf(sent: Sent, { tools, misfit }: SchemaQuestion): SchemaAnswer<ForcedVerdict> {
  if (sent.kind === 'failure' && sent.failure.kind === 'never-ends')
    return { verdict: 'looping', evidence: sent.failure.message }
  if (sent.kind !== 'reply') return withoutReply(sent)
  const { reply } = sent
  if (isCut(reply)) return cutOf(reply)
  const [call] = reply.toolCalls
  if (call === undefined)
    return { verdict: 'ignored', evidence: `no call, but ${shown(reply.text || reply.reasoning)}` }
  const known = tools.some(({ name }) => name === call.name)
  if (!known) return { verdict: 'ignored', evidence: `a call of ${shown(call.name)}` }
  const args = call.arguments.trim() === '' ? {} : parsedJson(call.arguments)
  if (args === undefined)
    return { verdict: 'ignored', evidence: `arguments that are not JSON: ${shown(call.arguments)}` }
  const reason = misfit?.(call.name, args) ?? null
  return reason === null
    ? { verdict: 'obeyed', evidence: shown(call.arguments) }
    : { verdict: 'ignored', evidence: `${reason}: ${shown(call.arguments)}` }
}

/** A thought may be longer than the limit; a call of a few words is not. */
function cutOf({ text, reasoning, toolCalls, usage }: Completion): SchemaAnswer<ForcedVerdict> {
  const written = toolCalls.map(({ arguments: args }) => args).join('') || text
  if (written.trim() === '' && reasoning !== '')
    return { verdict: 'unknown', evidence: `still thinking after ${FORCED_TOKENS} tokens` }
  const tokens = usage?.completion ?? FORCED_TOKENS
  return { verdict: 'looping', evidence: `no end after ${tokens} tokens: …${excerpt(written.slice(-60))}` }
}

function shown(text: string): string {
  return text === '' ? 'an empty reply' : excerpt(text)
}
