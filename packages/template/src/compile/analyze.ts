import { unreachable } from '@callspec/python'
import type { Body, Expression, ForNode, IfNode, Parameter, Statement, Target, WithNode } from '../syntax/node.ts'
import { visitExpression, visitOutput, visitTarget } from './names.ts'
import type { Symbols } from './symbols.ts'
import { branchOf, mergeBranches, noteParameter, noteRead, noteStore } from './symbols.ts'

/** Notes the names of statements in their scope, without statements that have their own scope. */
export function noteBody(symbols: Symbols, body: Body): void {
  for (const statement of body) noteStatement(symbols, statement)
}

/** Notes the names that an expression reads. */
export function noteExpression(symbols: Symbols, expression: Expression | null): void {
  visitExpression(expression, (name) => noteRead(symbols, name))
}

/** Notes the parameters of a macro or call block, then its body. */
export function noteMacro(symbols: Symbols, parameters: readonly Parameter[], body: Body): void {
  for (const { name } of parameters) noteParameter(symbols, name)
  for (const parameter of parameters) noteExpression(symbols, parameter.default)
  noteBody(symbols, body)
}

/** Notes the target of a loop, and what the loop does with it. */
export function noteLoop(symbols: Symbols, node: ForNode, part: 'body' | 'test'): void {
  noteTarget(symbols, node.target, noteParameter)
  if (part === 'body') noteBody(symbols, node.body)
  else noteExpression(symbols, node.test)
}

/** Notes what a `with` sets, then its body. */
export function noteWith(symbols: Symbols, node: WithNode): void {
  for (const target of node.targets) noteTarget(symbols, target, noteParameter)
  noteBody(symbols, node.body)
}

function noteTarget(symbols: Symbols, target: Target, note: (symbols: Symbols, name: string) => unknown): void {
  visitTarget(target, (name, reads) => {
    if (reads) noteRead(symbols, name)
    else note(symbols, name)
  })
}

function noteStatement(symbols: Symbols, node: Statement): void {
  switch (node.kind) {
    case 'output':
      return visitOutput(node.items, (name) => noteRead(symbols, name))
    case 'if':
      return noteIf(symbols, node)
    case 'for':
      return noteExpression(symbols, node.iterable)
    case 'set':
      noteExpression(symbols, node.value)
      return noteTarget(symbols, node.target, noteStore)
    case 'set-block':
      return noteTarget(symbols, node.target, noteStore)
    case 'macro':
      return noteStore(symbols, node.name)
    case 'call-block':
      return noteExpression(symbols, node.call)
    case 'filter-block':
      return noteExpression(symbols, node.filter)
    case 'with':
      return node.values.forEach((value) => noteExpression(symbols, value))
    case 'load':
      noteExpression(symbols, node.template)
      return node.targets.forEach((name) => noteStore(symbols, name))
    case 'autoescape':
    case 'block':
    case 'break':
    case 'continue':
      return
    default:
      return unreachable(node)
  }
}

/** All `elif`s are one branch next to the first body and the `else`, as in Jinja. */
function noteIf(symbols: Symbols, { branches: [first, ...rest], otherwise }: IfNode): void {
  noteExpression(symbols, first?.test ?? null)
  const branch = (note: (symbols: Symbols) => void): Symbols => {
    const copy = branchOf(symbols)
    note(copy)
    return copy
  }
  const elifs = (inner: Symbols): void => {
    for (const { test, body, line } of rest) {
      noteIf(inner, { kind: 'if', branches: [{ test, body, line }], otherwise: [] })
    }
  }
  mergeBranches(symbols, [
    branch((inner) => noteBody(inner, first?.body ?? [])),
    branch(elifs),
    branch((inner) => noteBody(inner, otherwise)),
  ])
}
