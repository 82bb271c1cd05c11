import { Raise } from '@callspec/python'
import { spend } from '../runtime/run.ts'
import { typeName } from './type-name.ts'
import { undefinedError } from './undefined.ts'
import type { Arguments, Instance, Run, Value } from './value.ts'
import { isThing, isUndefined } from './value.ts'

/** Calls a value. Raises TypeError for what cannot be called, and the error of what is not there. */
export function call(callee: Value, given: Arguments, run: Run): Value {
  spend(run, 1)
  if (isThing(callee) && callee.kind === 'instance' && callee.call !== undefined) return callee.call(run, given)
  if (isUndefined(callee)) throw undefinedError(callee)
  throw new Raise('TypeError', `'${typeName(callee)}' object is not callable`)
}

/** Whether a value can be called. An undefined one can: it raises only then. */
export function isCallable(value: Value): boolean {
  return isUndefined(value) || (isThing(value) && value.kind === 'instance' && value.call !== undefined)
}

/** A function as a value. */
export function functionValue(name: string, run: (run: Run, given: Arguments) => Value): Instance {
  return { kind: 'instance', type: 'function', repr: () => `<function ${name}>`, call: run }
}
