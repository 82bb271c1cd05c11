import type { NativeCall } from '../trace/completion.ts'
import { finishOf } from '../trace/completion.ts'
import { OWN_LOOP_FORMATS, SERVED_FORMAT, UNVERSIONED_NAMES } from '../trace/format-names.ts'
import { evalFormat } from '../formats/table.ts'
import type { EvalFormat, FormatReader } from '../formats/eval-format.ts'
import type { ArgumentReason } from '../world/argument-issues.ts'
import { argumentIssues } from '../world/argument-issues.ts'
import { holdsNoValue } from '../reading/lenient-json.ts'
import { leaksMarker, withoutKeptStopWord, withoutLeaks, withoutQuotes } from './markers.ts'
import { bareBlocks, readBlocksLenient, readBlocksStrict, outsideCode, splitThought } from '../reading/read-blocks.ts'
import type { CallBlock, Reading, Repair, Problem } from '../reading/call-block.ts'
import { NO_CALL } from '../reading/call-block.ts'
import type { ToolSpec, TaskLanguage } from '../trace/task.ts'
import type { TurnQuestion } from '../trace/trace.ts'

/** What a completion is labelled from. */
export interface TurnInput {
  readonly format: EvalFormat
  readonly text: string
  /** What the server sent as reasoning; null or empty for none. */
  readonly reasoning: string | null
  /** Native calls; empty where calls are text. */
  readonly toolCalls?: readonly NativeCall[]
  readonly finishReason: string | null
  /** What the reply was asked for; null or absent where it may be anything. */
  readonly question?: TurnQuestion | null
  /** Whether there is no completion at all, after every retry. */
  readonly failed: boolean
  /** Whether it was cut because it did not end, or its server could not read it; null or absent for a whole reply. */
  readonly broken?: 'never-ends' | 'unparsed-output' | null
  /** The offered tools; null when they are not known, and names and arguments are then not judged. */
  readonly tools: readonly ToolSpec[] | null
  /** Whether the stop words were sent: then one at the end of the text is the server's and not a leak. Default: yes. */
  readonly stopWordsSent?: boolean
  readonly language?: TaskLanguage
  /** The task and the results so far. A reply that quotes them neither leaks nor calls. */
  readonly given?: readonly string[]
  /** Tokens of the reply as the server counted them, and how many it might have had; absent where one is not known. */
  readonly completionTokens?: number | null
  readonly maxTokens?: number | null
}

/** Everything the rules ask about a completion, read once. */
export interface TurnView {
  readonly input: TurnInput
  readonly reader: FormatReader
  readonly thought: string
  /** The text outside the thinking, without a bare stop word at its end, and with blanks where it quotes what was given. */
  readonly visible: string
  /** The same with blanks for code, where calls are not part of the text; elsewhere the same. */
  readonly readable: string
  /** The calls that strict reading finds, native ones included. */
  readonly blocks: readonly CallBlock[]
  readonly reading: Reading
  readonly isCutOff: boolean
  readonly callInThought: boolean
  readonly inventsResult: boolean
  /** Never under the lenient policy: there the marks are cut out first. */
  readonly leaksMarker: boolean
  readonly speaksAnotherFormat: () => boolean
  readonly isUnclosed: boolean
  readonly keptStopWord: boolean
}

/** A completion under both policies, and what is left of it where it breaks off. */
export interface TurnViews {
  readonly strict: TurnView
  readonly lenient: TurnView
  /** What can be read of calls in the thinking, with repairs. */
  readonly inThought: Reading
}

