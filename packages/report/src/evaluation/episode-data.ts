import { markReply, SPAN_KINDS } from '@callspec/eval'
import type { TurnLine } from '@callspec/eval'
import type { ReportedEpisode } from './input.ts'

/** Texts by number: prompts and replies repeat a lot, and the page holds each once. */
export interface TextTable {
  /** The number of a text; one that is too long is cut, and says so. */
  add(text: string): number
  all(): readonly string[]
}

/** The longest text of the page, in UTF-16 units; the run folder has the whole one. */
const LONGEST_TEXT = 40_000

/** A table without texts. */
export function createTextTable(): TextTable {
  const numbers = new Map<string, number>()
  return {
    add: (text) => {
      const kept = text.length <= LONGEST_TEXT ? text : `${text.slice(0, LONGEST_TEXT)}… [${text.length}]`
      const known = numbers.get(kept)
      if (known !== undefined) return known
      numbers.set(kept, numbers.size)
      return numbers.size - 1
    },
    all: () => [...numbers.keys()],
  }
}

/** What the page's script gets to know of an episode. Texts are numbers of the table. */
export interface EpisodeData {
  readonly model: string
  readonly protocol: string
  readonly task: string
  readonly sample: number
  readonly end: string
  readonly success: boolean
  readonly reasons: readonly string[]
  readonly error: string | null
  readonly turns: readonly TurnData[]
}

/** One completion. */
export interface TurnData {
  /** Messages of the prompt that were there before, and those that are new; one text for a raw prompt. */
  readonly kept: number
  readonly added: readonly (readonly [role: string, text: number])[]
  readonly isRaw: boolean
  readonly text: number
  readonly reasoning: number | null
  /** Kind, start and end of every part of the text; kinds as in `SPAN_KINDS`. */
  readonly spans: readonly (readonly [kind: number, start: number, end: number])[]
  readonly issues: readonly (readonly [code: string, message: string, start: number, end: number])[]
  readonly strict: string
  readonly lenient: string
  readonly notes: readonly string[]
  readonly toolCalls: readonly (readonly [name: string, args: number])[]
  readonly calls: readonly (readonly [name: string, args: number, result: number, isError: boolean])[]
  readonly failure: string | null
  readonly facts: readonly string[]
  readonly chunks: readonly (readonly [ms: number, units: number])[]
}

/** An episode as data of the page. */
export function episodeData({ trace, score }: ReportedEpisode, texts: TextTable): EpisodeData {
  const { model, protocol, task, sample } = trace.key
  return {
    ...{ model, protocol, task, sample },
    end: score.end,
    success: score.success,
    reasons: score.reasons,
    error: trace.end.error,
    turns: trace.turns.map((line, index) => turnData(line, index, { trace, score }, texts)),
  }
}

function turnData(line: TurnLine, index: number, { trace, score }: ReportedEpisode, texts: TextTable): TurnData {
  const { sent, text, reasoning, failure } = line
  const labels = score.turns[index]
  // Only the part that the page holds is taken apart.
  const shown = text.slice(0, LONGEST_TEXT)
  const { spans, issues } = markReply(line.protocol, shown)
  return {
    kept: sent.kept,
    isRaw: typeof sent.added === 'string',
    added:
      typeof sent.added === 'string'
        ? [['prompt', texts.add(sent.added)]]
        : sent.added.map((message) => [roleOf(message), texts.add(contentOf(message))] as const),
    text: texts.add(text),
    reasoning: reasoning === '' ? null : texts.add(reasoning),
    spans: spans.map(({ kind, start, end }) => [SPAN_KINDS.indexOf(kind), start, end] as const),
    issues: issues.map(({ code, message, start, end }) => [code, message, start, end] as const),
    strict: labels?.strict ?? '',
    lenient: labels?.lenient ?? '',
    notes: [
      ...(labels?.problem == null ? [] : [labels.problem]),
      ...(labels?.repairs ?? []),
      ...(labels?.reasons ?? []),
      ...(labels?.flags ?? []),
      ...line.warnings,
    ],
    toolCalls: line.toolCalls.map(({ name, arguments: args }) => [name, texts.add(args)] as const),
    calls: trace.calls
      .filter((call) => call.turn === line.turn)
      .map(
        ({ name, arguments: args, result, isError }) => [name, texts.add(args), texts.add(result), isError] as const,
      ),
    failure: failure === null ? null : failure.message,
    facts: factsOf(line),
    chunks: line.chunks ?? [],
  }
}

function factsOf({ finishReason, usage, ms, attempts, cached, id }: TurnLine): readonly string[] {
  return [
    `finish_reason ${finishReason ?? 'null'}`,
    usage === null ? 'tokens unknown' : `${usage.prompt} + ${usage.completion} tokens`,
    `${ms} ms`,
    ...(attempts > 1 ? [`${attempts} attempts`] : []),
    ...(cached ? ['cached'] : []),
    id,
  ]
}

type Sent = Readonly<Record<string, unknown>>

function roleOf(message: Sent): string {
  const role = message['role']
  return typeof role === 'string' ? role : ''
}

/** The content as it was sent; calls and parts beside it as JSON. */
function contentOf(message: Sent): string {
  const { role: _role, content, ...rest } = message
  const text = typeof content === 'string' ? content : content == null ? '' : JSON.stringify(content)
  return Object.keys(rest).length === 0 ? text : `${text}\n${JSON.stringify(rest)}`.trimStart()
}
