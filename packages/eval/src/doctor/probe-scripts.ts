import type { Api } from '@callspec/apis'
import { dumps, loads } from '@callspec/python'
import { countsProveNothing } from '../reading/swallowed.ts'
import type { ChatRequest } from '../client/client.ts'
import type { Failure, NativeCall } from '../trace/completion.ts'
import type { Examined, ScriptFinding, ScriptRow } from './finding.ts'
import { ANY_PARSER, asksForKey, HANGS, hangs, NEEDS_KEY, redirectAdvice, REFUSES_ALL } from './finding.ts'
import type { OtherReplies } from './judge-script.ts'
import { found, judgeScript } from './judge-script.ts'
import type { Prober, Probe, SentProbe } from './prober.ts'
import { SEED, isCut, saidIn, saySame } from './prober.ts'
import type { Script } from './scripts.ts'
import { messagesOf, SCRIPTS } from './scripts.ts'

/** Enough for a short thought and a call. */
const TOKENS = 1024

/**
 * Sends every script, whole and streamed, one after the other: many local servers answer one at a time. A whole reply is requested
 * again only where the stream says something else; a server that refuses key, model or address receives one request.
 */
export async function probeScripts(prober: Prober, api: Api = 'chat'): Promise<Examined> {
  const session = createSession(prober, api)
  const asked: AskedScript[] = []
  const refused: ScriptRow[] = []
  for (const script of SCRIPTS) {
    const one = await askScript(session, script)
    if (one === null) {
      refused.push({ script: script.id, whole: session.refusal(), streamed: session.refusal() })
      break
    }
    asked.push(one)
  }
  const own = api === 'chat' ? {} : { api }
  const scripts = [...rowsOf(asked), ...refused].map((row) => ({ ...row, ...own }))
  return { findings: [], scripts, isAsked: session.isAsked(), served: servedIn(asked) }
}

function servedIn(asked: readonly AskedScript[]): string {
  const names = asked.map(({ whole: { probe } }) => (probe.kind === 'reply' ? (probe.reply.servedModel ?? '') : ''))
  return names.find((name) => name !== '') ?? ''
}

interface AskedScript {
  readonly script: Script
  readonly whole: SentProbe
  readonly streamed: SentProbe
  /** Where the stream says something else than whole replies. */
  readonly differs: ScriptFinding | null
}

/** Whether a reply lacks a call that the model wrote is decided with all others at hand. */
function rowsOf(asked: readonly AskedScript[]): readonly ScriptRow[] {
  const others = othersIn(asked)
  return asked.map(({ script, whole, streamed, differs }) => ({
    script: script.id,
    whole: scriptFinding(whole, script, others),
    streamed: differs ?? scriptFinding(streamed, script, others),
  }))
}

function othersIn(asked: readonly AskedScript[]): OtherReplies {
  const replies = asked.flatMap(({ script, whole, streamed }) =>
    [whole.probe, streamed.probe].flatMap((probe) => (probe.kind === 'reply' ? [{ script, reply: probe.reply }] : [])),
  )
  const lacksCall = ({ script, reply }: (typeof replies)[number]): boolean =>
    script.calls.length > 0 && reply.toolCalls.length === 0
  const forced = replies.filter(({ script, reply }) => script.choice !== undefined && !isCut(reply))
  const [doubtful, whole] = [replies.filter(lacksCall), replies.filter((each) => !lacksCall(each))]
  return {
    countsProve: !countsProveNothing(
      whole.map(({ reply }) => reply),
      doubtful.map(({ reply }) => reply),
    ),
    isForceIgnored: forced.length > 0 && forced.every(lacksCall),
  }
}

async function askScript(session: Session, script: Script): Promise<AskedScript | null> {
  const whole = await session.send(script, false)
  if (session.isRefused()) return null
  const streamed = await session.send(script, true)
  const asked = { script, whole, streamed, differs: null }
  const [one, other] = [whole.probe, streamed.probe]
  if (scriptFinding(streamed, script, null).verdict === 'fail' || saySame(one, other) !== false) return asked
  const again = await session.send(script, false)
  return saySame(one, again.probe) === true ? { ...asked, differs: streamDifference(one, other) } : asked
}

