import { countsProveNothing } from '../../reading/swallowed.ts'
import { createBreaker } from '../../client/breaker.ts'
import { createClient } from '../../client/client.ts'
import type { ChatRequest, Client } from '../../client/client.ts'
import { createStreamWatch } from '../../client/stream-laws.ts'
import type { Breach } from '../../client/stream-laws.ts'
import type { ModelListOptions } from '../list-models.ts'
import type { Failure } from '../../trace/failure.ts'
import { ANY_PARSER } from '../parser-advice.ts'
import type { Probe } from '../probe.ts'
import { SEED } from '../probes.ts'
import { asksForKey, HANGS, hangs, NEEDS_KEY, redirectAdvice, REFUSES_ALL } from '../refuses-all.ts'
import { isCut, saidIn, saySame } from '../said.ts'
import { judgeReply } from './judge-reply.ts'
import { messagesOf } from './script.ts'
import type { Script } from './script.ts'
import { SCRIPTS } from './scripts.ts'
import { found } from './seen.ts'
import type { OtherReplies, ScriptFinding } from './seen.ts'

type Address = ModelListOptions

/** What one script found, asked for whole and as a stream. */
export interface ScriptRow {
  /** Id of one of `SCRIPTS`. */
  readonly script: string
  readonly whole: ScriptFinding
  readonly streamed: ScriptFinding
}

/** Long enough for a short thought and a call. */
const TOKENS = 1024

/** What all scripts found. */
export interface AskedScripts {
  readonly rows: readonly ScriptRow[]
  /** Whether any was asked: false where the server refused key, model or address at once, or never came to an answer in time. */
  readonly isAsked: boolean
  /** What the server calls the model that answered; empty where it does not say. */
  readonly served: string
}

interface Asking {
  readonly model: string
  readonly signal: AbortSignal
}

/**
 * Asks every script, one after the other: many local servers answer one at a time. A whole reply is asked for again only where the
 * stream says something else; a server that refuses key, model or address is asked once.
 */
export async function askScripts(address: Address, { model, signal }: Asking): Promise<AskedScripts> {
  const asker = createAsker(address, signal)
  const asked: AskedScript[] = []
  const judged = (): readonly ScriptRow[] => rowsOf(asked)
  for (const script of SCRIPTS) {
    const one = await askScript(asker, script, model)
    if (one === null) {
      const refused = { script: script.id, whole: asker.refusal(), streamed: asker.refusal() }
      return { rows: [...judged(), refused], isAsked: asker.isAsked(), served: servedIn(asked) }
    }
    asked.push(one)
  }
  return { rows: judged(), isAsked: asker.isAsked(), served: servedIn(asked) }
}

function servedIn(asked: readonly AskedScript[]): string {
  const names = asked.map(({ whole: { probe } }) => (probe.kind === 'reply' ? (probe.reply.servedModel ?? '') : ''))
  return names.find((name) => name !== '') ?? ''
}

interface AskedScript {
  readonly script: Script
  readonly whole: Answered
  readonly streamed: Answered
  /** Where the stream says something else than whole replies. */
  readonly differs: ScriptFinding | null
}

