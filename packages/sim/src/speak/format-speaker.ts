import { promptFrame, toolsInSystem } from '@callspec/core'
import type { CallItem, Format, PromptFrame } from '@callspec/core'
import type { CallText } from '../render.ts'
import { plain, WHOLE } from './speaker.ts'
import type { FormatShape, PromptReading, Prompt, Speaker } from './speaker.ts'

/** A speaker of a format: it writes what core writes, and reads what the format's prompts put round texts. */
export function formatSpeaker(format: Format): Speaker {
  const frame = promptFrame(format)
  const added = promptFrame(toolsInSystem(format))
  const invented = inventedBy(format, frame)
  const shape = shapeOf(format, invented)
  const [start = ''] = format.markers.callStart
  const said = preamble(format, 'Let me look that up.')
  return {
    host: format.versions[0] ?? 'strict',
    // Asked by a prompt that is not the maker's, a model answers in the same format.
    read: (prompt) => readPrompt(frame, prompt) ?? readPrompt(added, prompt),
    afterQuestion: frame?.afterQuestion ?? '',
    width: shape.several ? 'turn' : 'one',
    calls: (calls) => plain(written(format, shape, calls)),
    final: (text) => plain(format.markers.head === undefined ? text : format.write([{ kind: 'text', text }])),
    preamble: (text) => preamble(format, text),
    end: 'no_tool_stop',
    wrapsName: false,
    asksInParts: false,
    invented,
    brokenOff: `${said}${start.slice(0, Math.ceil(start.length / 2))}`,
    unreadable: `${said}${start}`,
    // What stands between tags begins as many formats begin; words begin as none does.
    mistakenFor: 'worded',
    shape,
  }
}

