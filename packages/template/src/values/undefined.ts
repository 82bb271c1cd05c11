import { Raise, repr } from '@callspec/python'
import { objectName, typeName } from './type-name.ts'
import type { Undefined, Value } from './value.ts'
import { isList, stringValue } from './value.ts'

/** The undefined value of a variable that was not set. */
export function missingVariable(name: string): Undefined {
  return { kind: 'undefined', hint: null, owner: undefined, name, error: 'UndefinedError' }
}

/** The undefined value of a missing attribute or item. */
export function missingMember(owner: Value, name: Value): Undefined {
  return { kind: 'undefined', hint: null, owner, name, error: 'UndefinedError' }
}

/** An undefined value with its own message. */
export function undefinedBecause(hint: string, name: Value = null): Undefined {
  return { kind: 'undefined', hint, owner: undefined, name, error: 'UndefinedError' }
}

/** The undefined value of an attribute that the sandbox hides. */
export function unsafeMember(owner: Value, name: string): Undefined {
  const hint = `access to attribute ${repr(name)} of ${repr(typeName(owner))} object is unsafe.`
  return { kind: 'undefined', hint, owner, name, error: 'SecurityError' }
}

/** The raise of using an undefined value. */
export function undefinedError(value: Undefined): Raise {
  return new Raise(value.error, undefinedMessage(value))
}

/** The message of an undefined value when it is used. */
export function undefinedMessage({ hint, owner, name }: Undefined): string {
  if (hint !== null) return hint
  if (owner === undefined) return `${nameText(name)} is undefined`
  if (stringValue(name) === null) return `${objectName(owner)} has no element ${nameText(name)}`
  return `${repr(objectName(owner))} has no attribute ${nameText(name)}`
}

function nameText(name: Value): string {
  const text = stringValue(name)
  if (text !== null) return repr(text)
  if (name === null || typeof name !== 'object') return repr(name)
  return isList(name) ? '[...]' : `<${typeName(name)}>`
}
