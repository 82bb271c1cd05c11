import { DICT_METHODS, MUTATORS } from '../methods/data-methods.ts'
import type { Expression, SliceNode } from '../syntax/node.ts'
import { getAttribute, getItem } from '../values/attribute.ts'
import { sliceOf } from '../values/subscript.ts'
import { missingMember } from '../values/undefined.ts'
import { isDict } from '../values/value.ts'
import type { Evaluate, Scope } from './scope.ts'

/** Compiles `object.name`. */
export function compileAttribute(node: Expression & { kind: 'attribute' }, scope: Scope): Evaluate {
  const object = scope.compiler.expression(node.object, scope)
  const { name } = node
  if (name.startsWith('_') || Object.hasOwn(DICT_METHODS, name) || MUTATORS.dict.has(name)) {
    return (frame) => getAttribute(object(frame), name, frame.run)
  }
  // Of a dict it can only be a member.
  return (frame) => {
    const value = object(frame)
    if (typeof value !== 'object' || value === null || !isDict(value)) return getAttribute(value, name, frame.run)
    const member = value.get(name)
    return member === undefined ? missingMember(value, name) : member
  }
}

/** Compiles `object[key]` and `object[start:stop:step]`. */
export function compileItem(node: Expression & { kind: 'item' }, scope: Scope): Evaluate {
  const object = scope.compiler.expression(node.object, scope)
  if (node.key.kind === 'slice') return compileSlice(object, node.key, scope)
  const key = scope.compiler.expression(node.key, scope)
  return (frame) => {
    const value = object(frame)
    return getItem(value, key(frame), frame.run)
  }
}

function compileSlice(object: Evaluate, node: SliceNode, scope: Scope): Evaluate {
  const part = (expression: Expression | null): Evaluate =>
    expression === null ? () => null : scope.compiler.expression(expression, scope)
  const [start, stop, step] = [part(node.start), part(node.stop), part(node.step)]
  return (frame) => sliceOf(object(frame), { start: start(frame), stop: stop(frame), step: step(frame) }, frame.run)
}