function shapeOf(format: Format, invented: string | null): FormatShape {
  const { markers, traits } = format
  const json = format.write([{ kind: 'call', name: 'probe', arguments: '{"a": "probe text"}', id: null }])
  const name = json.indexOf('probe')
  const tail = json.slice(json.indexOf('probe text') + 'probe text'.length).replace(/^"\s*\}/, '')
  const closers = [...markers.callEnd, ...markers.callInner, ...markers.others].filter((marker) => marker.length > 2)
  return {
    // A format that has its own spelling for values takes no text in their place either.
    carries: traits.typedValues || !json.includes('"probe text"}') ? 'text' : 'json',
    // Where no token ends the last call, one whose arguments are no JSON counts as cut, with its name.
    wrapsName: markers.head !== undefined || /["']name["']:\s*$/.test(json.slice(0, Math.max(name - 1, 0))),
    // Where the end of a call is a stop, a server never shows a second one.
    several: traits.severalCalls && !markers.callEnd.some((marker) => format.stops.handOver.includes(marker)),
    together: traits.callsInBody === true,
    thought: markers.thought,
    tail,
    closers: closers.filter((marker) => tail.includes(marker)),
    callStart: markers.callStart[0] ?? '',
    special: [...markers.others, ...format.stops.end],
    callsAlone: traits.callsAlone === true,
    callsLast: traits.callsLast === true,
    stopsAtResult: format.stops.handOver.some((stop) => invented?.startsWith(stop) === true),
  }
}

/** Stands for arguments, so that text which is no JSON can take their place. */
const PLACE = /\{\s*"callspec"\s*:\s*(\d+)\s*\}/g

function written(format: Format, { carries }: FormatShape, calls: readonly CallText[]): string {
  const items = calls.map(({ name, arguments: given }, at): CallItem => {
    const shown = carries === 'text' ? given : `{"callspec": ${at}}`
    return { kind: 'call', name, arguments: shown, id: null }
  })
  const text = format.write(items)
  return carries === 'text' ? text : text.replaceAll(PLACE, (_, at: string) => calls[Number(at)]?.arguments ?? '')
}

/** What is said before a call, with what the format needs between the two: on a line of its own where that is nothing. */
function preamble(format: Format, text: string): string {
  const call = { kind: 'call', name: 'probe', arguments: '{}', id: null } as const
  const [both, alone] = [format.write([{ kind: 'text', text }, call]), format.write([call])]
  const before = both.slice(0, both.length - alone.length)
  return before === text ? `${text}\n` : before
}

/** The result that a model invents. In its own words of before it is none of the host's. */
const MADE_UP = '{"value": "made up"}'
const MADE_UP_ANSWER = 'The answer is made up.'

function inventedBy(format: Format, frame: PromptFrame | null): string | null {
  const { stops, markers } = format
  if (frame === null) return null
  const behind = (text: string): string => stops.end.reduce((rest, mark) => rest.split(mark).at(-1) ?? '', text)
  const [begun, opened] = [behind(frame.beforeQuestion), behind(frame.beforeResult.join('tool'))]
  const own = begun.trim() !== '' && opened.startsWith(begun) ? opened.slice(begun.length) : opened
  const before = own.replace(/^[^<[\s]+(?=\s)/, '').trimStart()
  const after = frame.afterResult.join('call00001')
  const close = stops.end.includes(after.trim()) ? '' : after
  // Where replies are messages, the call has to end before another one begins, with a token that stops nobody.
  const end = markers.head === undefined ? '' : (/^<\|end\|>/.exec(frame.afterQuestion)?.[0] ?? '')
  const goesOn = markers.head === undefined ? `${close}\n` : frame.afterQuestion
  const answer = markers.head === undefined ? MADE_UP_ANSWER : format.write([{ kind: 'text', text: MADE_UP_ANSWER }])
  return before.trim() === '' ? null : end + before + MADE_UP + goesOn + answer
}

function readPrompt(frame: PromptFrame | null, { raw }: Prompt): PromptReading | null {
  if (frame === null || raw === undefined || !raw.startsWith(frame.preamble)) return null
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

/** Where what stands before the question begins. Where tools stand in its turn, each may end like the last one. */
function questionIn(raw: string, { preamble, beforeQuestion, afterQuestion }: PromptFrame): number {
  const from = preamble.length - beforeQuestion.length
  const first = raw.indexOf(beforeQuestion, from)
  const end = first < 0 ? -1 : raw.indexOf(afterQuestion, first + beforeQuestion.length)
  return Math.max(first, end < 0 ? -1 : raw.lastIndexOf(beforeQuestion, end - beforeQuestion.length))
}

/** Results in their order; those that the model made up are none of the host's. */
function resultsIn(text: string, frame: PromptFrame, recorded: readonly string[]): readonly string[] {
  const found: string[] = []
  let at = behind(text, frame.beforeResult, 0)
  while (at !== null) {
    const { result, end } =
      frame.resultsAs === 'json' ? jsonResult(text, at) : textResult(text, at, { frame, recorded })
    if (!result.includes(MADE_UP)) found.push(result)
    at = behind(text, frame.beforeResult, end)
  }
  return found
}

interface FoundResult {
  readonly result: string
  /** Where it ends in the prompt. */
  readonly end: number
}

/** One that is known is stepped over whole, whatever marks it holds. */
function textResult(
  text: string,
  start: number,
  { frame, recorded }: { readonly frame: PromptFrame; readonly recorded: readonly string[] },
): FoundResult {
  const [after = ''] = frame.afterResult
  const known = recorded.find(
    (result) => text.startsWith(result, start) && text.startsWith(after, start + result.length),
  )
  const close = text.indexOf(after, start + (known?.length ?? 0))
  const end = close < 0 ? text.length : close
  return { result: text.slice(start, end), end }
}

/** What a tool said: the text of a JSON string, or the value as tools write theirs. As it stands where it is no JSON. */
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

/** Behind the pieces in their order, with little between them; null where they do not follow. */
function behind(text: string, [first = '', ...rest]: readonly string[], from: number): number | null {
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
