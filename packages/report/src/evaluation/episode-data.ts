import type {
  Attribution,
  EarlierMessage,
  FormatTable,
  ScoredTurn,
  TurnLine,
  EpisodeScore,
  EpisodeTrace,
  EvalSummary,
  RunManifest,
} from '@callspec/eval'
import { earlierText, evalFormat, markReply, REPAIR_MEANS, SPAN_KINDS } from '@callspec/eval'
import type { Words, PageLanguage } from '../html.ts'
import { noteWords, reasonWords, repairInChinese } from './chinese.ts'
import type { InjectionExample } from './injection-examples.ts'
import type { CauseExample } from './story-example.ts'
import type { TurnData, EpisodeData, BlameData } from './page-data.ts'

/** Texts by number: prompts and replies repeat a lot, and the page holds each once. */
export interface TextTable {
  /** The number of a text; one that is too long is cut, and says so. */
  add(text: string): number
  all(): readonly string[]
  /** UTF-16 units of all of them. */
  units(): number
}

/** The longest text of the page, in UTF-16 units; the run folder has the whole one. */
export const LONGEST_PAGE_TEXT = 40_000

/** A table without texts. */
export function createTextTable(): TextTable {
  const numbers = new Map<string, number>()
  let units = 0
  return {
    add: (text) => {
      const kept = text.length <= LONGEST_PAGE_TEXT ? text : `${text.slice(0, LONGEST_PAGE_TEXT)}… [${text.length}]`
      const known = numbers.get(kept)
      if (known !== undefined) return known
      numbers.set(kept, numbers.size)
      units += kept.length
      return numbers.size - 1
    },
    all: () => [...numbers.keys()],
    units: () => units,
  }
}

/** What an episode is written with. */
export interface Writing {
  readonly texts: TextTable
  /** Default: the built-in ones. */
  readonly formats?: FormatTable | undefined
  /** The number of a cause in the index. */
  readonly causeOf: (attribution: Attribution) => number
}

export function episodeData(episode: ReportedEpisode, writing: Writing): EpisodeData {
  const { trace, score, question, earlier } = episode
  return {
    question: writing.texts.add(question ?? questionIn(trace.turns[0])),
    ...(earlier === undefined
      ? {}
      : { earlier: earlier.map((message) => [message.role, writing.texts.add(earlierText(message))] as const) }),
    blame: blameData(score.attribution, writing),
    reasons: score.reasons.map(reasonWords),
    error: trace.end.error,
    turns: trace.turns.map((line, index) => turnData(line, index, { episode, writing })),
  }
}

/** The last thing that a user said in the first prompt: for episodes whose suite is not at hand. */
function questionIn(turn: TurnLine | undefined): string {
  const added = turn?.sent.added ?? ''
  if (typeof added === 'string') return added
  const last = added.findLast((message) => sentRole(message) === 'user')
  return last === undefined ? '' : sentContent(last)
}

function blameData(attribution: Attribution | null, { causeOf }: Writing): BlameData | null {
  return attribution === null ? null : [causeOf(attribution), evidenceBehind(attribution)]
}

interface Within {
  readonly episode: ReportedEpisode
  readonly writing: Writing
}

function turnData(line: TurnLine, index: number, { episode: { trace, score }, writing }: Within): TurnData {
  const { sent, text, reasoning, failure } = line
  const { texts } = writing
  const labels = score.turns[index]
  // Only the part that the page holds is taken apart.
  const shown = text.slice(0, LONGEST_PAGE_TEXT)
  const { spans, issues } = markReply(evalFormat(line.protocol, writing.formats), shown)
  return {
    kept: sent.kept,
    isRaw: typeof sent.added === 'string',
    added:
      typeof sent.added === 'string'
        ? [['prompt', texts.add(sent.added)]]
        : sent.added.map((message) => [sentRole(message), texts.add(sentContent(message))] as const),
    text: texts.add(text),
    reasoning: reasoning === '' ? null : texts.add(reasoning),
    spans: spans.map(({ kind, start, end }) => [SPAN_KINDS.indexOf(kind), start, end] as const),
    issues: issues.map(({ code, message, start, end }) => [code, message, start, end] as const),
    strict: labels?.strict ?? '',
    lenient: labels?.lenient ?? '',
    blame: blameData(labels?.attribution ?? null, writing),
    notes: notesOf(labels, line),
    toolCalls: line.toolCalls.map(({ name, arguments: args }) => [name, texts.add(args)] as const),
    calls: trace.calls
      .filter((call) => call.turn === line.turn)
      .map(
        ({ name, arguments: args, result, isError }) => [name, texts.add(args), texts.add(result), isError] as const,
      ),
    failure: failure === null ? null : failure.message,
    facts: turnFacts(line),
    chunks: line.chunks ?? [],
  }
}