/** Whether a reply lacks a call that the model wrote is decided with all others at hand. */
function rowsOf(asked: readonly AskedScript[]): readonly ScriptRow[] {
  const others = othersIn(asked)
  return asked.map(({ script, whole, streamed, differs }) => ({
    script: script.id,
    whole: findingOf(whole, script, others),
    streamed: differs ?? findingOf(streamed, script, others),
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

async function askScript(asker: Asker, script: Script, model: string): Promise<AskedScript | null> {
  const request = requestOf(script, model)
  const whole = await asker.ask(request, 'whole')
  if (asker.isRefused()) return null
  const streamed = await asker.ask(request, 'streamed')
  const asked = { script, whole, streamed, differs: null }
  const [one, other] = [whole.probe, streamed.probe]
  if (findingOf(streamed, script, null).verdict === 'fail' || saySame(one, other) !== false) return asked
  const again = await asker.ask(request, 'whole')
  return saySame(one, again.probe) === true ? { ...asked, differs: differenceOf(one, other) } : asked
}

function differenceOf(whole: Probe, streamed: Probe): ScriptFinding {
  const [one, other] = [whole, streamed].map((probe) => (probe.kind === 'reply' ? saidIn(probe.reply) : ''))
  const evidence = `the stream says ${shown(other ?? '')}, whole replies say ${shown(one ?? '')}`
  return found('fail', evidence, 'Ask for whole replies: the server reads its own stream otherwise.')
}

function shown(said: string): string {
  return said.length > 100 ? `${said.slice(0, 100)}…` : said
}

function requestOf(script: Script, model: string): ChatRequest {
  const { tools, choice } = script
  const parameters = {
    temperature: 0,
    seed: SEED,
    max_tokens: TOKENS,
    tools: tools.map((tool) => ({ type: 'function', function: tool })),
    ...(choice === undefined ? {} : { tool_choice: choice }),
  }
  return { model, messages: messagesOf(script), parameters }
}

interface Answered {
  readonly probe: Probe
  readonly breaches: readonly Breach[]
}

interface Asker {
  ask(request: ChatRequest, mode: 'whole' | 'streamed'): Promise<Answered>
  /** Whether the server has refused key or model, so that nothing else can be asked. */
  isRefused(): boolean
  /** Whether it has done something else than that with any request. */
  isAsked(): boolean
  refusal(): ScriptFinding
}

const IS_KEY_RIGHT = 'Is the key right, and the name of the model?'

function adviceFor(refusal: Failure | null): string {
  const status = refusal?.status ?? null
  if (asksForKey(status)) return NEEDS_KEY
  if (refusal !== null && hangs(refusal)) return HANGS
  return redirectAdvice(status) ?? IS_KEY_RIGHT
}

function createAsker({ fetch, ...server }: Address, signal: AbortSignal): Asker {
  let watch = createStreamWatch()
  const own = { ...server, ...(fetch === undefined ? {} : { fetch }), maxRetries: 0 }
  const make = (stream: boolean): Client =>
    // What is to be found out is whether it answers now.
    createClient({ ...own, breaker: createBreaker({ patienceMs: 0 }), stream, onEvent: (event) => watch.add(event) })
  const clients = { whole: make(false), streamed: make(true) }
  let [refusal, isAsked] = [null as Failure | null, false]
  return {
    isRefused: () => refusal !== null,
    isAsked: () => isAsked,
    refusal: () => found('fail', refusal?.message ?? '', adviceFor(refusal)),
    ask: async (request, mode) => {
      watch = createStreamWatch()
      const probe = await probeOf(clients[mode], request, signal)
      if (probe.kind === 'failure' && refusesAll(probe.failure, isAsked)) refusal = probe.failure
      else if (probe.kind !== 'late') isAsked = true
      return { probe, breaches: mode === 'whole' ? [] : watch.end() }
    },
  }
}

/** A server that hangs before it has answered anything is asked no more. */
function refusesAll(failure: Failure, hasAnswered: boolean): boolean {
  return REFUSES_ALL.has(failure.status ?? 0) || (!hasAnswered && hangs(failure))
}

async function probeOf(client: Client, request: ChatRequest, signal: AbortSignal): Promise<Probe> {
  if (signal.aborted) return { kind: 'late' }
  try {
    const outcome = await client.complete(request, signal)
    return outcome.kind === 'done'
      ? { kind: 'reply', reply: outcome.value }
      : { kind: 'failure', failure: outcome.error.failure }
  } catch (error) {
    if (signal.aborted) return { kind: 'late' }
    throw error
  }
}

function findingOf({ probe, breaches }: Answered, script: Script, others: OtherReplies | null): ScriptFinding {
  if (probe.kind === 'late') return found('unknown', 'not asked: no time was left')
  if (probe.kind === 'reply') return judgeReply({ script, reply: probe.reply, breaches, others })
  const { kind, status, message } = probe.failure
  if (kind === 'unparsed-output')
    return found('fail', `the server cannot read what the model wrote: ${message}`, ANY_PARSER)
  const isRefused = status !== null && status >= 400 && status < 500
  if (status === TOO_MANY) return found('unknown', `too many requests: ${message}`, 'Ask again later.')
  if (isRefused && script.choice !== undefined) return found('warn', `tool_choice is refused: ${message}`)
  return found('fail', isRefused ? `refused: ${message}` : message, isRefused ? ANY_PARSER : null)
}

/** Nothing is asked again here: the answers of two requests would be mixed. */
const TOO_MANY = 429
