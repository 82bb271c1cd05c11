import { Raise } from '@callspec/python'
import type { ArgumentNodes } from '../syntax/node.ts'
import { TemplateSyntaxError } from '../syntax/syntax-error.ts'
import { isIterable, itemsOf } from '../values/iterate.ts'
import { typeName } from '../values/type-name.ts'
import type { Arguments, Value } from '../values/value.ts'
import { isDict, NO_KEYWORDS, textOf } from '../values/value.ts'
import type { Evaluate, Frame, Scope } from './scope.ts'

/** Computes arguments; `self` comes first where it is given. */
export type GiveArguments = (frame: Frame, self?: Value) => Arguments

/** Compiles what stands in the parentheses of a call, filter or test; `caller` is one keyword more. */
export function compileArguments(node: ArgumentNodes, scope: Scope, caller?: Evaluate): GiveArguments {
  const values = node.positional.map((value) => scope.compiler.expression(value, scope))
  const isPlain = node.keywords.length === 0 && node.list === null && node.dict === null && caller === undefined
  if (isPlain) return plainArguments(values)
  const keywords = compileKeywords(node, scope, caller)
  const list = node.list === null ? null : scope.compiler.expression(node.list, scope)
  return (frame, self) => {
    const positional = values.map((value) => value(frame))
    if (list !== null) positional.push(...spreadList(list(frame), frame))
    if (self !== undefined) positional.unshift(self)
    return { positional, keywords: keywords(frame) }
  }
}

function plainArguments(values: readonly Evaluate[]): GiveArguments {
  const [first] = values
  if (first === undefined) {
    return (_, self) => (self === undefined ? NOTHING : { positional: [self], keywords: NO_KEYWORDS })
  }
  if (values.length === 1) {
    return (frame, self) => {
      const value = first(frame)
      return { positional: self === undefined ? [value] : [self, value], keywords: NO_KEYWORDS }
    }
  }
  return (frame, self) => {
    const positional = values.map((value) => value(frame))
    if (self !== undefined) positional.unshift(self)
    return { positional, keywords: NO_KEYWORDS }
  }
}

const NOTHING: Arguments = { positional: [], keywords: NO_KEYWORDS }

function compileKeywords(
  node: ArgumentNodes,
  scope: Scope,
  caller: Evaluate | undefined,
): (frame: Frame) => ReadonlyMap<string, Value> {
  const names = new Set<string>()
  const entries = node.keywords.map(({ name, value }) => {
    if (names.has(name)) {
      scope.compiler.late.push(
        new TemplateSyntaxError(`keyword argument repeated: ${name}`, { line: 1 }, 'SyntaxError'),
      )
    }
    names.add(name)
    return { name, value: scope.compiler.expression(value, scope) }
  })
  const dict = node.dict === null ? null : scope.compiler.expression(node.dict, scope)
  return (frame) => {
    const keywords = new Map(entries.map(({ name, value }) => [name, value(frame)]))
    if (caller !== undefined) keywords.set('caller', caller(frame))
    if (dict !== null) spreadDict(keywords, dict(frame))
    return keywords
  }
}

function spreadList(value: Value, frame: Frame): readonly Value[] {
  if (isIterable(value)) return itemsOf(value, frame.run)
  throw new Raise('TypeError', `Value after * must be an iterable, not ${typeName(value)}`)
}

function spreadDict(keywords: Map<string, Value>, value: Value): void {
  if (!isDict(value)) {
    throw new Raise('TypeError', `argument after ** must be a mapping, not ${typeName(value)}`)
  }
  for (const [key, item] of value) {
    const name = textOf(key)
    if (name === null) throw new Raise('TypeError', 'keywords must be strings')
    if (keywords.has(name)) throw new Raise('TypeError', `got multiple values for keyword argument '${name}'`)
    keywords.set(name, item)
  }
}
