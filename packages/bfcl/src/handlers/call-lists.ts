import { strip, attempt } from '@callspec/python'
import type { PyLiteral, PyValue } from '@callspec/python'
import { resolveLaterCalls } from '../python/resolve.ts'
import type { BfclLanguage } from '../verdict.ts'
import { textOf, undecodable } from './handler.ts'
import type { Decode } from './handler.ts'
import { parseCalls } from './parse-calls.ts'

/**
 * The handlers of models that are asked for a list of calls, `[f(a=1), g.h(b="x")]`. They differ in what they do to the text
 * before it is read as Python; each was observed on its own.
 */
export const CALL_LIST_HANDLERS: Readonly<Record<string, Decode>> = {
  arctic: prepared(quotedList),
  claude: prepared(afterBlank),
  cohere: prepared((text) => inBrackets(text)),
  databricks,
  deepseek: prepared(firstListInFence),
  gemma: prepared(outermostBrackets),
  gorilla: prepared((text) => `[${text}]`),
  gpt: prepared((text) => text),
  llama: prepared((text) => inBrackets(text.replaceAll('\n', ''))),
  mistral: prepared((text) => inBrackets(text.replaceAll('\\_', '_'))),
  nexus,
  nvidia: prepared(quotedList),
  oss: prepared(afterBlank),
  python: laterReleases,
}

function prepared(prepare: (text: string) => string): Decode {
  return (output, language) => parseCalls(prepare(textOf(output)), language)
}

/** The text with brackets around it, as far as they are missing. */
function inBrackets(text: string, { open = '[', close = ']' } = {}): string {
  const opened = text.startsWith('[') ? text : open + text
  return opened.endsWith(']') ? opened : opened + close
}

/** One blank at the start is dropped; two are an indentation, and an error of Python. */
function afterBlank(text: string): string {
  if (text === '') throw undecodable('the output is empty')
  return inBrackets(text.startsWith(' ') ? text.slice(1) : text)
}

/** Texts of calls, `['f(a=1)', 'g()']`, lose their quotes, if there are any at that end. */
function quotedList(text: string): string {
  const list = inBrackets(text.replaceAll('\n', ''), { open: '[ ', close: ' ]' })
  const opened = list.startsWith("['")
    ? list.replaceAll("['", '[').replaceAll("', '", ', ').replaceAll("','", ', ')
    : list
  return opened.endsWith("']") ? opened.replaceAll("']", ']') : opened
}

/** Every single quote goes with its partner; should that be no list of calls, the text is read as it is. */
function databricks(output: PyValue, language: BfclLanguage): PyLiteral {
  const text = textOf(output)
  const list = inBrackets(text.replaceAll(/'([^']*)'/g, '$1').replaceAll('\n    ', ''))
  const unquoted = attempt(() => parseCalls(list.startsWith("['") ? list.replaceAll("['", '[') : list, language))
  return unquoted.kind === 'returned' ? unquoted.value : parseCalls(text, language)
}

/** From the first bracket inside of the first fence to the next one that closes, even inside of an argument. */
function firstListInFence(text: string): string {
  const inner = text.split('```')[1]
  const open = inner?.indexOf('[') ?? -1
  const close = inner?.indexOf(']', open) ?? -1
  if (inner === undefined || open < 0 || close < 0) throw undecodable('no list in a fence')
  return inner.slice(open, close + 1)
}

/** From the first bracket to the last one. */
function outermostBrackets(text: string): string {
  const [open, close] = [text.indexOf('['), text.lastIndexOf(']')]
  if (open < 0 || close < open) throw undecodable('no brackets')
  return text.slice(open, close + 1)
}

/** Semicolons part the calls; a call that says that nothing fits is an abstention, but only if the rest can be read. */
function nexus(output: PyValue, language: BfclLanguage): PyLiteral {
  const text = textOf(output)
  const list = (text.endsWith(';') ? text.slice(0, -1) : text).replaceAll(';', ',')
  const calls = parseCalls(`[${list}]`, language)
  return list.includes('out_of_domain') ? 'irrelevant' : calls
}

/** What releases since version 3 do for every model that has no handler of its own. */
function laterReleases(output: PyValue, language: BfclLanguage): PyLiteral {
  const list = inBrackets(strip(textOf(output), '`\n '))
  return language === 'python' ? resolveLaterCalls(strip(strip(list), "'")) : parseCalls(list, language)
}
