import type { PartWriter } from '../../conversation/conversation.ts'
import { Refusal } from '../../conversation/conversation.ts'
import { printedMember } from '../../conversation/message-view.ts'
import type { PyDict, PyList, PyValue } from '@callspec/python'
import { str, isDict, isList, truthy } from '@callspec/python'
import { sortedKeys, writeEach, writeQuoted, writeValue } from './values.ts'

/** Writes a tool as the system turn declares it. */
export function writeDeclaration(writer: PartWriter, tool: PyDict): void {
  const [parameters, response] = [tool.get('parameters') ?? null, tool.get('response')]
  writer.text(`declaration:${printedMember(tool, 'name')}{`)
  writeDescription(writer, tool)
  if (truthy(parameters)) writeParameters(writer, dictOf(parameters, 'parameters'))
  if (response !== undefined) writeResponse(writer, dictOf(response, 'response'))
  writer.text('}')
}

/** As in the template: without a type the bracket stays open. */
function writeParameters(writer: PartWriter, schema: PyDict): void {
  const properties = schema.get('properties') ?? null
  writer.text(',parameters:{')
  if (truthy(properties)) writeProperties(writer, dictOf(properties, 'properties'), ',')
  if (truthy(schema.get('required'))) writeRequired(writer, schema, ',')
  if (truthy(schema.get('type'))) writeMember(writer, 'type', typeOf(schema), '}')
}

function writeResponse(writer: PartWriter, schema: PyDict): void {
  const type = typeOf(schema)
  writer.text(',response:{')
  if (truthy(schema.get('description'))) writeDescription(writer, schema, ',')
  if (type === 'OBJECT') writeMember(writer, 'type', type, '}')
}

/** Properties that are named as a part of a schema are left out, as in the template. */
const HIDDEN: ReadonlySet<string> = new Set(['description', 'type', 'properties', 'required', 'nullable'])

function writeProperties(writer: PartWriter, properties: PyDict, after = ''): void {
  const shown = sortedKeys(properties).filter((key) => !HIDDEN.has(key))
  writer.text('properties:{')
  writeEach(writer, shown, (key) => {
    const value = properties.get(key)
    writer.text(`${key}:{`)
    writeProperty(writer, isDict(value) ? value : NOTHING)
    writer.text('}')
  })
  writer.text(`}${after}`)
}

const NOTHING: PyDict = new Map()

/** The type comes last; every member before it ends with a comma. */
function writeProperty(writer: PartWriter, schema: PyDict): void {
  const type = typeOf(schema)
  const [values, items, inner] = [schema.get('enum') ?? null, schema.get('items'), schema.get('properties')]
  if (truthy(schema.get('description'))) writeDescription(writer, schema, ',')
  if (type === 'STRING' && truthy(values)) {
    writer.text('enum:')
    writeValue(writer, values, 'quoted')
    writer.text(',')
  }
  if (type === 'ARRAY' && isDict(items) && items.size > 0) {
    writer.text('items:{')
    writeItems(writer, items)
    writer.text('},')
  }
  if (truthy(schema.get('nullable'))) writer.text('nullable:true,')
  if (type === 'OBJECT') {
    // An object without properties shows its other members as if they were some.
    writeProperties(writer, isDict(inner) ? inner : schema, ',')
    if (truthy(schema.get('required'))) writeRequired(writer, schema, ',')
  }
  writeMember(writer, 'type', type)
}

function writeItems(writer: PartWriter, items: PyDict): void {
  const given = sortedKeys(items).filter((key) => items.get(key) !== null)
  writeEach(writer, given, (key) => {
    const value = items.get(key) ?? null
    if (key === 'required') return writeRequired(writer, items)
    if (key === 'properties') return isDict(value) ? writeProperties(writer, value) : writer.text('properties:{}')
    const shown = key !== 'type' ? value : typeof value === 'string' ? upper(value) : listOf(value).map(upper)
    writer.text(`${key}:`)
    writeValue(writer, shown, 'quoted')
  })
}

function writeRequired(writer: PartWriter, schema: PyDict, after = ''): void {
  writer.text('required:[')
  writeEach(writer, listOf(schema.get('required') ?? null), (name) => writeQuoted(writer, str(name)))
  writer.text(`]${after}`)
}

function writeDescription(writer: PartWriter, schema: PyDict, after = ''): void {
  writeMember(writer, 'description', printedMember(schema, 'description'), after)
}

function writeMember(writer: PartWriter, key: string, text: string, after = ''): void {
  writer.text(`${key}:`)
  writeQuoted(writer, text)
  writer.text(after)
}

/** What a loop of a template goes through. */
function listOf(value: PyValue): PyList {
  if (isList(value)) return value
  if (isDict(value)) return [...value.keys()]
  if (typeof value === 'string') return [...value]
  throw new Refusal('a schema of a tool has no list where one belongs')
}

function dictOf(value: PyValue, where: string): PyDict {
  if (isDict(value)) return value
  throw new Refusal(`the ${where} of a tool are no map`)
}

function typeOf(schema: PyDict): string {
  return upper(printedMember(schema, 'type'))
}

function upper(value: PyValue): string {
  return str(value).toUpperCase()
}