/** Reads a completion once and shows it under both policies. */
export function viewTurn(input: TurnInput): TurnViews {
  const { reader } = input.format
  const { question = null } = input
  const { thought: tagged, visible: said, isUnclosed } = (reader.split ?? splitThought)(input.text)
  const keptStopWord = input.stopWordsSent !== false && withoutKeptStopWord(reader, said) !== said
  const spoken = keptStopWord ? withoutKeptStopWord(reader, said) : said
  const visible =
    input.given === undefined ? spoken : withoutQuotes(spoken, input.given, () => readBlocks(input, reader, spoken))
  const thought = `${input.reasoning ?? ''}${tagged}`
  const native = reader.callBlocks?.(input.toolCalls ?? []) ?? []
  // Where calls are native, code in the text is an answer about code.
  const readable = reader.callBlocks === undefined ? visible : outsideCode(visible)
  const reading = native.length > 0 ? readBlocksStrict(native, () => null) : strictOrLost(input, reader, readable)
  const inThought = thought === '' ? NO_CALL : readThought(input, reader, thought)
  const strict: TurnView = {
    input,
    reader,
    thought,
    visible,
    readable,
    reading,
    isUnclosed,
    keptStopWord,
    blocks: native.length > 0 ? native : reader.blocks(visible),
    isCutOff: finishOf(input.finishReason) === 'length' || input.broken === 'never-ends' || breaksOff(input, reading),
    callInThought: !reading.intent && inThought.intent,
    inventsResult: reader.inventsResult(visible, question),
    leaksMarker: leaksMarker(reader, visible, { stopWordsSent: input.stopWordsSent !== false }),
    speaksAnotherFormat: once(() => native.length === 0 && !hasCalls(reading) && speaksAnother(input.format, readable)),
  }
  if (needsNoRepair(strict)) return { strict, lenient: strict, inThought }
  const repaired = native.length > 0 ? readBlocksLenient(native, () => null) : lenientReading(strict)
  const callInThought = !repaired.intent && inThought.intent
  return { strict, lenient: { ...strict, reading: repaired, leaksMarker: false, callInThought }, inThought }
}

/**
 * What is wrong with a text that no reader sees a call in, although one is meant: then it is broken, and no abstention. A
 * call is meant by a JSON object with a name and arguments, and by a line that calls an offered tool as a function or names
 * it before an object. A tool that a sentence mentions is not a call.
 */
export function hiddenCall(text: string, tools: readonly ToolSpec[] | null): Problem | null {
  if (bareBlocks(text).length > 0) return 'no tags round the call'
  return tools?.some(({ name }) => text.includes(name) && callsByName(text, name)) === true
    ? 'call in another form'
    : null
}

function callsByName(text: string, name: string): boolean {
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + name.length)) {
    const before = text.slice(Math.max(0, at - MENTION_LEAD), at)
    const after = text.slice(at + name.length, at + name.length + TRAIL)
    if (/(?:^|\n)[\s>`*[]*$/.test(before) && after.startsWith('(') && endsLine(text, at + name.length)) return true
    if (/(?:^|[\s>`*"'])$/.test(before) && /^["'`*]{0,3}\s*:?\s*\{\s*["']/.test(after)) return true
  }
  return false
}

const MENTION_LEAD = 16
const TRAIL = 64
/** How far the end of a call is looked for. */
const LONGEST_LINE = 2000

