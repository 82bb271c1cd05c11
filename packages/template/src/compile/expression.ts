import type { ConditionNode, Expression, Pair } from '../syntax/node.ts'
import { unreachable } from '../unreachable.ts'
import { make } from '../runtime/run.ts'
import { setKey } from '../values/equality.ts'
import { escape } from '../values/markup.ts'
import { str } from '../values/text.ts'
import { truthy } from '../values/truth.ts'
import { undefinedBecause } from '../values/undefined.ts'
import type { Value } from '../values/value.ts'
import { isMarkup } from '../values/value.ts'
import { compileAttribute, compileItem } from './access.ts'
import { compileCall, compileFilter, compileTest } from './call.ts'
import { compileBinary, compileComparison, compileUnary } from './operator.ts'
import type { Evaluate, Scope } from './scope.ts'
import { variableReader } from './scope.ts'
import { findSlot } from './symbols.ts'
import { unknownName } from './unknown-name.ts'

/** Compiles an expression to a function of the frame. */
export function compileExpression(node: Expression, scope: Scope): Evaluate {
  switch (node.kind) {
    case 'constant': {
      const { value } = node
      return () => value
    }
    case 'name':
      return variableReader(node.name, findSlot(scope.symbols, node.name) ?? unknownName(node.name), scope.symbols.unit)
    case 'tuple': {
      const items = compileItems(node.items, scope)
      return (frame) => ({ kind: 'tuple', items: items.map((item) => item(frame)) })
    }
    case 'list': {
      const items = compileItems(node.items, scope)
      return (frame) => items.map((item) => item(frame))
    }
    case 'dict':
      return compileDict(node.pairs, scope)
    case 'attribute':
      return compileAttribute(node, scope)
    case 'item':
      return compileItem(node, scope)
    case 'slice':
      return compileLooseSlice(node, scope)
    case 'call':
      return compileCall(node, scope)
    case 'filter':
      return compileFilter(node, scope)
    case 'test':
      return compileTest(node, scope)
    case 'unary':
      return compileUnary(node, scope)
    case 'binary':
      return compileBinary(node, scope)
    case 'concat':
      return compileConcat(node.items, scope)
    case 'compare':
      return compileComparison(node, scope)
    case 'and':
    case 'or':
      return compileLogic(node, scope)
    case 'condition':
      return compileCondition(node, scope)
    default:
      return unreachable(node)
  }
}

function compileItems(items: readonly Expression[], scope: Scope): readonly Evaluate[] {
  return items.map((item) => scope.compiler.expression(item, scope))
}

function compileDict(pairs: readonly Pair[], scope: Scope): Evaluate {
  const compiled = pairs.map(({ key, value }) => ({
    key: scope.compiler.expression(key, scope),
    value: scope.compiler.expression(value, scope),
  }))
  return (frame) => {
    const dict = new Map<Value, Value>()
    for (const { key, value } of compiled) setKey(dict, [key(frame), value(frame)], frame.run)
    return dict
  }
}

/** A slice among several keys: `a[1:2, 3]`. Nothing that a template has takes such a key. */
function compileLooseSlice(node: Expression & { kind: 'slice' }, scope: Scope): Evaluate {
  const parts = [node.start, node.stop, node.step].map((part) =>
    scope.compiler.expression(part ?? { kind: 'constant', value: null }, scope),
  )
  return (frame) => {
    const values = parts.map((part) => part(frame))
    return {
      kind: 'instance',
      type: 'slice',
      repr: () => `slice(${values.map((value) => str(value, frame.run)).join(', ')})`,
    }
  }
}

function compileConcat(items: readonly Expression[], scope: Scope): Evaluate {
  const parts = compileItems(items, scope)
  return (frame) => {
    const { run } = frame
    const values = parts.map((part) => part(frame))
    const isSafe = run.autoescape && values.some(isMarkup)
    let text = ''
    for (const value of values) text += isSafe ? escape(value, run) : str(value, run)
    make(run, text.length)
    return isSafe ? { kind: 'markup', text } : text
  }
}

function compileLogic(node: Expression & { kind: 'and' | 'or' }, scope: Scope): Evaluate {
  const left = scope.compiler.expression(node.left, scope)
  const right = scope.compiler.expression(node.right, scope)
  const stopsAt = node.kind === 'or'
  return (frame) => {
    const value = left(frame)
    return truthy(value) === stopsAt ? value : right(frame)
  }
}

function compileCondition(node: ConditionNode, outer: Scope): Evaluate {
  const scope = { ...outer, isSoft: true }
  const test = scope.compiler.expression(node.test, scope)
  const value = scope.compiler.expression(node.value, scope)
  const otherwise = node.otherwise === null ? missingElse(node.line) : scope.compiler.expression(node.otherwise, scope)
  return (frame) => (truthy(test(frame)) ? value(frame) : otherwise(frame))
}

function missingElse(line: number): Evaluate {
  const hint = `the inline if-expression on line ${line} evaluated to false and no else section was defined.`
  return () => undefinedBecause(hint)
}
