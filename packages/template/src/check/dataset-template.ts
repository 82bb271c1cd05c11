import { callsOf, FORMATS } from '@callspec/core'
import type { CallItem, Format, ReplyItem } from '@callspec/core'
import { fromPlain, isDict, isList } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'
import { USUAL, variablesOf } from '../lint/probe.ts'
import { callProbe } from '../lint/probes.ts'
import { variablesWithDefaults } from '../source/renderer.ts'
import type { VariableSettings } from '../source/renderer.ts'
import type { TextSource } from '../source/template-source.ts'
import { compileTemplate } from '../template.ts'
import type { Rendering } from '../rendering.ts'
import { checkCalls } from './check-format.ts'
import { controlTokens, tokenPattern } from './marker-in-text.ts'
import type { Sample } from './sample.ts'
import { callsOfMessage, functionOf, readCallArguments, sameValue, THINK_END, toolOfCall } from './sample.ts'

/** A template that checks a data set. */
export interface DatasetTemplate {
  /** Renders the first messages of a sample. */
  render(sample: Sample, view: { readonly messages: readonly PyValue[]; readonly generationPrompt: boolean }): Rendering
  /** The text after each message of the model; null if it cannot be found out. */
  readonly turnEnd: string | null
  /** Formats to read replies with, the most likely first. */
  readonly formats: readonly Format[]
  /** Matches the control tokens of its vocabulary. */
  readonly markers: RegExp
}

/** Finds out how the template ends turns, and which formats read the calls that it writes. */
export async function createDatasetTemplate(
  source: TextSource,
  { forced, now }: VariableSettings,
  format: Format | null,
): Promise<DatasetTemplate> {
  const { template, tokens } = source
  const compiled = compileTemplate(template)
  const render: DatasetTemplate['render'] = ({ tools, variables }, { messages, generationPrompt }) => {
    const given = new Map<string, PyValue>([
      ['messages', messages],
      ['tools', tools],
      ['add_generation_prompt', generationPrompt],
      ...variables,
    ])
    return compiled.render(variablesWithDefaults(given, { tokens, forced }), { now })
  }
  const formats = format === null ? await readingFormats(render) : [format]
  const markers = tokenPattern(controlTokens(source))
  return { render, turnEnd: turnEndOf(render), formats, markers }
}

const ANSWER = 'SAIDQZ'

function turnEndOf(render: DatasetTemplate['render']): string | null {
  const messages = [messageWith('user', 'Hello.'), messageWith('assistant', ANSWER)]
  const shown = render(sampleOf(messages, null), { messages, generationPrompt: false })
  if (shown.kind === 'raised') return null
  const at = shown.text.lastIndexOf(ANSWER)
  const end = at === -1 ? '' : shown.text.slice(at + ANSWER.length).trim()
  return end === '' ? null : end
}

/** All formats, those that read back a call of the template first. */
async function readingFormats(render: DatasetTemplate['render']): Promise<readonly Format[]> {
  const variables = fromPlain(variablesOf(callProbe(USUAL)))
  if (!isDict(variables)) return FORMATS
  const ranked: { readonly format: Format; readonly fits: boolean }[] = []
  for (const format of FORMATS) {
    const renderFor = () => (messages: readonly PyValue[], generationPrompt: boolean) => {
      const shown = render(sampleOf([], variables.get('tools') ?? null), { messages, generationPrompt })
      return Promise.resolve(shown.kind === 'rendered' ? shown.text : null)
    }
    const { read, deviations } = await checkCalls(format, [{ id: 'call', variables, now: null }], renderFor)
    ranked.push({ format, fits: read > 0 && deviations.length === 0 })
  }
  return [...ranked.filter(({ fits }) => fits), ...ranked.filter(({ fits }) => !fits)].map((each) => each.format)
}

function messageWith(role: string, content: string): PyDict {
  return new Map([
    ['role', role],
    ['content', content],
  ])
}

function sampleOf(messages: readonly PyDict[], tools: PyValue): Sample {
  return { where: '', messages, tools: isList(tools) ? tools : null, variables: new Map() }
}

/** One turn of the model as the template writes it. */
interface TurnText {
  readonly prompt: string
  readonly reply: string
  readonly message: PyDict
}

