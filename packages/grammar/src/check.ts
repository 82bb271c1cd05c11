import { type Format, type Reply, callsOf } from '@callspec/core'
import { dumps, fromPlain, type PlainValue } from '@callspec/python'
import { acceptText } from './accept.ts'
import { startAcceptor } from './acceptor.ts'
import type { CompiledGrammar } from './compile.ts'
import { mayBeginInThought } from './export/reply-spelling.ts'
import type { Expression } from './expression.ts'
import { misfit } from './fits.ts'
import { type GrammarTool, type SampleReply, sampleReplies } from './sample-calls.ts'
import { shrinkReply, shrinkText } from './shrink.ts'
import { type TemplateWriter, type WriteReply, formatWriter } from './template-texts.ts'
import { createRandom, createWalker } from './walk.ts'

/** What a grammar was made for. */
export type CheckRequest = {
  readonly grammar: CompiledGrammar
  readonly format: Format
  readonly tools: readonly GrammarTool[]
  /** `required` demands a call; an object demands a call of that tool. */
  readonly choice: 'auto' | 'required' | { readonly name: string }
  /** Whether a reply may have several calls. */
  readonly parallel: boolean
  /** Whether replies begin inside a thought that the prompt has opened. */
  readonly reasoning: boolean
  /** Where the grammar starts to hold, for one that waits for a trigger; null: at the first character. */
  readonly startOf: ((text: string) => number | null) | null
  /** What precedes the reply, for a grammar that begins with the generation prompt. */
  readonly before: string
  /** Writes replies as the model's chat template does. */
  readonly template: TemplateWriter | null
  /** How many random texts of the grammar are read. */
  readonly walks: number
}

/**
 * A disagreement. `refused`: the grammar refuses what template or writer writes. `unread`: it accepts a text that the reader of the format
 * does not read as calls that fit the schemas, as many as requested.
 */
export type GrammarFinding = {
  readonly kind: 'refused' | 'unread'
  /** Who wrote the text: `template`, `writer`, a random `walk` through the grammar, or an `edit` of what the writer writes. */
  readonly by: 'template' | 'writer' | 'walk' | 'edit'
  /** What is special about the first such text. */
  readonly about: string
  /** The smallest such text. */
  readonly text: string
  /** For a refused text: the byte, and what was expected there. */
  readonly at: number | null
  readonly expected: readonly string[]
  /** How many texts have this finding. */
  readonly count: number
}

/** Findings, and how many texts were compared. */
export type GrammarCheck = {
  readonly written: number
  readonly walked: number
  readonly findings: readonly GrammarFinding[]
}

/** Compares a grammar with what template and writer write (complete), and with what the reader reads (sound). Deterministic. */
export function checkGrammar(request: CheckRequest): GrammarCheck {
  const complete = checkComplete(request)
  const sound = checkSound(request)
  return {
    written: complete.texts,
    walked: sound.texts,
    findings: [...complete.findings, ...sound.findings],
  }
}

type Side = { readonly texts: number; readonly findings: readonly GrammarFinding[] }

function checkComplete(request: CheckRequest): Side {
  const { format, template, choice, reasoning } = request
  const tools = typeof choice === 'object' ? request.tools.filter(({ name }) => name === choice.name) : request.tools
  const wants = {
    thoughts: reasoning,
    several: request.parallel && choice !== 'auto' ? typeof choice !== 'object' : request.parallel,
    prose: choice === 'auto',
  }
  const replies = sampleReplies(tools, wants).filter(
    ({ text, calls }) => text === null || calls.length === 0 || format.traits.callsAlone !== true,
  )
  const writers: readonly (readonly [GrammarFinding['by'], WriteReply])[] = [
    ...(template ? [['template', template.write] as const] : []),
    ['writer', formatWriter(format, (value) => dumps(fromPlain(value as PlainValue)))],
  ]
  const findings = new Map<string, GrammarFinding>()
  let texts = 0
  for (const [by, write] of writers)
    for (const reply of replies) {
      const text = openedText(write(reply), { by, request })
      if (text === null) continue
      texts += 1
      if (refusalOf(text, request) === null) continue
      const opened: WriteReply = (one) => openedText(write(one), { by, request })
      const small = shrinkReply(reply, (one) => hasRefusal(opened, one, request))
      const smallText = opened(small) ?? text
      const known = findings.get(smallText)
      const refusal = refusalOf(smallText, request)
      findings.set(smallText, {
        kind: 'refused',
        by: known?.by ?? by,
        about: known?.about ?? reply.id,
        text: smallText,
        at: refusal?.at ?? null,
        expected: refusal?.expected ?? [],
        count: (known?.count ?? 0) + 1,
      })
    }
  return { texts, findings: [...findings.values()] }
}

