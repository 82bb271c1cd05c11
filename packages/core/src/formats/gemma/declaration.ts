import type { Shown } from '../../conversation/conversation.ts'
import { Refusal } from '../../conversation/conversation.ts'
import type { ValueNotation } from '../../conversation/shown-value.ts'
import { withCommas, shownValue } from '../../conversation/shown-value.ts'
import { printedMember } from '../../conversation/message-view.ts'
import type { PyDict, PyList, PyValue } from '@callspec/python'
import { str, isDict, isList, truthy, pyCompare } from '@callspec/python'
import { GEMMA_4 } from './grammar.ts'

/** A tool as the system turn declares it. */
export function declarationOf(tool: PyDict): Shown {
  const [parameters, response] = [tool.get('parameters') ?? null, tool.get('response')]
  const members: Shown[] = [described(tool)]
  if (truthy(parameters)) members.push(declaredParameters(dictOf(parameters, 'parameters')))
  if (response !== undefined) members.push(responseOf(dictOf(response, 'response')))
  return ['declaration:', printedMember(tool, 'name'), '{', withCommas(members, ','), '}']
}

/** As in the template: without a type the bracket stays open. */
function declaredParameters(schema: PyDict): Shown {
  const properties = schema.get('properties') ?? null
  return [
    'parameters:{',
    truthy(properties) ? [propertiesOf(dictOf(properties, 'properties')), ','] : '',
    truthy(schema.get('required')) ? [requiredOf(schema), ','] : '',
    truthy(schema.get('type')) ? [typedSchema(schema), '}'] : '',
  ]
}

function responseOf(schema: PyDict): Shown {
  const about = truthy(schema.get('description')) ? [described(schema), ','] : ''
  return ['response:{', about, typeOf(schema) === 'OBJECT' ? [typedSchema(schema), '}'] : '']
}

/** Properties that are named as a part of a schema are left out, as in the template. */
const HIDDEN: ReadonlySet<string> = new Set(['description', 'type', 'properties', 'required', 'nullable'])

function propertiesOf(properties: PyDict): Shown {
  const shown = sorted(properties).filter(([key]) => !HIDDEN.has(key))
  const members = shown.map(([key, value]) => [key, ':{', propertyOf(isDict(value) ? value : NOTHING), '}'])
  return ['properties:{', withCommas(members, ','), '}']
}

const NOTHING: PyDict = new Map()

function propertyOf(schema: PyDict): Shown {
  const type = typeOf(schema)
  const [values, items, inner] = [schema.get('enum') ?? null, schema.get('items'), schema.get('properties')]
  const members: Shown[] = []
  if (truthy(schema.get('description'))) members.push(described(schema))
  if (type === 'STRING' && truthy(values)) members.push(['enum:', shownValue(values, DECLARED)])
  if (type === 'ARRAY' && isDict(items) && items.size > 0) members.push(['items:{', itemsOf(items), '}'])
  if (truthy(schema.get('nullable'))) members.push('nullable:true')
  // An object without properties shows its other members as if they were some.
  if (type === 'OBJECT') members.push(propertiesOf(isDict(inner) ? inner : schema))
  if (type === 'OBJECT' && truthy(schema.get('required'))) members.push(requiredOf(schema))
  return withCommas([...members, typedSchema(schema)], ',')
}

function itemsOf(items: PyDict): Shown {
  const given = sorted(items).filter(([, value]) => value !== null)
  return withCommas(
    given.map(([key, value]): Shown => {
      if (key === 'properties') return isDict(value) ? propertiesOf(value) : 'properties:{}'
      if (key === 'required') return requiredOf(items)
      const shown = key !== 'type' ? value : typeof value === 'string' ? upper(value) : listOf(value).map(upper)
      return [key, ':', shownValue(shown, DECLARED)]
    }),
    ',',
  )
}

function requiredOf(schema: PyDict): Shown {
  const names = listOf(schema.get('required') ?? null).map((each) => gemmaString(str(each)))
  return ['required:[', withCommas(names, ','), ']']
}

function described(schema: PyDict): Shown {
  return ['description:', gemmaString(printedMember(schema, 'description'))]
}

function typedSchema(schema: PyDict): Shown {
  return ['type:', gemmaString(typeOf(schema))]
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

const QUOTE: Shown = { kind: 'token', text: GEMMA_4.quote }

/** A text between the tokens that enclose every string. */
function gemmaString(text: string): Shown {
  return [QUOTE, text, QUOTE]
}

/** How the template prints arguments and results: keys sorted, null and numbers as Python prints them. */
export const PRINTED: ValueNotation = {
  words: { null: 'None', true: 'true', false: 'false' },
  string: gemmaString,
  key: (key) => key,
  number: str,
  comma: ',',
  colon: ':',
  members: sorted,
}

const DECLARED: ValueNotation = { ...PRINTED, key: gemmaString }

/** As Jinja's `dictsort`: by key, ignoring case, by code points. */
function sorted(dict: PyDict): readonly (readonly [string, PyValue])[] {
  return [...dict].toSorted(([one], [other]) => pyCompare(one.toLowerCase(), other.toLowerCase()))
}