function notesOf(labels: ScoredTurn | undefined, { warnings }: TurnLine): readonly Words[] {
  const repairs = (labels?.repairs ?? []).map((repair) => ({ en: REPAIR_MEANS[repair], zh: repairInChinese(repair) }))
  const codes = [...(labels?.reasons ?? []), ...(labels?.flags ?? []), ...warnings]
  return [...(labels?.problem == null ? [] : [noteWords(labels.problem)]), ...repairs, ...codes.map(noteWords)]
}

function turnFacts({ finishReason, usage, ms, attempts, cached, id }: TurnLine): readonly string[] {
  return [
    `finish_reason ${finishReason ?? 'null'}`,
    usage === null ? 'tokens unknown' : `${usage.prompt} + ${usage.completion} tokens`,
    `${ms} ms`,
    ...(attempts > 1 ? [`${attempts} attempts`] : []),
    ...(cached ? ['cached'] : []),
    id,
  ]
}

type SentMessage = Readonly<Record<string, unknown>>

function sentRole(message: SentMessage): string {
  const role = message['role']
  return typeof role === 'string' ? role : ''
}

/** The content as it was sent; calls and other parts as JSON. */
function sentContent(message: SentMessage): string {
  const { role: _role, content, ...rest } = message
  const text = typeof content === 'string' ? content : content == null ? '' : JSON.stringify(content)
  return Object.keys(rest).length === 0 ? text : `${text}\n${JSON.stringify(rest)}`.trimStart()
}

/** An episode as it was recorded and as it was scored. */
export interface ReportedEpisode {
  readonly trace: EpisodeTrace
  readonly score: EpisodeScore
  /** The question of the task; absent if the suite is unknown: then the last user message of the prompt. */
  readonly question?: string
  /** The conversation before the question. */
  readonly earlier?: readonly EarlierMessage[] | undefined
}

/** The data in a form that fits into a page: raw deflate in base64. */
export interface PackedEpisodes {
  readonly count: number
  readonly index: string
  readonly blocks: readonly string[]
}

/** What the page of an evaluation is made from. */
export interface EvaluationReport {
  readonly summary: EvalSummary
  readonly manifest: RunManifest
  /** All episodes, in the order of the plan. */
  readonly episodes: PackedEpisodes
  /** Of runs with forged texts: one task per model and format in all its arms. */
  readonly examples?: readonly InjectionExample[]
  /** A failed episode of each cause. */
  readonly stories?: readonly CauseExample[]
  /** The language in which the page opens. Default: that of the browser. */
  readonly language?: PageLanguage | undefined
}

/** A page, and the files next to it. */
export interface EvaluationPage {
  readonly html: string
  /** Files in folders next to the page, by their paths; empty if the page contains everything. */
  readonly files: ReadonlyMap<string, string>
}

/** What shows a fault, without the words with which its cause is named already. */
export function evidenceBehind({
  detail,
  evidence,
}: {
  readonly detail: string | null
  readonly evidence: string
}): string {
  if (detail === null || !Object.hasOwn(REPAIR_MEANS, detail)) return evidence
  const named = REPAIR_MEANS[detail as keyof typeof REPAIR_MEANS]
  const isTwice = evidence.startsWith(`${named}, `) || evidence.startsWith(`${named}; `)
  return isTwice ? evidence.slice(named.length + 2) : evidence
}
