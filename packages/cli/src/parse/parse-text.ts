import { formats, isDict, isList, type PyDict, type PyValue } from '@callspec/core'
import type { ParseOptions, ParseOutcome } from '@callspec/core'
import type { ChosenFormat, ModuleFormat } from '../formats.ts'
import { lazyTokenizer } from '../lazy-tokenizer.ts'
import { callUser, dataIn, kindOf, TemplateError } from '../render/user-format.ts'
import { UsageError } from '../usage-error.ts'

/** How a text is read; the defaults of the chat call are filled in. */
export interface ParseSettings {
  readonly parallelCalls: boolean
  /** `auto`, `none` or the name of a tool. */
  readonly functionChoice: string
  readonly codeMode: boolean
  readonly thoughtInContent: boolean
  /** Whether the text is cut at the format's own stop words. */
  readonly stops: boolean
  /** Further stop words; they cut in any case. */
  readonly stopWords: readonly string[]
  readonly rawArguments: boolean
}

/**
 * Reads a model text with the chosen format and gives the outcome as JSON data: `kind`, `format`, `profile`, then
 * `messages`, `calls` and `issues`, or `error` and `issue`.
 *
 * @throws TemplateError where a format of the user throws or gives back something that is no outcome
 */
export async function parseText(chosen: ChosenFormat, text: string, settings: ParseSettings): Promise<PyDict> {
  if (chosen.kind === 'built-in') {
    const format = formats[chosen.id]
    const outcome = format.parse(text, optionsFor(settings, format.stopWords, chosen.profile.name))
    return describe(outcome, { format: chosen.id, profile: `qwen-agent@${chosen.profile.name}`, where: chosen.id })
  }
  const { format, path, profile } = chosen
  return describe(await readWithModule(chosen, text, settings), { format: format.id, profile, where: `${path}: parse` })
}

/**
 * Reads a model text with a format of the user.
 *
 * @throws UsageError where the format can only render; TemplateError where it throws (ThrownError) or gives back something
 *   that is no outcome
 */
export async function readWithModule(
  { format, path, profile }: ModuleFormat,
  text: string,
  settings: ParseSettings,
): Promise<ParseOutcome> {
  const { parse } = format
  if (parse === undefined) throw new UsageError(`${path}: format "${format.id}" has no "parse"; it can only render.`)
  const options = optionsFor(settings, format.stopWords ?? [], profile)
  const outcome = await callUser(() => parse.call(format, text, options), `${path}: parse`)
  return checkOutcome(outcome, path)
}

function optionsFor(settings: ParseSettings, own: readonly string[], profile: string | null): ParseOptions {
  const { functionChoice, stops, stopWords, ...rest } = settings
  const words = stops ? [...own, ...stopWords.filter((word) => !own.includes(word))] : stopWords
  const cuts = stops || stopWords.length > 0
  const isName = functionChoice !== 'auto' && functionChoice !== 'none'
  return {
    ...rest,
    ...(profile === null ? {} : { profile }),
    toolChoice: isName ? { name: functionChoice } : functionChoice,
    ...(cuts ? { stopWords: stopWords.length === 0 ? ('default' as const) : words, tokenizer: lazyTokenizer() } : {}),
  }
}

interface Reader {
  readonly format: string
  readonly profile: string | null
  /** Who gave the outcome, for an error message. */
  readonly where: string
}

function describe(outcome: ParseOutcome, { format, profile, where }: Reader): PyDict {
  const plain = (value: unknown, name: string): PyValue => dataIn(value, `${where}: ${name}`)
  const head: [string, PyValue][] = [
    ['kind', outcome.kind],
    ['format', format],
    ['profile', profile],
  ]
  if (outcome.kind === 'rejected') {
    return new Map([...head, ['error', plain(outcome.error, 'error')], ['issue', plain(outcome.issue, 'issue')]])
  }
  const messages = outcome.messages.map((message, index) => plain(message, `messages[${index}]`))
  const calls = messages.flatMap((message) => {
    const call = isDict(message) ? message.get('function_call') : null
    return isDict(call) ? [call] : []
  })
  return new Map([...head, ['messages', messages], ['calls', calls], ['issues', plain(outcome.issues, 'issues')]])
}

/** Judges what a `parse` of the user gave back. @throws TemplateError that says what is wrong with it */
export function checkOutcome(value: unknown, path: string): ParseOutcome {
  const outcome = (typeof value === 'object' && value !== null ? value : {}) as Partial<ParseOutcome>
  const wrong = (what: string, give = "{kind: 'parsed', messages, issues}"): never => {
    throw new TemplateError(`${path}: parse gave back ${what}. Give ${give}.`)
  }
  if (outcome.kind === 'rejected') {
    if (isObject(outcome.error) && isObject(outcome.issue)) return outcome as ParseOutcome
    return wrong("kind 'rejected' alone", 'error and issue with it')
  }
  if (outcome.kind !== 'parsed') return wrong(Array.isArray(value) ? 'a list' : `${kindOf(value)} without a kind`)
  const { messages, issues = [] } = outcome
  if (!isList(messages)) return wrong('no list of messages')
  if (!isList(issues)) return wrong('issues that are no list')
  const odd = [...messages, ...issues].find((item) => !isObject(item))
  if (odd !== undefined) return wrong(`${kindOf(odd)} among messages and issues`)
  return { kind: 'parsed', messages, issues }
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
