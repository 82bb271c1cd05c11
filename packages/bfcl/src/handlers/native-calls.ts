import { isDict, isList, isLiteralDict, loads } from '@callspec/python'
import { str } from '@callspec/python/outcome'
import type { PyLiteral, PyValue } from '@callspec/python'
import type { BfclLanguage } from '../verdict.ts'
import type { Decode } from './handler.ts'
import { undecodable } from './handler.ts'

/** The handlers of models whose server gives calls: a list of names, each with its arguments. */
export const NATIVE_HANDLERS: Readonly<Record<string, Decode>> = {
  'claude-fc': jsonArguments,
  'cohere-fc': objectArguments,
  'cohere-fc-optimized': textArguments,
  fireworks: jsonArguments,
  functionary: jsonArguments,
  gemini: (output) => jsonArguments(isList(output) ? output : [output]),
  'gpt-fc': jsonArguments,
  'mistral-fc': jsonArguments,
  native: anyArguments,
  yi: jsonArguments,
}

/** Arguments are JSON. as in the reference: their values stay what they are for Java and JavaScript, where only texts count. */
function jsonArguments(output: PyValue): PyLiteral {
  return entriesOf(output).map(([name, args]) => {
    if (typeof args !== 'string') throw undecodable('the arguments are no JSON text')
    return new Map([[name, loads(args)]])
  })
}

/** Arguments as JSON or as an object: later releases have handlers for both. */
function anyArguments(output: PyValue): PyLiteral {
  return entriesOf(output).map(([name, args]) => new Map([[name, typeof args === 'string' ? loads(args) : args]]))
}

function objectArguments(output: PyValue): PyLiteral {
  return entriesOf(output).map((entry) => new Map([entry]))
}

/** For Java and JavaScript arguments become texts, `true` as these languages write it. */
function textArguments(output: PyValue, language: BfclLanguage): PyLiteral {
  if (language === 'python') return objectArguments(output)
  return entriesOf(output).map(([name, args]) => {
    if (!isDict(args)) throw undecodable('the arguments are no object')
    return new Map([[name, new Map([...args].map(([key, value]) => [key, textOfValue(value)]))]])
  })
}

function textOfValue(value: PyValue): string {
  return typeof value === 'boolean' ? String(value) : pythonText(value)
}

/** Python's `str`. It fails on nothing that JSON can hold. */
export function pythonText(value: PyValue): string {
  const text = str(value)
  return text.kind === 'returned' ? text.value : ''
}

/** The first name of every item with what stands behind it. An empty output is a list without items. */
function entriesOf(output: PyValue): readonly (readonly [string, PyValue])[] {
  const isEmpty = output === '' || (isLiteralDict(output) && output.size === 0)
  const items = isEmpty ? [] : output
  if (!isList(items)) throw undecodable('the output is no list')
  return items.map((item) => {
    const [entry] = isDict(item) ? [...item] : []
    if (entry === undefined) throw undecodable('an item is no call')
    return entry
  })
}
