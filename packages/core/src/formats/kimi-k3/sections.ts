import { dumps, isDict, isJson, isList } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'
import { joinParts, partWriter } from '../../conversation/conversation.ts'
import type { PartWriter } from '../../conversation/conversation.ts'
import type { ItemSpelling } from '../../format/format.ts'

/** Opens a section. `head`: its name, then its attributes. */
export function addOpen(writer: PartWriter, head: string): void {
  writer.add('<|open|>', head, '<|sep|>')
}

/** An attribute of a section, with the blank before it, for a value that may need escapes. */
export function attribute(key: string, value: string): string {
  return ` ${key}="${escaped(value)}"`
}

/** Closes a section. */
export function addClose(writer: PartWriter, name: string): void {
  writer.add('<|close|>', name, '<|sep|>')
}

/** A call; `raw` are arguments that are no object of keys, and `index` counts from 0. */
interface ShownCall {
  readonly name: string
  readonly index: number
  readonly given: PyDict
  readonly raw: string | null
}

/** Adds a call, each argument with its type. */
export function addCall(writer: PartWriter, { name, index, given, raw }: ShownCall): void {
  addOpen(writer, `call${attribute('tool', name)} index="${index + 1}"`)
  if (raw !== null) {
    addOpen(writer, 'json type="object"')
    writer.text(raw)
    addClose(writer, 'json')
  }
  for (const [key, value] of given) {
    addOpen(writer, `argument${attribute('key', key)} type="${typeOf(value)}"`)
    writer.text(typeof value === 'string' ? value : dumps(value))
    addClose(writer, 'argument')
  }
  addClose(writer, 'call')
}

function typeOf(value: PyValue): string {
  if (value === null) return 'null'
  if (isList(value)) return 'array'
  if (isDict(value)) return 'object'
  return TYPE_OF[typeof value] ?? 'string'
}

/** The maker writes every number so, an integer, too. */
const TYPE_OF: { readonly [type: string]: string } = { boolean: 'boolean', bigint: 'number', number: 'number' }

function escaped(text: string): string {
  if (!text.includes('&') && !text.includes('"')) return text
  return text.split('&').join('&amp;').split('"').join('&quot;')
}

/** How replies are spelt. */
export const spelling: ItemSpelling = {
  thought: { open: '<|open|>think<|sep|>', close: '<|close|>think<|sep|>' },
  text: { open: '<|open|>response<|sep|>', close: '<|close|>response<|sep|>', beforeCalls: true },
  section: { open: '<|open|>tools<|sep|>', close: '<|close|>tools<|sep|>' },
  call: ({ name, arguments: text }, given, index) => {
    const writer = partWriter()
    // What is not an object of keys is written as it is.
    const raw = given.size === 0 && !(isJson(text) && text.startsWith('{')) ? text : null
    addCall(writer, { name, index, given, raw })
    return joinParts(writer.parts())
  },
}
