import type { Format, StreamDelta } from '@callspec/core'
import { InputError } from '@callspec/core'
import type {
  ParseOptions,
  ParseOutcome,
  PromptFormat,
  StreamOptions,
  StreamParser,
  ToolSpec,
} from '@callspec/core/qwen-agent'

import { deltaStreamOf } from './format-parser.ts'
import type { DeltaStream } from './format-parser.ts'
import type { Exception } from './exception.ts'
import { EXCEPTIONS } from './exceptions.ts'
import { languageOf } from './learn-language.ts'
import type { Answer, GoodAnswer, Question, Work } from './question.ts'
import type { About, RecordedItem, Subject } from './subject.ts'

/** Anything with the shape of a parser: what a format has, or a function of one's own that answers in the same form. */
export interface Parser {
  readonly parse: (text: string, options?: ParseOptions) => ParseOutcome
  readonly createStreamParser?: (options?: StreamOptions) => StreamParser
  /** Deltas as the parser makes them itself. Default: laws about deltas do not apply. */
  readonly createDeltaStream?: (options?: ParseOptions) => DeltaStream
}

/** What a parser is checked against. What is left out is as for a parser that can do everything. */
export interface SubjectOptions extends Partial<Pick<About, 'reportsIssues' | 'exactSnapshots' | 'exactArguments'>> {
  /** For people. Default: the format, and the profile if there is one. */
  readonly name?: string
  /** Given to every call of the parser. Default: `parallelCalls` only. */
  readonly options?: ParseOptions
  /** Answers of the reference, by text. Default: none. */
  readonly recorded?: ReadonlyMap<string, readonly RecordedItem[] | null>
  /** Default: for a format as its own parser those of `EXCEPTIONS`, else none. */
  readonly exceptions?: readonly Exception[]
}

/**
 * A format as its own parser.
 *
 * @throws InputError for a wrong option, and for a format whose renderer shows no calls
 */
export function formatSubject(format: PromptFormat, options: SubjectOptions = {}): Subject {
  const parser: Parser = isFormat(format)
    ? {
        parse: format.parse,
        createStreamParser: (asked) => wholeParser(format, asked),
        createDeltaStream: (asked) => deltaStreamOf(format, asked),
      }
    : format
  // What a format does because its reference does is not done under `strict`.
  const exceptions = options.options?.profile === 'strict' ? [] : (EXCEPTIONS[format.id] ?? [])
  return parserSubject(parser, { exceptions, ...options, format })
}

/** Whether a prompt format of Qwen-Agent is a format as all others, too. */
function isFormat(format: PromptFormat): format is PromptFormat & Format {
  return 'createReader' in format && 'markers' in format
}

/** Keeps the chunks, and parses all of them for each snapshot. */
function wholeParser({ parse }: Pick<Parser, 'parse'>, { onExamined, ...options }: StreamOptions = {}): StreamParser {
  // A wrong option is an error of the caller: it throws before the first chunk.
  parse('', options)
  let text = ''
  return {
    push: (chunk) => {
      if (typeof chunk !== 'string') throw new InputError('chunk', 'This is not a text. Give what the model wrote.')
      text += chunk
    },
    snapshot: () => {
      onExamined?.(text.length)
      return parse(text, options)
    },
  }
}

/**
 * A parser of the texts of a format, which need not be the format's own.
 *
 * @throws InputError for a wrong option, and for a format whose renderer shows no calls
 */
export function parserSubject(parser: Parser, given: SubjectOptions & { readonly format: PromptFormat }): Subject {
  const options = optionsOf(given)
  return {
    ...aboutFormat(given.format, given),
    answers: parser.createDeltaStream === undefined ? ANSWERS_WITHOUT_DELTAS : ANSWERS,
    countsWork: parser.createStreamParser !== undefined && counts(parser, options),
    answer: (question) => answer(question, parser, options),
  }
}

/**
 * What is known about a parser before it is asked: all but what it can be asked. It is taken for one that can do
 * everything; callers override what differs.
 *
 * @throws InputError for a wrong option, and for a format whose renderer shows no calls
 */
export function aboutFormat(format: PromptFormat, given: SubjectOptions = {}): About {
  const options = optionsOf(given)
  const profile = profileName(options)
  return {
    name: given.name ?? (profile === null ? format.id : `${format.id} at ${profile}`),
    language: languageOf(format, options),
    profile,
    answers: ANSWERS,
    reportsIssues: given.reportsIssues ?? true,
    exactSnapshots: given.exactSnapshots ?? true,
    exactArguments: given.exactArguments ?? true,
    countsWork: false,
    recorded: given.recorded ?? new Map(),
    exceptions: given.exceptions ?? [],
  }
}

function optionsOf(given: SubjectOptions): ParseOptions {
  return Object.freeze({ parallelCalls: true, ...given.options })
}

