import type { ParseOptions, ParseOutcome, Tokenizer, ToolSpec } from '@callspec/core/qwen-agent'
import { formats, partialStopWords, replyOfOutcome } from '@callspec/core/qwen-agent'
import type { PyDict, PyValue } from '@callspec/python'
import { isList, isDict } from '@callspec/python'
import type { Format, Reply } from '@callspec/core'
import { otherReadings } from '@callspec/core/formats'
import { grammarParts } from '@callspec/core/grammar'
import type { ChosenFormat, ModuleFormat } from '../formats.ts'
import { callUser, dataIn, kindOfValue, TemplateError } from '../render/user-format.ts'
import { UsageError } from '../usage-error.ts'
import { plural } from '@callspec/eval/text'
import { quotedLine } from '../output.ts'
import type { LargeReply } from './print-large.ts'

/** How a text is read, with the defaults of the chat call. */
export interface ParseSettings {
  readonly parallelCalls: boolean
  /** `auto`, `none` or the name of a tool. */
  readonly functionChoice: string
  readonly codeMode: boolean
  readonly thoughtInContent: boolean
  /** Cut the text at the format's own stop words. */
  readonly stops: boolean
  /** Further stop words, which always cut. */
  readonly stopWords: readonly string[]
  readonly rawArguments: boolean
  /** The offered tools: their schemas type values that are written as text. */
  readonly tools: readonly ToolSpec[]
}

/** Those of a text of which nothing else is known. */
export const USUAL_SETTINGS: ParseSettings = {
  parallelCalls: true,
  functionChoice: 'auto',
  codeMode: false,
  thoughtInContent: false,
  stops: true,
  stopWords: [],
  rawArguments: false,
  tools: [],
}

/**
 * Reads a model text and returns the reply as data: `kind`, `format`, `version`, then `items`, or `error` and `issue`.
 *
 * @throws TemplateError if a user's format throws or returns something that is not an outcome
 */
export async function parseText(chosen: ChosenFormat, text: string, settings: ParseSettings): Promise<PyDict> {
  const reply = await readReplyWith(chosen, text, settings)
  switch (chosen.kind) {
    case 'built-in':
      return replyData(reply, { format: chosen.id, version: `qwen-agent@${chosen.profile.name}`, where: chosen.id })
    case 'format':
      return replyData(reply, { format: chosen.format.id, version: chosen.version, where: chosen.path })
    default:
      return replyData(reply, { format: chosen.format.id, version: chosen.profile, where: `${chosen.path}: parse` })
  }
}

async function readReplyWith(chosen: ChosenFormat, text: string, settings: ParseSettings): Promise<Reply> {
  switch (chosen.kind) {
    case 'built-in': {
      const tokenizer = settings.stopWords.length === 0 ? null : await loadTokenizer()
      const own = formats[chosen.id].stopWords
      const { profile: _profile, ...options } = optionsFor(settings, own, { profile: chosen.profile.name, tokenizer })
      return formats[chosen.id].read(text, { ...options, version: chosen.profile.name, tools: settings.tools })
    }
    case 'format': {
      const { format, version } = chosen
      const tokenizer = settings.stopWords.length === 0 ? null : await loadTokenizer()
      const { profile: _profile, ...options } = optionsFor(settings, format.stops.words, { tokenizer })
      const kept = tokenizer === null ? text : keptAtStop(text, settings.stopWords, tokenizer)
      const read = (): Reply => withCut(format.read(kept, { ...options, version, tools: settings.tools }), kept, text)
      return !chosen.isModule ? read() : checkReply(await callUser(read, `${chosen.path}: read`), chosen.path)
    }
    default:
      return replyOfOutcome(dataOnly(await readWithModule(chosen, text, settings), chosen.path))
  }
}

/** The text before the first of the user's stop words. Readers of grammars know only their own. */
function keptAtStop(text: string, words: readonly string[], tokenizer: Tokenizer): string {
  const places = words.map((word) => text.indexOf(word)).filter((at) => at >= 0)
  const kept = text.slice(0, Math.min(text.length, ...places))
  if (kept.length < text.length) return kept
  const partial = partialStopWords(words, { tokenizer }).find((end) => kept.endsWith(end)) ?? ''
  return kept.slice(0, kept.length - partial.length)
}

function withCut(reply: Reply, kept: string, text: string): Reply {
  if (kept.length === text.length) return reply
  const [start, end] = [kept.length, text.length]
  const message = `at ${start}–${end}: The text behind a stop word was dropped.`
  return {
    ...reply,
    items: [...reply.items, { kind: 'issue', weight: 'note', code: 'text-after-stop', message, start, end }],
  }
}

/**
 * Reads a model text with a user's format.
 *
 * @throws UsageError if the format can only render; TemplateError if it throws (ThrownError) or returns something that is not an outcome
 */
