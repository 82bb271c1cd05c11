import { isDict, isList, strip, attempt, loads } from '@callspec/python'
import type { PyDict, PyLiteral, PyValue } from '@callspec/python'
import { dictKey } from '../python-values.ts'
import type { BfclLanguage } from '../verdict.ts'
import type { Decode } from './handler.ts'
import { textOf, undecodable } from './handler.ts'
import { pythonText } from './native-calls.ts'

/** The handlers of models that write calls as JSON, each with marks of its own. */
export const JSON_HANDLERS: Readonly<Record<string, Decode>> = {
  glaive,
  glm,
  granite,
  hermes,
  xlam,
}

/** The JSON behind the last mark, without its single quotes. */
function glaive(output: PyValue, language: BfclLanguage): PyLiteral {
  const call = loads((textOf(output).split('<functioncall>').at(-1) ?? '').replaceAll("'", ''))
  return [callOf(call, language)]
}

/** The first line is a name, the second its arguments; whatever follows is not looked at. One line alone is no call. */
function glm(output: PyValue): PyLiteral {
  const [name = '', args] = textOf(output).split('\n')
  return args === undefined ? [name] : [new Map([[name, loads(args)]])]
}

/** JSON between marks; what is none stays a text, and then nothing is a call. */
function granite(output: PyValue): PyLiteral {
  const parts = textOf(output)
    .split('<function_call>')
    .map((part) => strip(part))
  return parts.filter((part) => part !== '').map(graniteCall)
}

function graniteCall(part: string): PyLiteral {
  const read = attempt(() => loads(part))
  if (read.kind === 'raised') return part
  if (!isDict(read.value)) throw undecodable('a call is no object')
  const name = nameIn(read.value)
  if (typeof name !== 'string') throw undecodable('a name is no text')
  if (strip(name) === 'no_function') return 'No function is called'
  return new Map([[strip(name), argumentsOf(read.value)]])
}

/**
 * Stricter than the format: the tags stand alone on their lines, the call on the one line between, and every single quote of
 * it becomes a double one. For Java and JavaScript arguments become texts.
 */
function hermes(output: PyValue, language: BfclLanguage): PyLiteral {
  const calls: PyLiteral[] = []
  let isOpen = false
  for (const line of textOf(output).split('\n')) {
    if (line === '<tool_call>') isOpen = true
    else {
      if (isOpen && line !== '</tool_call>') calls.push(callOf(loads(line.replaceAll("'", '"')), language))
      isOpen = false
    }
  }
  return calls
}

function callOf(call: PyValue, language: BfclLanguage): PyLiteral {
  const [name, args] = isDict(call) ? [call.get('name'), call.get('arguments')] : []
  if (name === undefined || args === undefined) throw undecodable('a call has no name or no arguments')
  return named(name, language === 'python' ? args : asTexts(args))
}

function asTexts(args: PyValue): PyValue {
  if (!isDict(args)) throw undecodable('the arguments are no object')
  return new Map([...args].map(([key, value]) => [key, pythonText(value)]))
}

/** A list of calls, or one under `tool_calls`; what is no JSON is no call, and neither is an item that is no object. */
function xlam(output: PyValue): PyLiteral {
  const text = textOf(output)
  const read = attempt(() => loads(text))
  if (read.kind === 'raised') return text
  const items = isList(read.value) ? read.value : listedIn(read.value)
  return items.filter((item) => isDict(item)).map((item) => named(nameIn(item), argumentsOf(item)))
}

function listedIn(value: PyValue): readonly PyValue[] {
  if (!isDict(value)) throw undecodable('neither a list nor an object')
  const calls = value.has('tool_calls') ? (value.get('tool_calls') ?? null) : []
  // as in the reference: a text or an object holds items too, none of which is a call.
  if (typeof calls === 'string' || isDict(calls)) return []
  if (!isList(calls)) throw undecodable('the calls are no list')
  return calls
}

function nameIn(call: PyDict): PyValue {
  return call.has('name') ? (call.get('name') ?? null) : ''
}

function argumentsOf(call: PyDict): PyValue {
  return call.has('arguments') ? (call.get('arguments') ?? null) : new Map<string, PyValue>()
}

/** @throws Raise where the name can be no key of a dict */
function named(name: PyValue, args: PyLiteral): PyLiteral {
  dictKey(name)
  return new Map<PyLiteral, PyLiteral>([[name, args]])
}