function hasRefusal(write: WriteReply, reply: SampleReply, request: CheckRequest): boolean {
  const isCallMissing = reply.calls.length === 0 && request.choice !== 'auto'
  const fits = reply.calls.every((call) => misfitOf(call.name, call.arguments, request) === null)
  if (isCallMissing || !fits || (request.reasoning && reply.thought === null)) return false
  const text = write(reply)
  return text !== null && refusalOf(text, request) !== null
}

// The writer begins a reply with what the prompt may have opened: the longest such beginning is left out.
function openedText(
  text: string | null,
  { by, request }: { readonly by: GrammarFinding['by']; readonly request: CheckRequest },
): string | null {
  if (text === null || by === 'template') return text
  const { reasoning, format, template } = request
  const thought = reasoning && mayBeginInThought(format) ? (format.markers.thought?.open.trim() ?? '') : ''
  const prompt = template?.prompt ?? ''
  for (let length = Math.min(text.length, prompt.length); length > 0; length -= 1)
    if (prompt.endsWith(text.slice(0, length))) return text.slice(length)
  return thought !== '' && text.startsWith(thought) ? text.slice(thought.length) : text
}

type Refused = { readonly at: number; readonly expected: readonly string[] }

// A reply ends at a token: with it, where the grammar spells it, or without it, where the engine stops there by itself. What the grammar
// alone allows then may follow, too, since writers leave out what ends a message.
function refusalOf(text: string, request: CheckRequest): Refused | null {
  const { grammar, startOf, before, format } = request
  const start = startOf ? startOf(text) : 0
  if (start === null) return null
  const held = text.slice(start)
  const verdict = acceptText(grammar, before + held)
  if (verdict.accepted || verdict.error !== undefined) return null
  const stops = [...format.stops.end, ...format.stops.handOver].filter((stop) => stop !== '')
  const endings = stops.map((stop) => (held.endsWith(stop) ? held.slice(0, -stop.length) : held + stop))
  if (verdict.incomplete) endings.push(held + forcedEnding(before + held, grammar))
  if (endings.some((ending) => acceptText(grammar, before + ending).accepted)) return null
  const skipped = bytesOf(text.slice(0, start)) - bytesOf(before)
  return { at: verdict.at + skipped, expected: verdict.expected }
}

const MAX_FORCED = 3

// What the grammar allows as the only continuation.
function forcedEnding(text: string, grammar: CompiledGrammar): string {
  const acceptor = startAcceptor(grammar)
  acceptor.feed(text)
  let ending = ''
  for (let left = MAX_FORCED; left > 0 && !acceptor.mayEnd(); left -= 1) {
    const [only, other] = acceptor.expected()
    if (only === undefined || other !== undefined || !only.startsWith('"')) return ending
    const literal = JSON.parse(only) as string
    acceptor.feed(literal)
    ending += literal
  }
  return ending
}

const bytesOf = (text: string): number => new TextEncoder().encode(text).length

function checkSound(request: CheckRequest): Side {
  const walker = createWalker(request.grammar.rules)
  if (!walker) return { texts: 0, findings: [] }
  const random = createRandom(1)
  const found = new Map<string, { text: string; by: GrammarFinding['by']; count: number }>()
  let texts = 0
  const look = (text: string, by: GrammarFinding['by']): void => {
    texts += 1
    const reason = unreadReason(text, request)
    if (reason === null) return
    const known = found.get(reason)
    // The shortest text is shrunk: less of it can turn into something else.
    if (!known || text.length < known.text.length) found.set(reason, { text, by, count: (known?.count ?? 0) + 1 })
    else known.count += 1
  }
  for (let walk = 0; walk < request.walks; walk += 1) {
    const whole = walker(random)
    const text = whole.slice(request.before.length)
    if (whole.startsWith(request.before) && acceptText(request.grammar, whole).accepted) look(text, 'walk')
  }
  for (const text of slippedTexts(request)) if (isAccepted(text, request)) look(text, 'edit')
  const findings = [...found].map(([reason, { text, by, count }]): GrammarFinding => {
    const small = shrinkText(text, (one) => isUnread(one, { reason, from: text }, request))
    return { kind: 'unread', by, about: reason, text: small, at: null, expected: [], count }
  })
  return { texts, findings }
}

