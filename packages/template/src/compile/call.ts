import { Raise } from '@callspec/python'
import { FILTERS } from '../filters/index.ts'
import { spend } from '../runtime/run.ts'
import type { CallNode, Expression, FilterNode } from '../syntax/node.ts'
import { TemplateSyntaxError } from '../syntax/syntax-error.ts'
import { getAttribute, methodOf } from '../values/attribute.ts'
import { call } from '../values/call.ts'
import { TESTS } from '../values/tests.ts'
import type { PythonFunction, Value } from '../values/value.ts'
import { compileArguments } from './arguments.ts'
import type { Evaluate, Frame, Scope } from './scope.ts'

/** Compiles a call; `caller` is what a call block gives the function besides. */
export function compileCall(node: CallNode, scope: Scope, caller?: Evaluate): Evaluate {
  if (node.callee.kind === 'attribute') return compileMethodCall(node, node.callee, scope, caller)
  const callee = scope.compiler.expression(node.callee, scope)
  const given = compileArguments(node.arguments, scope, caller)
  return (frame) => {
    const value = callee(frame)
    return call(value, given(frame), frame.run)
  }
}

/** `object.name(…)`: a method of a text, list or dict is called without being made a value first. */
function compileMethodCall(
  node: CallNode,
  attribute: Expression & { kind: 'attribute' },
  scope: Scope,
  caller: Evaluate | undefined,
): Evaluate {
  const object = scope.compiler.expression(attribute.object, scope)
  const given = compileArguments(node.arguments, scope, caller)
  const { name } = attribute
  return (frame) => {
    const { run } = frame
    const self = object(frame)
    const method = methodOf(self, name)
    if (method === undefined) return call(getAttribute(self, name, run), given(frame), run)
    spend(run, 1)
    return method(run, given(frame, self))
  }
}

/** Compiles `value | name(…)`. */
export function compileFilter(node: FilterNode, scope: Scope, input?: Evaluate): Evaluate {
  const value = node.value === null ? input : compileValue(node.value, scope, input)
  const filter = FILTERS.get(node.name) ?? unknown('filter', node.name, { isSoft: scope.isSoft, line: node.line })
  return compileNamed(filter, { value: value ?? (() => null), node: node.arguments }, scope)
}

/** A filter block's body goes into the innermost of its filters. */
function compileValue(node: Expression, scope: Scope, input: Evaluate | undefined): Evaluate {
  if (node.kind === 'filter' && input !== undefined) return compileFilter(node, scope, input)
  return scope.compiler.expression(node, scope)
}

/** Compiles `value is name(…)`. */
export function compileTest(node: Expression & { kind: 'test' }, scope: Scope): Evaluate {
  const value = scope.compiler.expression(node.value, scope)
  const test = TESTS.get(node.name) ?? unknown('test', node.name, { isSoft: scope.isSoft, line: 1 })
  return compileNamed(test, { value, node: node.arguments }, scope)
}

function compileNamed(
  action: PythonFunction,
  operand: { readonly value: Evaluate; readonly node: CallNode['arguments'] },
  scope: Scope,
): Evaluate {
  const given = compileArguments(operand.node, scope)
  return (frame: Frame): Value => {
    spend(frame.run, 1)
    return action(frame.run, given(frame, operand.value(frame)))
  }
}

/** Outside of an `if`, an unknown name refuses the template; inside it raises when it is reached. */
function unknown(kind: 'filter' | 'test', name: string, place: { isSoft: boolean; line: number }): PythonFunction {
  if (!place.isSoft) throw new TemplateSyntaxError(`No ${kind} named '${name}'.`, place, 'TemplateAssertionError')
  return (_, { keywords }) => {
    // What Jinja puts in the place of the missing one takes any arguments but named ones.
    const [keyword] = keywords.keys()
    if (keyword !== undefined) throw new Raise('TypeError', `got an unexpected keyword argument '${keyword}'`)
    throw new Raise('TemplateRuntimeError', `No ${kind} named '${name}' found.`)
  }
}
