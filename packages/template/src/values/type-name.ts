import { unreachable } from '@callspec/python'
import { isDict, isList } from './value.ts'
import type { Thing, Value } from './value.ts'

/** The name of a value's Python type. */
export function typeName(value: Value): string {
  switch (typeof value) {
    case 'string':
      return 'str'
    case 'boolean':
      return 'bool'
    case 'bigint':
      return 'int'
    case 'number':
      return 'float'
    default:
      return value === null ? 'NoneType' : isList(value) ? 'list' : isDict(value) ? 'dict' : thingName(value)
  }
}

function thingName(thing: Thing): string {
  switch (thing.kind) {
    case 'tuple':
      return thing.names === undefined ? 'tuple' : '_GroupTuple'
    case 'markup':
      return 'Markup'
    case 'undefined':
      return 'Undefined'
    case 'range':
      return 'range'
    case 'bytes':
      return 'bytes'
    case 'view':
      return `dict_${thing.part}`
    case 'namespace':
      return 'Namespace'
    case 'iterator':
    case 'instance':
      return thing.type
    default:
      return unreachable(thing)
  }
}

const MODULES: Readonly<Record<string, string>> = {
  Markup: 'markupsafe',
  Undefined: 'jinja2.runtime',
  Macro: 'jinja2.runtime',
  LoopContext: 'jinja2.runtime',
  Namespace: 'jinja2.utils',
  Cycler: 'jinja2.utils',
  Joiner: 'jinja2.utils',
  _GroupTuple: 'jinja2.filters',
}

/** How Jinja's messages call an object by its type: `dict object`, `jinja2.utils.Namespace object`, `None`. */
export function objectName(value: Value): string {
  if (value === null) return 'None'
  const name = typeName(value)
  const module = MODULES[name]
  return `${module === undefined ? '' : `${module}.`}${name} object`
}

/** Python's truth: empty values, zero, None and undefined are false. */
export function truthy(value: Value): boolean {
  switch (typeof value) {
    case 'boolean':
      return value
    case 'string':
      return value !== ''
    case 'bigint':
      return value !== 0n
    case 'number':
      return value !== 0
    default:
      if (value === null) return false
      if (isList(value)) return value.length > 0
      return isDict(value) ? value.size > 0 : isFull(value)
  }
}

function isFull(thing: Thing): boolean {
  switch (thing.kind) {
    case 'undefined':
      return false
    case 'tuple':
      return thing.items.length > 0
    case 'markup':
      return thing.text !== ''
    case 'bytes':
      return thing.bytes.length > 0
    case 'range':
      return thing.length > 0
    case 'view':
      return thing.dict.size > 0
    case 'instance':
      return thing.length === undefined || thing.length() > 0
    default:
      return true
  }
}
