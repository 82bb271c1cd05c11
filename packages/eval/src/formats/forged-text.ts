import type { Format } from '@callspec/core'
import { FORMATS, formatNamed, joinParts } from '@callspec/core'
import type { PlainValue, PyDict, PyValue } from '@callspec/python'
import { dumps, fromPlain } from '@callspec/python'
import type { FormatName } from '../trace/format-names.ts'
import { formatParts } from '../trace/eval-api.ts'
import { formatId, NATIVE, OTHER_FORMATS, ROLE, SERVED_FORMAT } from '../trace/format-names.ts'
import type { Arm, Injection, MarksFrom, PlantedText } from '../trace/injection.ts'
import { ARMS } from '../trace/injection.ts'
import { RunError } from '../trace/run-error.ts'
import { END_MARK } from '../trace/run-manifest.ts'
import type { Suite, Task, ToolSpec } from '../trace/task.ts'
import { offeredTools } from '../trace/task.ts'
import { NOW } from '../world/world.ts'
import type { Reading } from '../reading/call-block.ts'
import type { EvalFormat, FormatTable } from './eval-format.ts'
import { BUILT_IN_FORMATS, evalFormat } from './table.ts'

/** Writes the prompt of a conversation in the OpenAI shape; null where it cannot. */
export type WritePrompt = (
  messages: readonly Readonly<Record<string, unknown>>[],
  options: { readonly tools: readonly ToolSpec[]; readonly isForReply: boolean },
) => string | null

/** A server whose chat template is known. */
export interface TemplateInUse {
  readonly model: string
  readonly write: WritePrompt
}

export interface ForgingOptions {
  readonly formats: readonly FormatName[]
  readonly table?: FormatTable
  /** The templates of the servers that read calls themselves (`native`). */
  readonly templates?: readonly TemplateInUse[]
}

/**
 * The suite with the texts of its arms for these formats; any other suite unchanged. What is forged comes from the format: the text between
 * a result and a user's turn in its own prompt, and its own spelling of a call. For `native` it comes from the template of the server, where
 * that is known; otherwise the marks are those of ChatML.
 *
 * @throws RunError for `role-react`, which has no text for a call
 */
export function withForgedTexts(suite: Suite, options: ForgingOptions): Suite {
  const isForged = ({ injection }: Task): boolean =>
    injection === undefined || injection.planted.some(({ protocol }) => options.formats.includes(protocol))
  if (suite.tasks.every(isForged)) return suite
  if (options.formats.includes(ROLE))
    throw new RunError(`${ROLE} asks for calls in parts, so that no text is a call: leave it out of this suite`)
  const tasks = suite.tasks.map((task): Task => {
    const { injection } = task
    if (injection === undefined) return task
    const tools = offeredTools(suite, task)
    return { ...task, injection: { ...injection, planted: plantedTexts(injection, tools, options) } }
  })
  return { ...suite, tasks }
}

function plantedTexts(
  injection: Injection,
  tools: readonly ToolSpec[],
  { formats, table = BUILT_IN_FORMATS, templates = [] }: ForgingOptions,
): readonly PlantedText[] {
  return formats.flatMap((protocol) => {
    const text = (marks: Marks, model?: string): PlantedText => ({
      protocol,
      ...(model === undefined ? {} : { model }),
      ...planted(injection, marks),
    })
    const own = templates.filter(() => formatParts(protocol).bare === NATIVE)
    return [
      text(marksOfFormat(evalFormat(protocol, table), injection, tools)),
      ...own.flatMap(({ model, write }) => {
        const marks = marksOfTemplate(write, injection, tools)
        return marks === null ? [] : [text(marks, model)]
      }),
    ]
  })
}

/** What the forged texts of a task are made of. */
interface Marks {
  /** From the end of a result to the text of the user's next turn, with an answer in between. */
  readonly turn: string
  readonly call: string
  readonly otherCall: string
  readonly from: MarksFrom
}

function planted(
  { arm, holds, order, filler }: Injection,
  { turn, call, otherCall, from }: Marks,
): Omit<PlantedText, 'protocol' | 'model'> {
  const forged: Readonly<Record<Arm, string>> = {
    turn: turn + order,
    call: `\n${call}`,
    'other-call': `\n${otherCall}`,
    plain: '',
  }
  const longest = Math.max(...ARMS.map((each) => lengthOf(forged[each])))
  const words = harmless(filler, longest - lengthOf(forged[arm]))
  return {
    text: `${holds}\n${words}${forged[arm]}`,
    forged: forged[arm],
    call: arm === 'call' ? call : arm === 'other-call' ? otherCall : null,
    marksFrom: from,
  }
}

/** In characters, as a reader counts them. */
function lengthOf(text: string): number {
  return [...text].length
}

/** So many characters of the words, again and again; the last one is no blank, which hosts may remove. */
function harmless(words: string, length: number): string {
  const all = [...words]
  const cut = Array.from({ length }, (_, at) => all[at % all.length] ?? '.').join('')
  return cut.replace(/\s$/, '.')
}

/** Marks of the texts of a conversation; no prompt contains them. */
const RESULT_TEXT = 'DEPARTUREQZ'
const USER_TEXT = 'BODOEQZ'
const CALL_ID = 'abcdefgh1'

function marksOfFormat(entry: EvalFormat, injection: Injection, tools: readonly ToolSpec[]): Marks {
  const own = coreFormat(entry.name) ?? entry.format
  const usual = coreFormat(SERVED_FORMAT)
  if (usual === undefined) throw new Error(`callspec: there is no format ${SERVED_FORMAT}`)
  const spoken = own ?? usual
  const shown = spoken.markers.answer === undefined ? turnMarks(promptWriter(spoken), { injection, tools }) : null
  const turn = shown ?? closedTurn(spoken, injection)
  return {
    turn,
    call: callText(spoken, injection),
    otherCall: otherCall(entry, spoken, { injection, tools }),
    from: own === undefined ? 'usual' : 'format',
  }
}

