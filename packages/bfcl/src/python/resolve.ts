import type { PyCallNode, PyLiteral, PyMember, PyNode } from '@callspec/python'
import { BINARY_LEVELS, Raise, literalDict, readExpression, repr } from '@callspec/python'
import { calculate } from './calculate.ts'

/**
 * The calls of a Python list, tuple or set of calls, as BFCL's `ast_parse` of August 2024 returns them: for each call a dict of
 * its name and keyword arguments. as in the reference: positional arguments are dropped, and a call without keyword arguments
 * becomes its text, which then is not a call.
 *
 * @throws Raise for text that Python or BFCL refuses
 */
export function resolveCalls(source: string): readonly PyLiteral[] {
  return listedCalls(readExpression(source)).map(resolve)
}

/** As `resolveCalls`, but as in later releases: the list may be a single call, and a call may have no arguments. */
export function resolveLaterCalls(source: string): readonly PyLiteral[] {
  const node = readExpression(source)
  return (node.kind === 'call' ? [node] : listedCalls(node)).map(resolveCall)
}

function listedCalls(node: PyNode): readonly PyCallNode[] {
  if (node.kind !== 'sequence') throw refused()
  return node.items.map((item) => {
    if (item.kind !== 'call') throw refused()
    return item
  })
}

function resolveCall({ target, keywords }: PyCallNode): PyLiteral {
  return new Map([
    [dottedName(target), new Map(keywords.map(([name, value]): [PyLiteral, PyLiteral] => [name, resolve(value)]))],
  ])
}

/** The name with its dots. as in the reference: an expression at the front that is not a name is left out. */
function dottedName(target: PyNode): string {
  const parts: string[] = []
  let node = target
  while (node.kind === 'attribute') {
    parts.push(node.name)
    node = node.value
  }
  if (node.kind === 'name') parts.push(node.id)
  return parts.reverse().join('.')
}

function resolve(node: PyNode): PyLiteral {
  switch (node.kind) {
    case 'constant':
      return isEllipsis(node.value) ? '...' : node.value
    case 'name':
      return node.id
    case 'call':
      return node.keywords.length === 0 ? unparse(node) : resolveCall(node)
    case 'unary':
      return negated(node.operand)
    case 'binary':
      return calculate(node)
    case 'sequence': {
      if (node.type === 'set') throw refused()
      const items = node.items.map(resolve)
      return node.type === 'list' ? items : { kind: 'tuple', items }
    }
    case 'dict':
      return literalDict(node.members, resolve)
    case 'subscript':
      return `${unparse(node.value)}[${unparse(node.slice)}]`
    default:
      throw refused()
  }
}

function isEllipsis(value: PyLiteral): boolean {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'ellipsis'
}

/** as in the reference: every sign is read as `-`: `+5` is -5, `not True` is -1. */
function negated(operand: PyNode): PyLiteral {
  const value = operand.kind === 'constant' ? operand.value : null
  if (typeof value === 'boolean') return value ? -1n : 0n
  if (typeof value === 'bigint' || typeof value === 'number') return -value
  if (typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'complex')
    return { kind: 'complex', real: -value.real, imaginary: -value.imaginary }
  throw refused()
}

function refused(): Raise {
  return new Raise('Exception', 'BFCL refuses this as a value')
}

/**
 * An expression as Python's `ast.unparse` writes it; `other` keeps its source.
 *
 * @throws Raise where the reference runs out of stack
 */
export function unparse(node: PyNode): string {
  return writeNode(node, { binding: ANY, depth: 0 })
}

/** How close an expression must bind to need no brackets, and its depth. */
interface WritePlace {
  readonly binding: number
  readonly depth: number
}

const [ANY, NOT, BINARY] = [0, 1, 2]
const FACTOR = BINARY + 1 + Math.max(...BINARY_LEVELS.values())
const POWER = FACTOR + 1
const ATOM = POWER + 1
/** The depth at which the reference runs out of stack. */
const MAX_WRITE_DEPTH = 329

