import type { CallItem, Format, PromptFrame } from '@callspec/core'
import { promptFrame, toolsInSystem } from '@callspec/core'
import type { CallText } from '../render.ts'
import type { FormatShape, PromptReading, Prompt, Speaker, WireMessage } from './speaker.ts'
import { plain, WHOLE } from './speaker.ts'

/** A speaker of a format: it writes what core writes, and reads what the format's prompts put round texts. */
export function formatSpeaker(format: Format): Speaker {
  const frame = promptFrame(format)
  const frames = framesOf(format)
  const invented = inventedBy(format, frame)
  const shape = callShapeOf(format, invented)
  const [start = ''] = format.markers.callStart
  const said = preamble(format, 'Let me look that up.')
  return {
    host: format.versions[0] ?? 'strict',
    read: (prompt) => {
      const { systems } = prompt
      for (const system of [null, ...(systems ?? [])])
        for (const known of systems === undefined ? frames.plain() : frames.earlier(system)) {
          const reading = readPrompt(known, prompt)
          if (reading !== null) return reading
        }
      return null
    },
    afterQuestion: frame?.afterQuestion ?? '',
    width: shape.several ? 'turn' : 'one',
    calls: (calls) => plain(written(format, shape, calls)),
    final: (text) => plain(format.write([{ kind: 'text', text }])),
    preamble: (text) => preamble(format, text),
    end: 'no_tool_stop',
    wrapsName: false,
    asksInParts: false,
    invented,
    brokenOff: `${said}${start.slice(0, Math.ceil(start.length / 2))}`,
    unreadable: `${said}${start}`,
    // Text between tags begins like many formats, words like none.
    mistakenFor: 'worded',
    shape,
  }
}

/** More texts of the system than this are learned again when they return. */
const MOST_SYSTEMS = 100

/** The frames of a format's prompts: of the maker's, and of one that is not. Models answer both in the same format. */
interface Frames {
  readonly plain: () => readonly PromptFrame[]
  /** With those of prompts with earlier turns, below a text of the system or none. */
  readonly earlier: (system: string | null) => readonly PromptFrame[]
}

function framesOf(format: Format): Frames {
  const variants = [format, toolsInSystem(format)]
  const learned = new Map<string | null, readonly PromptFrame[]>()
  const under = (each: Format, system: string | null): readonly PromptFrame[] => {
    const frame = promptFrame(after(each, system === null ? [] : [{ role: 'system', content: system }]))
    return frame === null ? [] : [frame]
  }
  return {
    plain: () => variants.flatMap((each) => under(each, null)),
    earlier: (system) => {
      const known = learned.get(system)
      if (known !== undefined) return known
      const made = variants.flatMap((each) => [...under(each, system), ...lateFrame(each, system)])
      if (learned.size > MOST_SYSTEMS) learned.clear()
      learned.set(system, made)
      return made
    },
  }
}

/** The format with messages at the head of every conversation. */
function after(format: Format, messages: readonly WireMessage[]): Format {
  const { prompt } = format
  if (prompt === null || messages.length === 0) return format
  const head = messages.map(({ role, content }) => new Map(Object.entries({ role, content })))
  return {
    ...format,
    prompt: (conversation, version) =>
      prompt({ ...conversation, messages: [...head, ...conversation.messages] }, version),
  }
}

const [EARLIER, EARLIER_REPLY] = ['earlier question', 'earlier reply']

/**
 * The frame of prompts with earlier turns, where tools are shown below these turns: it begins as the earlier question does, so that the text
 * before that is the one known word for word. None where tools are shown above.
 */
function lateFrame(format: Format, system: string | null): readonly PromptFrame[] {
  const turns = [
    { role: 'user', content: EARLIER },
    { role: 'assistant', content: EARLIER_REPLY },
  ]
  const frame = promptFrame(after(format, system === null ? turns : [{ role: 'system', content: system }, ...turns]))
  const end = frame?.preamble.indexOf(EARLIER) ?? -1
  if (frame === null || end < 0) return []
  const start = frame.preamble.slice(0, end)
  return [{ ...frame, preamble: start, beforeQuestion: start }]
}

