import { InputError } from '@callspec/core'
import { partialStopWords } from '@callspec/core/qwen-agent'
import type { FormatTokens, ParseOptions, ParseOutcome, PromptFormat } from '@callspec/core/qwen-agent'

import { isFormatParser } from './format-parser.ts'
import type { FormatParser } from './format-parser.ts'
import type { CallSpelling, Language, Thought } from './language.ts'
import { idsIn } from './laws/reading.ts'
import { writerOf } from './writer.ts'
import type { Writer } from './writer.ts'

/** Texts that no format has a meaning for, so that they are found again in what it renders. */
const PROSE = 'Zqprose.'
const FIRST = { name: 'zq_first', arguments: '{"zq": "one"}' }
const SECOND = { name: 'zq_second', arguments: '{"zq": "two"}' }

/**
 * What texts of a format are made of. Markers are those that the format names (`tokens`), else they are taken from what
 * it renders; how a call is spelled, whether several count, and what is done with thoughts is tried out.
 *
 * @throws InputError for a format whose renderer shows no calls, and for a wrong option
 */
export function languageOf(format: PromptFormat, options: ParseOptions = {}): Language {
  const write = isFormatParser(format) ? format.write : writerOf(format, options)
  const text = write({ prose: PROSE, calls: [FIRST] })
  const shell = proseIn(write, text)
  const call = spellingIn(shell === undefined ? text : text.slice(text.lastIndexOf(shell.joint) + shell.joint.length))
  const tokens = format.tokens ?? guessTokens(call)
  const parse: Parse = (reply, more) => parseSafely(format, reply, { ...options, ...more })
  const shape = isFormatParser(format) ? shapeOf(format) : {}
  return {
    id: format.id,
    callStart: tokens.callStart,
    callInner: tokens.callInner,
    callEnd: tokens.callEnd,
    // Behind a thought such a format has no calls, and so there is nothing to tell apart.
    thought: shape.callsAlone === true ? null : thoughtOf(tokens, text, parse),
    stopWords: format.stopWords,
    partialStopWords: partialsOf(format, options),
    others: tokens.others ?? [],
    call,
    ...shape,
    prose: shell,
    callSeparator: separatorOf(write, parse),
    callsTogether: areTogether(write, parse),
    idOf: ID_FORMS.find((idOf) => writesIds(idOf, write, parse)),
    write,
  }
}

/** What only formats of the registry say of themselves. */
function shapeOf({ hasTextValues, wrappers, head, traits }: FormatParser): Partial<Language> {
  const { identifiers = false, callsInBody = false, callsAlone = false } = traits
  return { hasTextValues, wrappers, head, identifiers, callsInBody, callsAlone }
}

/** A parser that throws is what a search is for; it has to begin first. */
function parseSafely(format: PromptFormat, text: string, options: ParseOptions): ParseOutcome {
  try {
    return format.parse(text, options)
  } catch (error) {
    if (error instanceof InputError) throw error
    return { kind: 'parsed', messages: [], issues: [] }
  }
}

function spellingIn(text: string): CallSpelling | null {
  const prose = text.indexOf(PROSE)
  const start = prose < 0 ? 0 : prose + PROSE.length
  const nameAt = text.indexOf(FIRST.name, start)
  const argumentsAt = text.indexOf(FIRST.arguments, nameAt)
  if (nameAt < 0 || argumentsAt < 0) return null
  return {
    beforeName: text.slice(start, nameAt),
    betweenNameAndArguments: text.slice(nameAt + FIRST.name.length, argumentsAt),
    afterArguments: text.slice(argumentsAt + FIRST.arguments.length),
  }
}

/** Where a call alone is written as behind prose, and prose does not stand bare: what stands before and behind it. */
function proseIn(write: Writer, text: string): Language['prose'] {
  const at = text.indexOf(PROSE)
  const rest = text.slice(at + PROSE.length)
  const alone = write({ prose: '', calls: [FIRST] })
  if (at <= 0 || !rest.endsWith(alone)) return undefined
  return { start: text.slice(0, at), joint: rest.slice(0, rest.length - alone.length) }
}

/** The words that stand around name and arguments; a line break before one belongs to it. */
function guessTokens(call: CallSpelling | null): FormatTokens {
  if (call === null) return { callStart: [], callInner: [], callEnd: [] }
  const inner = call.betweenNameAndArguments.trimEnd()
  const callEnd = matched(/\S+(?=\s*$)/, call.afterArguments)
  return {
    callStart: matched(/^\s*\S+/, call.beforeName),
    // Between a start and an end the call is taken for one JSON value.
    callInner: inner === '' || callEnd.length > 0 ? [] : [inner],
    callEnd,
  }
}

function matched(pattern: RegExp, text: string): readonly string[] {
  const [match] = pattern.exec(text) ?? []
  return match === undefined ? [] : [match]
}

type Parse = (text: string, options?: ParseOptions) => ParseOutcome

function thoughtOf({ thought }: FormatTokens, call: string, parse: Parse): Thought | null {
  if (thought === undefined) return null
  const draft = `${thought.start}${call}${thought.end}`
  for (const isDetected of [true, false]) {
    const outcome = parse(draft, isDetected ? {} : { thoughtInContent: true })
    if (namesIn(outcome).length === 0) return { ...thought, isDetected, isApart: hasReasoning(outcome) }
  }
  return null
}

function hasReasoning(outcome: ParseOutcome): boolean {
  if (outcome.kind === 'rejected') return false
  return outcome.messages.some(({ reasoning_content: reasoning }) => typeof reasoning === 'string' && reasoning !== '')
}

/** What stands between two calls, if both of them count. */
function separatorOf(write: Writer, parse: Parse): string | null {
  if (!areTogether(write, parse)) return null
  const text = write({ prose: '', calls: [FIRST, SECOND] })
  const first = write({ prose: '', calls: [FIRST] })
  const second = write({ prose: '', calls: [SECOND] })
  const isJoined = text.startsWith(first) && text.endsWith(second)
  return isJoined ? text.slice(first.length, text.length - second.length) : null
}

function areTogether(write: Writer, parse: Parse): boolean {
  return namesIn(parse(write({ prose: '', calls: [FIRST, SECOND] }))).join() === `${FIRST.name},${SECOND.name}`
}

/** Some formats put the name into the id, some take nine letters and digits only. */
const ID_FORMS: readonly ((name: string, index: number) => string)[] = [
  (name, index) => `functions.${name}:${index}`,
  (_, index) => `zqcall${String(index).padStart(3, '0')}`,
]

function writesIds(idOf: (name: string, index: number) => string, write: Writer, parse: Parse): boolean {
  const outcome = parse(write({ prose: '', calls: [{ ...FIRST, id: idOf(FIRST.name, 0) }] }))
  return namesIn(outcome).join() === FIRST.name && idsIn(outcome).join() === idOf(FIRST.name, 0)
}

function namesIn(outcome: ParseOutcome): readonly string[] {
  if (outcome.kind === 'rejected') return []
  return outcome.messages.flatMap(({ function_call: call }) => call?.name ?? [])
}

/** Without a tokenizer only those that the format names are known. */
function partialsOf(format: PromptFormat, { tokenizer }: ParseOptions): readonly string[] {
  try {
    return partialStopWords(format.stopWords, { partials: format.partialStopWords, tokenizer })
  } catch (error) {
    if (error instanceof InputError) return []
    throw error
  }
}