export async function readWithModule(
  { format, path, profile }: ModuleFormat,
  text: string,
  settings: ParseSettings,
): Promise<ParseOutcome> {
  const { parse } = format
  if (parse === undefined) throw new UsageError(`${path}: format "${format.id}" has no "parse"; it can only render.`)
  const options = optionsFor(settings, format.stopWords ?? [], { profile, tokenizer: await loadTokenizer() })
  const outcome = await callUser(() => parse.call(format, text, options), `${path}: parse`)
  return checkOutcome(outcome, path)
}

/** Needed for what is left of stop words that no format has. Loaded late: most runs need none. */
async function loadTokenizer(): Promise<Tokenizer> {
  const { loadQwenTokenizer } = await import('@callspec/tokenizer-qwen')
  return loadQwenTokenizer()
}

function optionsFor(
  settings: ParseSettings,
  own: readonly string[],
  { profile = null, tokenizer = null }: { readonly profile?: string | null; readonly tokenizer?: Tokenizer | null },
): ParseOptions {
  const { functionChoice, stops, stopWords, tools: _tools, ...rest } = settings
  const words = stops ? [...own, ...stopWords.filter((word) => !own.includes(word))] : stopWords
  const cuts = stops || stopWords.length > 0
  const isName = functionChoice !== 'auto' && functionChoice !== 'none'
  return {
    ...rest,
    ...(profile === null ? {} : { profile }),
    toolChoice: isName ? { name: functionChoice } : functionChoice,
    ...(cuts
      ? {
          stopWords: stopWords.length === 0 ? ('default' as const) : words,
          ...(tokenizer === null ? {} : { tokenizer }),
        }
      : {}),
  }
}

/** @throws TemplateError that names the part of the outcome that is not data */
function dataOnly(outcome: ParseOutcome, path: string): ParseOutcome {
  if (outcome.kind === 'parsed')
    for (const [index, message] of outcome.messages.entries()) dataIn(message, `${path}: parse: messages[${index}]`)
  return outcome
}

interface ReplyReaderName {
  readonly format: string
  readonly version: string | null
  /** The reader's name for messages. */
  readonly where: string
}

/**
 * What a reader of a large reply is made of, which gives its items piece by piece; null where all of the text is needed at once: for versions of
 * Qwen-Agent, stop words of the user, and formats of modules.
 */
export function pieceReader(chosen: ChosenFormat, settings: ParseSettings): LargeReply | null {
  if (chosen.kind !== 'format' || chosen.isModule || settings.stopWords.length > 0) return null
  const { format, version } = chosen
  if (grammarParts(format) === null || version !== 'strict') return null
  const { profile: _profile, ...options } = optionsFor(settings, format.stops.words, {})
  return {
    format,
    options: { ...options, version, tools: settings.tools },
    head: new Map(replyHead('parsed', { format: format.id, version })),
    itemData: (item) => withSeverity(dataIn(item, `${format.id}: item`)),
  }
}

function replyHead(kind: string, { format, version }: Omit<ReplyReaderName, 'where'>): [string, PyValue][] {
  return [
    ['kind', kind],
    ['format', format],
    ['version', version],
  ]
}

function replyData({ items, error }: Reply, { format, version, where }: ReplyReaderName): PyDict {
  const plain = (value: unknown, name: string): PyValue => withSeverity(dataIn(value, `${where}: ${name}`))
  const head = replyHead(error === null ? 'parsed' : 'rejected', { format, version })
  if (error !== null) {
    const issue = items.find(({ kind }) => kind === 'issue') ?? null
    return new Map([...head, ['error', plain(error, 'error')], ['issue', plain(issue, 'issue')]])
  }
  return new Map([...head, ['items', items.map((item, index) => plain(item, `items[${index}]`))]])
}

/** An issue with its `severity`, `error` or `note`; `weight` calls an error `harm` for one more version. */
function withSeverity(item: PyValue): PyValue {
  if (!isDict(item)) return item
  const weight = item.get('weight')
  if (weight !== 'harm' && weight !== 'note') return item
  const severity = weight === 'harm' ? 'error' : weight
  return new Map(
    [...item].flatMap(([name, value]): [string, PyValue][] =>
      name === 'weight'
        ? [
            [name, value],
            ['severity', severity],
          ]
        : [[name, value]],
    ),
  )
}

/** Checks the result of a user's `read`. @throws TemplateError */
function checkReply(value: unknown, path: string): Reply {
  const { items, error = null } = (typeof value === 'object' && value !== null ? value : {}) as Partial<Reply>
  if (isList(items) && items.every(isObject)) return { items, error }
  throw new TemplateError(`${path}: read gave back ${kindOfValue(value)} without items. Give {items, error}.`)
}

