import { isDict, isList, strip } from '@callspec/python'
import type { PyDict, PyList, PyValue } from '@callspec/python'

import { jsonObjectsIn } from './json-objects.ts'
import { argumentsByMeaning } from './normal-items.ts'

/** What a strict case asks of a prompt or a run, where its text is free: a map of properties instead of an answer. */
export const PROPERTIES = 'properties'

type Reduce = (answer: PyDict, wanted: PyDict) => PyDict

/**
 * The properties that a case states, and what of them holds in an answer: two maps of one shape, which are compared like others.
 *
 * - `render`: `tools`, every declaration in the prompt, by name and parameters, in any order; `calls`, those that it shows, by
 *   name and arguments; `texts`, which of these stand in the prompt, one behind the other.
 * - `loop`: `reason`; `calls`, those that reached a tool; `results`, contents of the result messages; `answer`, the last text.
 */
export function comparableProperties(op: 'render' | 'loop', wanted: PyDict, answer: PyDict): readonly [PyDict, PyDict] {
  const observed = REDUCE[op](answer, wanted)
  const kept = [...observed].filter(([key]) => wanted.has(key))
  return [new Map([...wanted].map(([key, value]) => [key, arranged(key, value)])), new Map(kept)]
}

const REDUCE: Readonly<Record<'render' | 'loop', Reduce>> = {
  render(answer, wanted) {
    const prompt = promptText(answer)
    const objects = jsonObjectsIn(prompt)
    return new Map<string, PyValue>([
      ['tools', arranged('tools', objects.flatMap(declaration))],
      ['calls', objects.flatMap(shownCall)],
      ['texts', textsIn(prompt, wanted.get('texts'))],
    ])
  },
  loop(answer) {
    const final = dictsIn(answer.get('final'))
    const made = isList(answer.get('calls')) ? dictsIn(answer.get('calls')) : final.flatMap(callIn)
    const said = final.filter((message) => message.get('role') === 'assistant').at(-1)
    return new Map<string, PyValue>([
      ['reason', answer.get('reason') ?? null],
      ['calls', made.map(byMeaning)],
      ['results', final.filter((message) => message.get('role') === 'function').map(contentText)],
      ['answer', said === undefined ? '' : strip(contentText(said))],
    ])
  },
}

/** In which order tools stand in a prompt, nobody says. */
function arranged(key: string, value: PyValue): PyValue {
  if (key !== 'tools' || !isList(value)) return value
  const nameOf = (tool: PyValue): string => (isDict(tool) ? String(tool.get('name')) : '')
  return [...value].sort((left, right) => (nameOf(left) < nameOf(right) ? -1 : Number(nameOf(left) > nameOf(right))))
}

function promptText(answer: PyDict): string {
  const text = answer.get('text')
  return typeof text === 'string' ? text : dictsIn(answer.get('messages')).map(contentText).join('\n')
}

/** Bare, or as the value of `function`; without parameters it declares none. */
function declaration(value: PyDict): readonly PyDict[] {
  const inner = value.get('function')
  const tool = isDict(inner) ? inner : value
  if (typeof tool.get('name') !== 'string' || tool.has('arguments')) return []
  return [
    new Map([
      ['name', tool.get('name') ?? null],
      ['parameters', tool.get('parameters') ?? null],
    ]),
  ]
}

function shownCall(value: PyDict): readonly PyDict[] {
  return typeof value.get('name') === 'string' && value.has('arguments') ? [byMeaning(value)] : []
}

function callIn(message: PyDict): readonly PyDict[] {
  const call = message.get('function_call')
  return isDict(call) ? [call] : []
}

function byMeaning(call: PyDict): PyDict {
  return new Map([
    ['name', call.get('name') ?? null],
    ['arguments', argumentsByMeaning(call.get('arguments') ?? null)],
  ])
}

/** Each of the texts that stands behind the one before it; null in the place of one that does not. */
function textsIn(prompt: string, wanted: PyValue | undefined): PyList {
  let from = 0
  return (isList(wanted) ? wanted : []).map((text) => {
    const at = typeof text === 'string' ? prompt.indexOf(text, from) : -1
    if (typeof text !== 'string' || at === -1) return null
    from = at + text.length
    return text
  })
}

function contentText(message: PyDict): string {
  const content = message.get('content')
  if (typeof content === 'string') return content
  return dictsIn(content)
    .map((item) => item.get('text'))
    .filter((text) => typeof text === 'string')
    .join('')
}

function dictsIn(value: PyValue | undefined): readonly PyDict[] {
  return isList(value) ? value.filter(isDict) : []
}