function callShapeOf(format: Format, invented: string | null): FormatShape {
  const { markers, traits } = format
  const json = format.write([{ kind: 'call', name: 'probe', arguments: '{"a": "probe text"}', id: null }])
  const name = json.indexOf('probe')
  const tail = json.slice(json.indexOf('probe text') + 'probe text'.length).replace(/^"\s*\}/, '')
  const closers = [...markers.callEnd, ...markers.callInner, ...markers.others].filter((marker) => marker.length > 2)
  const inTail = closers.filter((marker) => tail.includes(marker))
  return {
    // A format with its own spelling of values accepts no text in their place either.
    carries: traits.typedValues || !json.includes('"probe text"}') ? 'text' : 'json',
    // If no token ends the last call and its arguments are not JSON, it counts as truncated, with its name.
    wrapsName: markers.head !== undefined || /(?:["']\w*name["']:|\{)\s*$/.test(json.slice(0, Math.max(name - 1, 0))),
    // If the end of a call is a stop, a server never sends a second one.
    several: traits.severalCalls && !markers.callEnd.some((marker) => format.stops.handOver.includes(marker)),
    together: traits.callsInBody === true,
    thought: markers.thought,
    tail,
    closers: inTail,
    callStart: markers.callStart[0] ?? '',
    special: [...markers.others, ...format.stops.end],
    callsAlone: traits.callsAlone === true,
    callsLast: traits.callsLast === true,
    sections: format.write([{ kind: 'text', text: 'probe' }]) !== 'probe',
    // A list is whole at its bracket; where a marker ends each call, the reader waits for it.
    readsHalfClosed: markers.callEnd.length === 0,
    invents: invented !== null,
    stopsAtResult: format.stops.handOver.some((stop) => invented?.startsWith(stop) === true),
  }
}

/** How much of the end of a call is left if its first marker breaks off. */
export function halfOfFirst(tail: string, closers: readonly string[]): number {
  const at = Math.min(...closers.map((marker) => tail.indexOf(marker)))
  const length = Math.max(...closers.filter((marker) => tail.startsWith(marker, at)).map((marker) => marker.length))
  return at + Math.ceil(length / 2)
}

/** A placeholder for arguments, so that text that is not JSON can replace them. */
const PLACE = /\{\s*"callspec"\s*:\s*(\d+)\s*\}/g

function written(format: Format, { carries }: FormatShape, calls: readonly CallText[]): string {
  const items = calls.map(({ name, arguments: given }, at): CallItem => {
    const shown = carries === 'text' ? given : `{"callspec": ${at}}`
    return { kind: 'call', name, arguments: shown, id: null }
  })
  const text = format.write(items)
  return carries === 'text' ? text : text.replaceAll(PLACE, (_, at: string) => calls[Number(at)]?.arguments ?? '')
}

/** The text before a call, with what the format needs between them: on a separate line if it needs nothing. */
function preamble(format: Format, text: string): string {
  const call = { kind: 'call', name: 'probe', arguments: '{}', id: null } as const
  const [both, alone] = [format.write([{ kind: 'text', text }, call]), format.write([call])]
  const before = both.slice(0, both.length - alone.length)
  return before === text ? `${text}\n` : before
}

/** A result that a model invents; in its history it is not one of the host's. */
const MADE_UP = '{"value": "made up"}'
const MADE_UP_ANSWER = 'The answer is made up.'

function inventedBy(format: Format, frame: PromptFrame | null): string | null {
  const { stops, markers } = format
  if (frame === null) return null
  const afterStops = (text: string): string => stops.end.reduce((rest, mark) => rest.split(mark).at(-1) ?? '', text)
  const [begun, opened] = [afterStops(frame.beforeQuestion), afterStops(frame.beforeResult.join('tool'))]
  const own = begun.trim() !== '' && opened.startsWith(begun) ? opened.slice(begun.length) : opened
  const before = own.replace(/^[^<[\s]+(?=\s)/, '').trimStart()
  const after = frame.afterResult.join('call00001')
  const close = stops.end.includes(after.trim()) ? '' : after
  // If replies are messages, the call must end before the next one begins, with a token that is not a stop.
  const end = markers.head === undefined ? '' : (/^<\|end\|>/.exec(frame.afterQuestion)?.[0] ?? '')
  const goesOn = markers.head === undefined ? `${close}\n` : frame.afterQuestion
  const answer = markers.head === undefined ? MADE_UP_ANSWER : format.write([{ kind: 'text', text: MADE_UP_ANSWER }])
  return before.trim() === '' ? null : end + before + MADE_UP + goesOn + answer
}

function readPrompt(frame: PromptFrame | null, { raw }: Prompt): PromptReading | null {
  if (frame === null || raw === undefined || !raw.startsWith(frame.preamble)) return null
  // Where nothing marks a result, none can be found.
  if (frame.beforeResult.join('') === '') return null
  const at = questionIn(raw, frame)
  if (at < 0) return null
  const conversation = raw.slice(at + frame.beforeQuestion.length)
  const { preamble, beforeQuestion, afterQuestion, beforeResult } = frame
  if (!conversation.includes(afterQuestion)) return null
  return {
    conversation,
    results: ({ observations }) => resultsIn(conversation, frame, observations),
    part: WHOLE,
    known: {
      prompt: preamble.length + beforeQuestion.length + afterQuestion.length,
      result: beforeResult.join('').length,
    },
  }
}

/** Where the text before the question begins. If tools are in the same turn, each may end like the last one. */
function questionIn(raw: string, { preamble, beforeQuestion, afterQuestion }: PromptFrame): number {
  const from = preamble.length - beforeQuestion.length
  const first = raw.indexOf(beforeQuestion, from)
  const end = first < 0 ? -1 : raw.indexOf(afterQuestion, first + beforeQuestion.length)
  return Math.max(first, end < 0 ? -1 : raw.lastIndexOf(beforeQuestion, end - beforeQuestion.length))
}

/** The host's results in their order, without those that the model invented. */
function resultsIn(text: string, frame: PromptFrame, recorded: readonly string[]): readonly string[] {
  const found: string[] = []
  let at = indexAfter(text, frame.beforeResult, 0)
  while (at !== null) {
    const { result, end } =
      frame.resultsAs === 'json' ? jsonResult(text, at) : textResult(text, at, { frame, recorded })
    if (!result.includes(MADE_UP)) found.push(result)
    at = isBetween(text, end, frame)
      ? end + (frame.betweenResults ?? '').length
      : indexAfter(text, frame.beforeResult, end)
  }
  return found
}

/** Whether another result of the same turn follows, in a format in which results share their marks. */
function isBetween(text: string, at: number, { betweenResults, afterResult: [after = ''] }: PromptFrame): boolean {
  return betweenResults !== null && text.startsWith(betweenResults, at) && !text.startsWith(after, at)
}

interface FoundResult {
  readonly result: string
  /** Where it ends in the prompt. */
  readonly end: number
}

/** A known result is skipped as a whole, with any marks in it. */
function textResult(
  text: string,
  start: number,
  { frame, recorded }: { readonly frame: PromptFrame; readonly recorded: readonly string[] },
): FoundResult {
  const [after = ''] = frame.afterResult
  const ends = [after, ...(frame.betweenResults === null ? [] : [frame.betweenResults])]
  const known = recorded.find(
    (result) => text.startsWith(result, start) && ends.some((mark) => text.startsWith(mark, start + result.length)),
  )
  if (known !== undefined && isBetween(text, start + known.length, frame))
    return { result: known, end: start + known.length }
  const close = text.indexOf(after, start + (known?.length ?? 0))
  const end = close < 0 ? text.length : close
  return { result: text.slice(start, end), end }
}

/** The result of a tool: the text of a JSON string, or the value as tools write it; unchanged if it is not JSON. */
function jsonResult(text: string, start: number): FoundResult {
  const end = endOfJson(text, start)
  const shown = text.slice(start, end)
  try {
    const value: unknown = JSON.parse(shown)
    return { result: typeof value === 'string' ? value : JSON.stringify(value), end }
  } catch {
    return { result: shown, end }
  }
}

/** Where the value that begins here ends, by its strings and brackets. */
function endOfJson(text: string, start: number): number {
  const pieces = /"(?:[^"\\]|\\.)*"|[[{]|[\]}]|,/gs
  pieces.lastIndex = start
  let depth = 0
  for (let piece = pieces.exec(text); piece !== null; piece = pieces.exec(text)) {
    const [token] = piece
    const isClosing = token === ']' || token === '}'
    if (depth === 0 && (isClosing || token === ',')) return piece.index
    depth += token === '[' || token === '{' ? 1 : isClosing ? -1 : 0
    if (depth === 0) return pieces.lastIndex
  }
  return text.length
}

/** The index after the pieces in their order, with little between them; null if they do not follow each other. */
function indexAfter(text: string, [first = '', ...rest]: readonly string[], from: number): number | null {
  for (let start = text.indexOf(first, from); start >= 0; start = text.indexOf(first, start + 1)) {
    let at = start + first.length
    const fits = rest.every((piece) => {
      const next = text.indexOf(piece, at)
      const isNear = next >= 0 && next - at <= LONGEST_VARIATION
      at = next + piece.length
      return isNear
    })
    if (fits) return at
  }
  return null
}

/** Longer than any name or id. */
const LONGEST_VARIATION = 200