function writeNode(node: PyNode, place: WritePlace): string {
  const depth = place.depth + 1
  if (depth > MAX_WRITE_DEPTH) throw new Raise('RecursionError', 'too deep')
  const at = (binding: number): WritePlace => ({ binding, depth })
  switch (node.kind) {
    case 'constant':
      return `${node.isUnicode ? 'u' : ''}${constant(node.value)}`
    case 'name':
      return node.id
    case 'attribute':
      return `${writeNode(node.value, at(ATOM))}${isInt(node.value) ? ' ' : ''}.${node.name}`
    case 'call':
      return writeCallNode(node, depth)
    case 'subscript':
      return `${writeNode(node.value, at(ATOM))}[${writeIndex(node.slice, depth)}]`
    case 'slice':
      return writeSlice(node.parts, depth)
    case 'unary': {
      const binding = node.operator === 'not' ? NOT : FACTOR
      const text = `${node.operator}${node.operator === 'not' ? ' ' : ''}${writeNode(node.operand, at(binding))}`
      return place.binding > binding ? `(${text})` : text
    }
    case 'binary':
      return writeBinary(node, place, depth)
    case 'sequence':
      return writeSequence(node, depth)
    case 'dict':
      return `{${node.members.map((member) => writeMember(member, depth)).join(', ')}}`
    case 'starred':
      return `*${writeNode(node.value, at(BINARY))}`
    case 'other':
      return place.binding > ANY && !node.isClosed ? `(${node.source})` : node.source
  }
}

function constant(value: PyLiteral): string {
  if (typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'ellipsis') return '...'
  const text = repr(value)
  // as in the reference: an infinite float is written as a literal that is too large.
  return typeof value === 'number' ? text.replace('inf', '1e309') : text
}

function isInt(node: PyNode): boolean {
  return node.kind === 'constant' && typeof node.value === 'bigint'
}

function writeCallNode({ target, positional, keywords }: PyCallNode, depth: number): string {
  const given = [
    ...positional.map((argument) => writeNode(argument, { binding: ANY, depth })),
    ...keywords.map(
      ([name, value]) => `${name === null ? '**' : `${name}=`}${writeNode(value, { binding: ANY, depth })}`,
    ),
  ]
  return `${writeNode(target, { binding: ATOM, depth })}(${given.join(', ')})`
}

/** As an index, a tuple has no brackets. */
function writeIndex(index: PyNode, depth: number): string {
  if (index.kind !== 'sequence' || index.type !== 'tuple' || index.items.length === 0)
    return writeNode(index, { binding: ANY, depth })
  return inside(index.items, depth)
}

function writeSlice([lower, upper, step]: readonly (PyNode | null)[], depth: number): string {
  const part = (node: PyNode | null | undefined): string =>
    node === null || node === undefined ? '' : writeNode(node, { binding: ANY, depth })
  return `${part(lower)}:${part(upper)}${step === null || step === undefined ? '' : `:${part(step)}`}`
}

function writeBinary(node: PyNode & { readonly kind: 'binary' }, place: WritePlace, depth: number): string {
  const level = BINARY_LEVELS.get(node.operator)
  const isPower = level === undefined
  const binding = isPower ? POWER : BINARY + level
  const left = writeNode(node.left, { binding: isPower ? binding + 1 : binding, depth })
  const right = writeNode(node.right, { binding: isPower ? binding : binding + 1, depth })
  const text = `${left} ${node.operator} ${right}`
  return place.binding > binding ? `(${text})` : text
}

function writeSequence({ type, items }: PyNode & { readonly kind: 'sequence' }, depth: number): string {
  if (type === 'tuple') return `(${inside(items, depth)})`
  const text = items.map((each) => writeNode(each, { binding: ANY, depth })).join(', ')
  return type === 'list' ? `[${text}]` : `{${text}}`
}

/** The items of a tuple; a single item keeps its comma. */
function inside(items: readonly PyNode[], depth: number): string {
  return items.map((each) => writeNode(each, { binding: ANY, depth })).join(', ') + (items.length === 1 ? ',' : '')
}

function writeMember([key, value]: PyMember, depth: number): string {
  if (key === null) return `**${writeNode(value, { binding: BINARY, depth })}`
  return `${writeNode(key, { binding: ANY, depth })}: ${writeNode(value, { binding: ANY, depth })}`
}
