import { Refusal } from '../../conversation/conversation.ts'
import { str, isDict, isList, truthy } from '@callspec/python'
import type { PyDict, PyList, PyValue } from '@callspec/python'
import { listed, printed, quoted, sorted, valueOf } from './printed.ts'
import type { Printed } from './printed.ts'

/** A tool as the system turn declares it. */
export function declarationOf(tool: PyDict): Printed {
  const parameters = tool.get('parameters') ?? null
  const response = tool.get('response')
  const members: Printed[] = [['description:', quoted(printed(tool, 'description'))]]
  if (truthy(parameters)) members.push(parametersOf(dictOf(parameters, 'parameters')))
  if (response !== undefined) members.push(responseOf(dictOf(response, 'response')))
  return ['declaration:', printed(tool, 'name'), '{', listed(members), '}']
}

/** As in the template: without a type the bracket stays open. */
function parametersOf(schema: PyDict): Printed {
  const [properties, required] = [schema.get('properties') ?? null, schema.get('required') ?? null]
  return [
    'parameters:{',
    truthy(properties) ? ['properties:{', propertiesOf(dictOf(properties, 'properties')), '},'] : '',
    truthy(required) ? ['required:[', namesOf(required), '],'] : '',
    typeEnd(schema),
  ]
}

function responseOf(schema: PyDict): Printed {
  const about = printed(schema, 'description')
  return [
    'response:{',
    truthy(schema.get('description')) ? ['description:', quoted(about), ','] : '',
    typeOf(schema) === 'OBJECT' ? typeEnd(schema) : '',
  ]
}

function typeEnd(schema: PyDict): Printed {
  return truthy(schema.get('type')) ? ['type:', quoted(typeOf(schema)), '}'] : ''
}

/** Properties that are named as a part of a schema are left out, as in the template. */
const HIDDEN: ReadonlySet<string> = new Set(['description', 'type', 'properties', 'required', 'nullable'])

function propertiesOf(properties: PyDict): Printed {
  return listed(
    sorted(properties)
      .filter(([key]) => !HIDDEN.has(key))
      .map(([key, value]) => [key, ':{', propertyOf(isDict(value) ? value : NOTHING), '}']),
  )
}

const NOTHING: PyDict = new Map()

function propertyOf(schema: PyDict): Printed {
  const type = typeOf(schema)
  const [values, items] = [schema.get('enum') ?? null, schema.get('items') ?? null]
  const members: Printed[] = []
  if (truthy(schema.get('description'))) members.push(['description:', quoted(printed(schema, 'description'))])
  if (type === 'STRING' && truthy(values)) members.push(['enum:', valueOf(values, true)])
  if (type === 'ARRAY' && isDict(items) && items.size > 0) members.push(['items:{', itemsOf(items), '}'])
  if (truthy(schema.get('nullable'))) members.push('nullable:true')
  if (type === 'OBJECT') {
    const inner = schema.get('properties')
    const required = schema.get('required') ?? null
    // An object without properties shows its other members as if they were some.
    members.push(['properties:{', propertiesOf(isDict(inner) ? inner : schema), '}'])
    if (truthy(required)) members.push(['required:[', namesOf(required), ']'])
  }
  return listed([...members, ['type:', quoted(type)]])
}

function itemsOf(items: PyDict): Printed {
  return listed(
    sorted(items)
      .filter(([, value]) => value !== null)
      .map(([key, value]): Printed => {
        switch (key) {
          case 'properties':
            return ['properties:{', isDict(value) ? propertiesOf(value) : '', '}']
          case 'required':
            return ['required:[', namesOf(value), ']']
          case 'type':
            return ['type:', valueOf(typeof value === 'string' ? upper(value) : listOf(value).map(upper), true)]
          default:
            return [key, ':', valueOf(value, true)]
        }
      }),
  )
}

function namesOf(value: PyValue): Printed {
  return listed(listOf(value).map((each) => quoted(str(each))))
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
  return upper(printed(schema, 'type'))
}

function upper(value: PyValue): string {
  return str(value).toUpperCase()
}