const ANSWERS: ReadonlySet<Question['op']> = new Set<Question['op']>(['parse', 'stream', 'deltas', 'stop', 'work'])
const ANSWERS_WITHOUT_DELTAS: ReadonlySet<Question['op']> = new Set([...ANSWERS].filter((op) => op !== 'deltas'))

function profileName({ profile }: ParseOptions): string | null {
  if (profile === undefined) return null
  return typeof profile === 'string' ? profile : profile.name
}

function answer(question: Question, parser: Parser, options: ParseOptions): Answer {
  try {
    return goodAnswer(question, parser, options)
  } catch (error) {
    return {
      op: 'none',
      how: 'crashed',
      reason: error instanceof Error ? `${error.name}: ${error.message}` : String(error),
    }
  }
}

function goodAnswer(question: Question, parser: Parser, options: ParseOptions): GoodAnswer {
  switch (question.op) {
    case 'parse':
      return { op: 'parse', outcome: parser.parse(question.text, asked(options, question)) }
    case 'stream':
      return { op: 'stream', outcomes: outcomesOf(question, streamOf(parser, asked(options, question))) }
    case 'stop':
      return stopped(question.text, parser, options)
    case 'deltas':
      return { op: 'deltas', deltas: deltasOf(question.chunks, parser, asked(options, question)) }
    default:
      return worked(question, parser, options)
  }
}

/** Options of a question, without its text. Tools are an option of the formats of the registry; the others type no values. */
function asked(
  options: ParseOptions,
  { thoughtInContent, tools }: { readonly thoughtInContent?: boolean; readonly tools?: readonly ToolSpec[] },
): ParseOptions {
  if (thoughtInContent !== true && tools === undefined) return options
  return { ...options, ...(thoughtInContent === true ? { thoughtInContent } : {}), ...(tools && { tools }) }
}

function streamOf(parser: Parser, options: StreamOptions): StreamParser {
  return parser.createStreamParser?.(options) ?? wholeParser(parser, options)
}

function outcomesOf(
  { chunks, snapshots }: Extract<Question, { op: 'stream' }>,
  stream: StreamParser,
): readonly ParseOutcome[] {
  const outcomes: ParseOutcome[] = []
  for (const chunk of chunks) {
    stream.push(chunk)
    if (snapshots === 'each') outcomes.push(stream.snapshot())
  }
  if (snapshots === 'last') outcomes.push(stream.snapshot())
  return outcomes
}

function deltasOf(chunks: readonly string[], parser: Parser, options: ParseOptions): readonly StreamDelta[] {
  const deltas = parser.createDeltaStream?.(options)
  return deltas === undefined ? [] : [...chunks.flatMap((chunk) => deltas.push(chunk)), ...deltas.end()]
}

function stopped(text: string, parser: Parser, options: ParseOptions): GoodAnswer {
  const stopping: ParseOptions = { ...options, stopWords: 'default' }
  const plain = parser.parse(text, { ...stopping, toolChoice: 'none' })
  const kept = plain.kind === 'parsed' ? plain.messages.map(({ content }) => content).join('') : ''
  return { op: 'stop', kept, outcome: parser.parse(text, stopping) }
}

function worked(question: Extract<Question, { op: 'work' }>, parser: Parser, options: ParseOptions): GoodAnswer {
  let counted = 0
  const count = (characters: number): void => {
    counted += characters
  }
  const start = performance.now()
  const stream = streamOf(parser, { ...options, onExamined: count })
  const answered = sizeOfAnswers(question, stream)
  const milliseconds = performance.now() - start
  const work: Work =
    counted > 0
      ? { unit: 'characters', amount: counted, answered }
      : { unit: 'milliseconds', amount: milliseconds, answered }
  return { op: 'work', work }
}

function sizeOfAnswers({ chunks, chunksPerSnapshot }: Extract<Question, { op: 'work' }>, stream: StreamParser): number {
  let size = 0
  for (const [index, chunk] of chunks.entries()) {
    stream.push(chunk)
    const isAsked = (index + 1) % chunksPerSnapshot === 0 || index === chunks.length - 1
    if (isAsked) size += sizeOf(stream.snapshot())
  }
  return size
}

/** Whether the parser reports what it looks at. One that throws here will be found to throw. */
function counts(parser: Parser, options: ParseOptions): boolean {
  let counted = 0
  const onExamined = (characters: number): void => {
    counted += characters
  }
  try {
    const stream = streamOf(parser, { ...options, onExamined })
    stream.push('some text')
    stream.snapshot()
  } catch {
    return false
  }
  return counted > 0
}

/** Characters of an outcome. */
function sizeOf(outcome: ParseOutcome): number {
  if (outcome.kind === 'rejected') return outcome.issue.message.length
  let size = 0
  for (const { content, function_call: call } of outcome.messages) {
    size += content.length + (call ? call.name.length + call.arguments.length : 0)
  }
  for (const { message } of outcome.issues) size += message.length
  return size
}