/** Checks the result of a user's `parse`. @throws TemplateError */
export function checkOutcome(value: unknown, path: string): ParseOutcome {
  const outcome = (typeof value === 'object' && value !== null ? value : {}) as Partial<ParseOutcome>
  const wrong = (what: string, give = "{kind: 'parsed', messages, issues}"): never => {
    throw new TemplateError(`${path}: parse gave back ${what}. Give ${give}.`)
  }
  if (outcome.kind === 'rejected') {
    if (isObject(outcome.error) && isObject(outcome.issue)) return outcome as ParseOutcome
    return wrong("kind 'rejected' alone", 'error and issue with it')
  }
  if (outcome.kind !== 'parsed') return wrong(Array.isArray(value) ? 'a list' : `${kindOfValue(value)} without a kind`)
  const { messages, issues = [] } = outcome
  if (!isList(messages)) return wrong('no list of messages')
  if (!isList(issues)) return wrong('issues that are no list')
  const odd = [...messages, ...issues].find((item) => !isObject(item))
  if (odd !== undefined) return wrong(`${kindOfValue(odd)} among messages and issues`)
  return { kind: 'parsed', messages, issues }
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Characters of a text or of arguments in a line. */
const MAX_SHOWN_TEXT = 200

/**
 * A reply for people: a line with format and version, then one per item: `text`, `reasoning`, `call` with name and arguments, and issues as
 * `error` or `note`. A refusal is one line, `rejected`.
 *
 * @param reply what `parseText` returns
 */
export function replyLines(reply: PyDict): readonly string[] {
  const [error, items] = [reply.get('error'), reply.get('items')]
  const head = replyRow('format', `${replyMember(reply, 'format')} ${replyMember(reply, 'version')}`.trimEnd())
  if (isDict(error))
    return [head, replyRow('rejected', `${replyMember(error, 'type')}: ${replyMember(error, 'message')}`)]
  const given: readonly PyValue[] = isList(items) ? items : []
  return [
    head,
    ...(given.length === 0 ? ['nothing was read'] : given.map((item) => (isDict(item) ? itemRow(item) : ''))),
  ]
}

function itemRow(item: PyDict): string {
  const kind = replyMember(item, 'kind')
  if (kind === 'issue')
    return replyRow(replyMember(item, 'severity'), `${replyMember(item, 'code')}: ${replyMember(item, 'message')}`)
  if (kind !== 'call') return replyRow(kind, `"${quotedLine(replyMember(item, 'text'), MAX_SHOWN_TEXT)}"`)
  const id = item.get('id')
  const name = `${replyMember(item, 'name')}${typeof id === 'string' ? ` (${id})` : ''}`
  return replyRow('call', `${quotedLine(name)} ${quotedLine(replyMember(item, 'arguments'), MAX_SHOWN_TEXT)}`)
}

function replyRow(head: string, text: string): string {
  return `${head.padEnd(KIND_WIDTH)}  ${quotedLine(text, 4 * MAX_SHOWN_TEXT)}`
}

/** The length of `reasoning`. */
const KIND_WIDTH = 9

function replyMember(map: PyDict, member: string): string {
  const value = map.get(member)
  return typeof value === 'string' ? value : ''
}

/** Versions of a format that read a text alike, and unlike the version that was chosen. */
interface OtherReadings {
  readonly versions: readonly [string, ...string[]]
  /** `reads 1 call` for one version, else `read 1 call`. */
  readonly does: string
  readonly sameCalls: boolean
}

interface ComparedReply {
  readonly tools: readonly ToolSpec[]
  readonly version: string
}

function groupedReadings(format: Format, text: string, reply: ComparedReply): readonly OtherReadings[] {
  const byReading = new Map<string, Omit<OtherReadings, 'does'> & { readonly verb: string; readonly what: string }>()
  for (const { version, calls, sameCalls, error } of otherReadings(format, text, { parallelCalls: true, ...reply })) {
    const verb = error === null ? 'read' : 'raise'
    const isRead = sameCalls && error === null
    const what = error ?? (isRead ? 'the same calls, but another text' : plural(calls, 'call'))
    const known = byReading.get(`${verb} ${what}`)?.versions ?? []
    const versions = [...known, version] as [string, ...string[]]
    byReading.set(`${verb} ${what}`, { verb, what, sameCalls: isRead, versions })
  }
  return [...byReading.values()].map(({ verb, what, versions, sameCalls }) => {
    return { versions, sameCalls, does: `${versions.length === 1 ? `${verb}s` : verb} ${what}` }
  })
}

/** A line per different reading by other versions: `nous: qwen-agent@main reads 1 call`. Empty if all agree. */
export function otherReadingLines(format: Format, text: string, reply: ComparedReply): readonly string[] {
  return groupedReadings(format, text, reply).map(
    ({ versions, does }) => `${format.id}: ${versions.join(', ')} ${does}`,
  )
}

/** The same in short, only where other versions read other calls: `2 other versions read 1 call (--profile qwen-agent@main)`. */
export function otherCallsLines(format: Format, text: string, reply: ComparedReply): readonly string[] {
  return groupedReadings(format, text, reply)
    .filter(({ sameCalls }) => !sameCalls)
    .map(({ versions, does }) => `${plural(versions.length, 'other version')} ${does} (--profile ${versions[0]})`)
}
