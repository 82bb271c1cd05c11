import type { Thing, Value } from './value.ts'
import { isDict, isList } from './value.ts'
import { unreachable } from '../unreachable.ts'

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