function streamDifference(whole: Probe, streamed: Probe): ScriptFinding {
  const [one, other] = [whole, streamed].map((probe) => (probe.kind === 'reply' ? saidIn(probe.reply) : ''))
  const evidence = `the stream says ${shown(other ?? '')}, whole replies say ${shown(one ?? '')}`
  return found('fail', evidence, 'Ask for whole replies: the server reads its own stream otherwise.')
}

function shown(said: string): string {
  return said.length > 100 ? `${said.slice(0, 100)}…` : said
}

function requestOf(script: Script, model: string, api: Api): ChatRequest {
  const { tools, choice } = script
  const parameters = {
    temperature: 0,
    seed: SEED,
    max_tokens: TOKENS,
    tools: tools.map((tool) => ({ type: 'function', function: tool })),
    ...(choice === undefined ? {} : { tool_choice: choice }),
  }
  return { model, messages: messagesOf(script), parameters, ...(api === 'chat' ? {} : { api }) }
}

interface Session {
  send(script: Script, stream: boolean): Promise<SentProbe>
  /** Whether the server refused key or model, so that no other request can succeed. */
  isRefused(): boolean
  /** Whether any request had another result than that. */
  isAsked(): boolean
  refusal(): ScriptFinding
}

const IS_KEY_RIGHT = 'Is the key right, and the name of the model?'

function scriptAdvice(refusal: Failure | null): string {
  const status = refusal?.status ?? null
  if (asksForKey(status)) return NEEDS_KEY
  if (refusal !== null && hangs(refusal)) return HANGS
  return redirectAdvice(status) ?? IS_KEY_RIGHT
}

function createSession(prober: Prober, api: Api): Session {
  let [refusal, isAsked] = [null as Failure | null, false]
  return {
    isRefused: () => refusal !== null,
    isAsked: () => isAsked,
    refusal: () =>
      api !== 'chat' && MISSING.has(refusal?.status ?? 0)
        ? found('unknown', `the server does not have it: ${refusal?.message ?? ''}`)
        : found('fail', refusal?.message ?? '', scriptAdvice(refusal)),
    // Not repeated after a failure: the replies of two requests would be compared as one.
    send: async (script, stream) => {
      const sent = await prober.send(requestOf(script, prober.model, api), { stream })
      if (sent.probe.kind === 'failure' && refusesAll(sent.probe.failure, isAsked)) refusal = sent.probe.failure
      else if (sent.probe.kind !== 'late') isAsked = true
      return api === 'messages' ? { ...sent, probe: withValues(sent.probe) } : sent
    },
  }
}

/** Whole replies of messages have the values of arguments, streams their spelling: only what they mean is compared. */
function withValues(probe: Probe): Probe {
  if (probe.kind !== 'reply') return probe
  const { reply } = probe
  return { ...probe, reply: { ...reply, toolCalls: reply.toolCalls.map(withValue) } }
}

function withValue(call: NativeCall): NativeCall {
  try {
    return { ...call, arguments: dumps(loads(call.arguments)) }
  } catch {
    // Not JSON: the judges say so.
    return call
  }
}

/** Statuses of an API that a server does not have. */
const MISSING: ReadonlySet<number> = new Set([404, 405, 501])

/** Includes a server that hangs before its first reply. */
function refusesAll(failure: Failure, hasAnswered: boolean): boolean {
  const status = failure.status ?? 0
  return REFUSES_ALL.has(status) || (!hasAnswered && (hangs(failure) || MISSING.has(status)))
}

function scriptFinding({ probe, breaches }: SentProbe, script: Script, others: OtherReplies | null): ScriptFinding {
  if (probe.kind === 'late') return found('unknown', 'not asked: no time was left')
  if (probe.kind === 'reply') return judgeScript({ script, reply: probe.reply, breaches, others })
  const { kind, status, message } = probe.failure
  if (kind === 'unparsed-output')
    return found('fail', `the server cannot read what the model wrote: ${message}`, ANY_PARSER)
  const isRefused = status !== null && status >= 400 && status < 500
  if (status === TOO_MANY) return found('unknown', `too many requests: ${message}`, 'Ask again later.')
  if (isRefused && script.choice !== undefined) return found('warn', `tool_choice is refused: ${message}`)
  return found('fail', isRefused ? `refused: ${message}` : message, isRefused ? ANY_PARSER : null)
}

const TOO_MANY = 429