interface TurnReading {
  readonly format: Format
  /** Calls of the message that were not read as they were made. */
  readonly unread: readonly PyDict[]
  readonly message: PyDict
}

/** The reading of the format that reads most calls; of several, the first. */
export function readTurn(turn: TurnText, sample: Sample, formats: readonly Format[]): TurnReading | null {
  let best: TurnReading | null = null
  for (const format of formats) {
    const reading = readWith(format, turn, sample)
    if (best === null || reading.unread.length < best.unread.length) best = reading
    if (best.unread.length === 0) return best
  }
  return best
}

function readWith(format: Format, { prompt, reply, message }: TurnText, { tools }: Sample): TurnReading {
  const wanted = callsOfMessage(message)
  const open = format.markers.thought?.open
  const { items } = format.read(open === undefined ? withoutThought(reply) : reply, {
    thoughtInContent: open !== undefined && prompt.trimEnd().endsWith(open),
    parallelCalls: true,
    tools: isList(tools) && tools.length > 0 ? tools.filter(isDict) : wanted.map(toolOfCall),
  })
  const calls = callsOf(items)
  const unread = wanted.filter((call, index) => !isReadAs(call, calls[index]))
  return { format, unread, message: rewritten(message, { items, thoughts: open !== undefined }) }
}

function isReadAs(wanted: PyDict, call: CallItem | undefined): boolean {
  const made = functionOf(wanted)
  return call !== undefined && made.name === call.name && sameValue(made.arguments, readCallArguments(call.arguments))
}

/** A server removes reasoning before it reads calls, if the format has no reasoning. */
function withoutThought(reply: string): string {
  const end = reply.indexOf(THINK_END)
  return end === -1 ? reply : reply.slice(end + THINK_END.length)
}

interface ReadBack {
  readonly items: readonly ReplyItem[]
  readonly thoughts: boolean
}

/** The message with its content, reasoning and calls replaced by what was read, in the same form. */
function rewritten(message: PyDict, { items, thoughts }: ReadBack): PyDict {
  const entries = [...message].map(([name, value]): readonly [string, PyValue] => {
    if (name === 'content') return [name, contentFrom(value, itemsText(items, 'text'))]
    if (name === 'reasoning_content' && typeof value === 'string' && thoughts)
      return [name, sameTrimmed(value, itemsText(items, 'reasoning'))]
    if (name === 'tool_calls') return [name, callsFrom(value, items)]
    return [name, value]
  })
  return new Map(entries)
}

function itemsText(items: readonly ReplyItem[], kind: 'text' | 'reasoning'): string {
  return items.flatMap((item) => (item.kind === kind ? [item.text] : [])).join('')
}

/** No reader distinguishes null, empty and absent content. */
function contentFrom(before: PyValue, text: string): PyValue {
  if (text.trim() === '' && (before === null || (typeof before === 'string' && before.trim() === ''))) return before
  // No reader returns parts, or reasoning within the content: they are the trainer's own form.
  if (typeof before !== 'string' || before.includes(THINK_END)) return before
  return sameTrimmed(before, text)
}

/** White space at the ends is the template's, which writes its own. */
function sameTrimmed(before: string, text: string): string {
  return before.trim() === text.trim() ? before : text
}

function callsFrom(before: PyValue, items: readonly ReplyItem[]): PyValue {
  const given = isList(before) ? before : []
  if (callsOf(items).length === 0 && given.length === 0) return before
  return callsOf(items).map((call, index) => callFrom(given[index] ?? null, call))
}

function callFrom(before: PyValue, call: CallItem): PyDict {
  const given: PyDict = isDict(before)
    ? before
    : new Map<string, PyValue>([
        ['type', 'function'],
        ['function', null],
      ])
  const inner = given.get('function')
  const made: PyDict = isDict(inner) ? inner : new Map()
  const isText = typeof made.get('arguments') === 'string'
  const read = new Map<string, PyValue>([
    ...made,
    ['name', call.name],
    ['arguments', isText ? call.arguments : readCallArguments(call.arguments)],
  ])
  return isDict(inner) || !given.has('name') ? new Map([...given, ['function', read]]) : new Map([...given, ...read])
}
