import { Raise, repr } from '@callspec/python'
import { undefinedBecause } from '../values/undefined.ts'
import type { Arguments, Value } from '../values/value.ts'

/** What a macro takes. */
export interface MacroSignature {
  /** Null for the body of a call block. */
  readonly name: string | null
  readonly names: readonly string[]
  /** Those of `caller`, `kwargs` and `varargs` that its body uses and that are no parameters. */
  readonly extras: readonly string[]
  readonly usesCaller: boolean
}

/** The values of the parameters, then of the extras, `undefined` for one that is missing. Raises TypeError for too many. */
export function bindMacro(
  signature: MacroSignature,
  { positional, keywords }: Arguments,
): readonly (Value | undefined)[] {
  const { name, names, extras } = signature
  if (keywords.size === 0 && extras.length === 0 && positional.length <= names.length) return positional
  const left = new Map(keywords)
  const values: (Value | undefined)[] = names.map((parameter, index) =>
    index < positional.length ? positional[index] : taken(left, parameter),
  )
  const title = name === null ? 'None' : repr(name)
  if (extras.includes('caller')) values.push(callerOf(left))
  if (extras.includes('kwargs')) values.push(new Map<Value, Value>(left))
  else refuseKeywords(left, title)
  if (extras.includes('varargs')) values.push({ kind: 'tuple', items: positional.slice(names.length) })
  else if (positional.length > names.length) {
    throw new Raise('TypeError', `macro ${title} takes not more than ${names.length} argument(s)`)
  }
  return values
}

function taken(keywords: Map<string, Value>, name: string): Value | undefined {
  const value = keywords.get(name)
  keywords.delete(name)
  return value
}

function callerOf(keywords: Map<string, Value>): Value {
  const caller = taken(keywords, 'caller')
  return caller === undefined || caller === null ? undefinedBecause('No caller defined', 'caller') : caller
}

function refuseKeywords(keywords: ReadonlyMap<string, Value>, title: string): void {
  const [first] = keywords.keys()
  if (first === undefined) return
  if (!keywords.has('caller')) throw new Raise('TypeError', `macro ${title} takes no keyword argument ${repr(first)}`)
  const twice = 'was invoked with two values for the special caller argument. This is most likely a bug.'
  throw new Raise('TypeError', `macro ${title} ${twice}`)
}