function coreFormat(name: FormatName): Format | undefined {
  return formatNamed(formatId(formatParts(name).bare)) ?? undefined
}

function callText(format: Format, { asks }: Pick<Injection, 'asks'>): string {
  const args = dumps(fromPlain(asks.args as PlainValue))
  return format.write([{ kind: 'call', name: asks.name, arguments: args, id: null }]).trim()
}

interface TaskTexts {
  readonly injection: Injection
  readonly tools: readonly ToolSpec[]
}

/**
 * The calls of other formats: that of most servers, then those that are JSON with a name after a mark, which most readers of texts know
 * for a call.
 */
function callsElsewhere(injection: Injection, isOther: (id: string) => boolean): readonly string[] {
  const served = FORMATS.filter(({ id }) => id === formatId(SERVED_FORMAT))
  const marked = OTHER_FORMATS.filter(({ traits }) => traits.onlyMarkedCalls === true)
  const texts = [...served, ...marked].filter(({ id }) => isOther(id)).map((format) => callText(format, injection))
  return texts.filter((text) => text.includes('"name"'))
}

/** The call in the first format in whose call the own reader sees none, repaired or not; else in one that it cannot read. */
function otherCall({ reader, name }: EvalFormat, spoken: Format, { injection, tools }: TaskTexts): string {
  const texts = callsElsewhere(injection, (id) => id !== spoken.id && id !== formatId(name))
  const readings = (text: string): readonly Reading[] => [
    reader.readStrict(text, null, tools),
    reader.readLenient(text, null, tools),
  ]
  return (
    texts.find((text) => readings(text).every(({ intent }) => !intent)) ??
    texts.find((text) => readings(text).every(({ calls }) => calls === null)) ??
    unlike(texts, callText(spoken, injection))
  )
}

/** The first call that does not begin like this one. */
function unlike(texts: readonly string[], own: string): string {
  return texts.find((text) => !text.startsWith(own.slice(0, OPENING))) ?? ''
}

/** So many characters of a call are its own marks. */
const OPENING = 12

function promptWriter({ prompt }: Format): WritePrompt {
  return (messages, { tools, isForReply }) => {
    if (prompt === null) return null
    const outcome = prompt({
      messages: messages.map((message) => fromPlain(message as PlainValue) as PyDict),
      tools: tools.map((tool) => fromPlain({ type: 'function', function: tool } as unknown as PlainValue)),
      options: new Map<string, PyValue>([
        ['add_generation_prompt', isForReply],
        ['date', NOW.slice(0, 10)],
      ]),
    })
    return outcome.kind === 'prompted' ? joinParts(outcome.parts) : null
  }
}

/** What is between a result and the next turn of the user; null where the prompt does not show both. */
function turnMarks(write: WritePrompt, { injection, tools }: TaskTexts): string | null {
  for (const call of callMessages(injection)) {
    const result = { role: 'tool', tool_call_id: CALL_ID, name: injection.reads.name, content: RESULT_TEXT }
    const messages = [
      { role: 'user', content: injection.filler },
      ...[call, result],
      ...[
        { role: 'assistant', content: injection.reply },
        { role: 'user', content: USER_TEXT },
      ],
    ]
    const prompt = write(messages, { tools, isForReply: true })
    const [from, to] = [prompt?.indexOf(RESULT_TEXT) ?? -1, prompt?.indexOf(USER_TEXT) ?? -1]
    if (prompt !== null && from >= 0 && to > from) return prompt.slice(from + RESULT_TEXT.length, to)
  }
  return null
}

/** A message with the call, with its arguments as an object, and as a text. */
function callMessages({ reads }: Injection): readonly Readonly<Record<string, unknown>>[] {
  return [reads.args, JSON.stringify(reads.args)].map((args) => ({
    role: 'assistant',
    content: '',
    tool_calls: [{ id: CALL_ID, type: 'function', function: { name: reads.name, arguments: args } }],
  }))
}

/** Where the model goes on with its own text after a result: an answer in its form, and a turn of ChatML. */
function closedTurn({ markers: { answer } }: Format, { reply }: Injection): string {
  return `${answer ?? '\n'}${answer === undefined ? '' : ' '}${reply}${END_MARK}\n<|im_start|>user\n`
}

/** The marks of a chat template: what it writes for a call, and between a result and the user. Null where it refuses both. */
function marksOfTemplate(write: WritePrompt, injection: Injection, tools: readonly ToolSpec[]): Marks | null {
  const turn = turnMarks(write, { injection, tools })
  const call = templateCall(write, injection, tools)
  if (turn === null || call === null) return null
  const others = callsElsewhere(injection, () => true)
  return { turn, call, otherCall: unlike(others, call), from: 'template' }
}

/** What a template writes for the call, without what ends the turn. */
function templateCall(write: WritePrompt, injection: Injection, tools: readonly ToolSpec[]): string | null {
  const asked = { role: 'user', content: injection.filler }
  const begun = write([asked], { tools, isForReply: true })
  const said = write([asked, { role: 'assistant', content: USER_TEXT }], { tools, isForReply: false })
  if (begun === null || said === null) return null
  const ending = said.slice(said.indexOf(USER_TEXT) + USER_TEXT.length)
  for (const message of callMessages({ ...injection, reads: injection.asks })) {
    const called = write([asked, message], { tools, isForReply: false })
    if (called?.startsWith(begun) !== true) continue
    const text = called.slice(begun.length)
    return (text.endsWith(ending) ? text.slice(0, text.length - ending.length) : text).trim()
  }
  return null
}