function isAccepted(text: string, request: CheckRequest): boolean {
  return text !== '' && refusalOf(text, request) === null
}

/** Calls that do not fit, with white space left out: free text may let them pass a trigger that needs it. */
function slippedTexts(request: CheckRequest): readonly string[] {
  const write = formatWriter(request.format, (value) => dumps(fromPlain(value as PlainValue)))
  return request.tools
    .filter(({ parameters }) => misfit({}, parameters) !== null)
    .flatMap(({ name }) => {
      const reply = { id: '', thought: null, text: null, calls: [{ name, arguments: {} }] }
      const text = write(reply) ?? ''
      return [text, text.replace('\n', ''), text.replace(/\n/g, ''), ` ${text}`, text.replace(': ', ':')]
    })
}

function isUnread(
  text: string,
  { reason, from }: { readonly reason: string; readonly from: string },
  request: CheckRequest,
): boolean {
  if (unreadReason(text, request) !== reason || !acceptText(request.grammar, request.before + text).accepted)
    return false
  return unboundCalls(text, request) <= unboundCalls(from, request)
}

// Calls beyond those that a trigger begins: a text must not shrink to one where the grammar sees free text, and the reader a call.
function unboundCalls(text: string, request: CheckRequest): number {
  const calls = callsOf(readText(text, request).items).length
  const triggers = triggersOf(request.grammar).reduce((sum, trigger) => sum + text.split(trigger).length - 1, 0)
  return calls - triggers
}

const TRIGGERS = new WeakMap<CompiledGrammar, readonly string[]>()

function triggersOf(grammar: CompiledGrammar): readonly string[] {
  const known = TRIGGERS.get(grammar)
  if (known) return known
  const found = new Set<string>()
  const visit = (expression: Expression): void => {
    if (expression.kind === 'sequence' || expression.kind === 'choice') expression.items.forEach(visit)
    if (expression.kind === 'repeat') visit(expression.item)
    if (expression.kind === 'free')
      for (const { trigger, body } of expression.dispatch) {
        found.add(trigger)
        visit(body)
      }
  }
  for (const body of grammar.rules.rules.values()) visit(body)
  TRIGGERS.set(grammar, [...found])
  return [...found]
}

function readText(text: string, { format, reasoning, tools }: CheckRequest): Reply {
  const definitions = tools.map((tool) => ({ name: tool.name, parameters: tool.parameters as PlainValue }))
  return format.read(text, {
    tools: definitions,
    thoughtInContent: reasoning && mayBeginInThought(format),
    thinking: reasoning,
    parallelCalls: true,
  })
}

/** Why the reader does not read a text as requested; null if it does. */
function unreadReason(text: string, request: CheckRequest): string | null {
  const { choice, parallel } = request
  // A number beyond a double is JSON that few programs can hold: no fault of a grammar.
  if (/\d[eE]\+?\d{3,}/.test(text)) return null
  const { items, error } = readText(text, request)
  if (error !== null) return `the reader raises ${error.type}`
  const issue = items.find((item) => item.kind === 'issue' && item.weight === 'harm')
  if (issue?.kind === 'issue') return `the reader reports ${issue.code}`
  const calls = callsOf(items)
  for (const call of calls) {
    const given = readArguments(call.arguments)
    const reason = given === undefined ? 'the arguments are not JSON' : misfitOf(call.name, given, request)
    if (reason !== null) return reason
  }
  if (choice !== 'auto' && calls.length === 0) return 'no call is read'
  if (!parallel && calls.length > 1) return 'several calls are read'
  return typeof choice === 'object' && calls.some(({ name }) => name !== choice.name) ? 'another tool is called' : null
}

function misfitOf(name: string, given: unknown, { tools }: CheckRequest): string | null {
  const tool = tools.find((one) => one.name === name)
  if (!tool) return 'no such tool'
  const reason = misfit(given, tool.parameters)
  return reason === null ? null : `${name}: ${reason}`
}

function readArguments(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