/** Whether the line ends in the bracket that closes a call, give or take a fence or a list. */
function endsLine(text: string, from: number): boolean {
  const stretch = text.slice(from, from + LONGEST_LINE)
  const line = stretch.slice(0, stretch.indexOf('\n') < 0 ? stretch.length : stretch.indexOf('\n'))
  return /\)[\s`\],;]*$/.test(line.slice(-32))
}

/** A server that quotes nothing of what it could not read still says that a call was meant. */
function strictOrLost(input: TurnInput, reader: FormatReader, text: string): Reading {
  const isLost = input.broken === 'unparsed-output' && text.trim() === ''
  return isLost ? { ...NO_CALL, intent: true, calls: null } : strictReading(input, reader, text)
}

/** Text that the format does not read as a call may still be meant as one. */
function strictReading({ question = null, tools }: TurnInput, reader: FormatReader, text: string): Reading {
  const reading = reader.readStrict(text, question, tools)
  // A reply that was asked for a part is read as that part, and a marked answer is one.
  if (reading.intent || question !== null || (reader.saysWhenDone && reader.hasFinalForm(text, null))) return reading
  const problem = hiddenCall(text, tools)
  return problem === null ? reading : { intent: true, calls: null, repairs: [], problem }
}

function lenientReading(view: TurnView): Reading {
  const { reader, readable, input } = view
  const text = view.leaksMarker ? withoutLeaks(reader, readable) : readable
  const cut: readonly Repair[] = view.leaksMarker ? ['marker-cut'] : []
  const reading = readWithout(input, reader, text)
  if (reading.intent || !view.reading.intent) return { ...reading, repairs: [...cut, ...reading.repairs] }
  // Strict reading saw that a call is meant; it may be an object without any mark.
  const bare = bareBlocks(text)
  const found = bare.length === 0 ? view.reading : readBlocksLenient(bare, () => null)
  return { ...found, repairs: [...cut, ...found.repairs] }
}

/** The calls that the host reads; the whole text in a format whose calls have no markers, where it is one. */
function readBlocks({ question = null, tools }: TurnInput, reader: FormatReader, text: string): readonly CallBlock[] {
  const blocks = reader.blocks(text)
  if (blocks.length > 0 || !hasCalls(reader.readStrict(text, question, tools))) return blocks
  return [{ name: null, json: text, repairs: [], start: 0, end: text.length }]
}

/** Characters without a width are taken away only where the text cannot be read with them. */
function readWithout({ question = null, tools }: TurnInput, reader: FormatReader, text: string): Reading {
  const reading = reader.readLenient(text, question, tools)
  if (hasCalls(reading) || !INVISIBLE.test(text)) return reading
  const clean = reader.readLenient(
    text.replaceAll(INVISIBLES, () => ''),
    question,
    tools,
  )
  return hasCalls(clean) ? { ...clean, repairs: ['invisible-character', ...clean.repairs] } : reading
}

const INVISIBLE = /[\ufeff\u200b\u2060]/
const INVISIBLES = /[\ufeff\u200b\u2060]/g

/** A format with native calls has no marks of its own; its models think in those that servers read. */
function readThought({ question = null, tools }: TurnInput, reader: FormatReader, thought: string): Reading {
  if (reader.callBlocks === undefined) return reader.readLenient(thought, question, tools)
  const own = evalFormat(SERVED_FORMAT).reader.readLenient(thought, null)
  return own.intent ? own : reader.readLenient(thought, null)
}

/** A call that does not end, in a reply that used up its tokens: cut off, even if the finish reason differs. */
function breaksOff({ completionTokens = null, maxTokens = null }: TurnInput, reading: Reading): boolean {
  if (completionTokens === null || maxTokens === null) return false
  return completionTokens >= maxTokens && reading.intent && reading.calls === null
}

/** Formats without a host of their own are asked where such a one was asked for; elsewhere what they left has names of its own. */
function speaksAnother({ reader: own, format }: EvalFormat, text: string): boolean {
  if (own.blocks(text).length > 0) return false
  const others = format === undefined ? OWN_LOOP_FORMATS : UNVERSIONED_NAMES
  return others.map((other) => evalFormat(other).reader).some((other) => other !== own && other.speaks(text))
}

function once(ask: () => boolean): () => boolean {
  let known: boolean | null = null
  return () => {
    known ??= ask()
    return known
  }
}

/** The first thing wrong with the arguments of each call. */
export function argumentReasons({ reading }: Pick<TurnView, 'reading'>, input: TurnInput): readonly ArgumentReason[] {
  const { tools } = input
  if (input.question?.kind === 'state') return []
  return (reading.calls ?? []).flatMap((call): readonly ArgumentReason[] => {
    const schema = tools?.find((tool) => tool.name === call.name)?.parameters
    const issue = schema === undefined ? undefined : argumentIssues(call.args, schema)[0]
    // A schema says "number" to NaN.
    if (issue === undefined) return holdsNoValue(call.args) ? ['type'] : []
    return [issue.reason]
  })
}

/** Whether some call names a tool that is not offered. */
export function namesUnknownTool({ reading }: Pick<TurnView, 'reading'>, { tools }: TurnInput): boolean {
  return tools !== null && reading.calls?.some((call) => !tools.some((tool) => tool.name === call.name)) === true
}

/** Whether strict reading needs no help: a call that is read. Double encoding is helped too. */
function needsNoRepair({ reading, leaksMarker: leaks }: TurnView): boolean {
  return !leaks && hasCalls(reading) && reading.calls?.every((call) => typeof call.args !== 'string') === true
}

/** Whether something was read as a call. */
export function hasCalls(reading: Reading): boolean {
  return reading.calls !== null && reading.calls.length > 0
}
