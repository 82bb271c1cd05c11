import { repr } from '@callspec/python'
import type { PyLiteral } from '@callspec/python'
import type { PyCallNode, PyNode } from './nodes.ts'
import { BINARY_OPERATORS } from './nodes.ts'
import { syntaxError } from './syntax-error.ts'

/**
 * An expression as Python's `ast.unparse` writes it; what is `other` stays as it was written.
 *
 * @throws Raise where the reference runs out of stack
 */
export function unparse(node: PyNode): string {
  return write(node, { binding: ANY, depth: 0 })
}

/** How close the expression must bind to stand without brackets, and how deep it stands. */
interface Place {
  readonly binding: number
  readonly depth: number
}

const [ANY, NOT, BINARY] = [0, 1, 2]
const FACTOR = BINARY + BINARY_OPERATORS.length
const POWER = FACTOR + 1
const ATOM = POWER + 1
/** Where the reference runs out of stack. */
const MAX_DEPTH = 329

function write(node: PyNode, place: Place): string {
  const depth = place.depth + 1
  if (depth > MAX_DEPTH) throw syntaxError('too deep')
  const at = (binding: number): Place => ({ binding, depth })
  switch (node.kind) {
    case 'constant':
      return `${node.isUnicode ? 'u' : ''}${constant(node.value)}`
    case 'name':
      return node.id
    case 'attribute':
      return `${write(node.value, at(ATOM))}${isInt(node.value) ? ' ' : ''}.${node.name}`
    case 'call':
      return writeCall(node, depth)
    case 'subscript':
      return `${write(node.value, at(ATOM))}[${writeIndex(node.slice, depth)}]`
    case 'slice':
      return writeSlice(node.parts, depth)
    case 'unary': {
      const binding = node.operator === 'not' ? NOT : FACTOR
      const text = `${node.operator}${node.operator === 'not' ? ' ' : ''}${write(node.operand, at(binding))}`
      return place.binding > binding ? `(${text})` : text
    }
    case 'binary':
      return writeBinary(node, place, depth)
    case 'sequence':
      return writeSequence(node, depth)
    case 'dict':
      return `{${node.members.map((member) => writeMember(member, depth)).join(', ')}}`
    case 'starred':
      return `*${write(node.value, at(BINARY))}`
    case 'other':
      return place.binding > ANY && !node.isClosed ? `(${node.source})` : node.source
  }
}

function constant(value: PyLiteral): string {
  if (typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'ellipsis') return '...'
  const text = repr(value)
  // as in the reference: there is no literal for an infinite float, but one that is too large.
  return typeof value === 'number' ? text.replace('inf', '1e309') : text
}

function isInt(node: PyNode): boolean {
  return node.kind === 'constant' && typeof node.value === 'bigint'
}

function writeCall({ target, positional, keywords }: PyCallNode, depth: number): string {
  const given = [
    ...positional.map((argument) => write(argument, { binding: ANY, depth })),
    ...keywords.map(([name, value]) => `${name === null ? '**' : `${name}=`}${write(value, { binding: ANY, depth })}`),
  ]
  return `${write(target, { binding: ATOM, depth })}(${given.join(', ')})`
}

/** A tuple has no brackets of its own as an index. */
function writeIndex(index: PyNode, depth: number): string {
  if (index.kind !== 'sequence' || index.type !== 'tuple' || index.items.length === 0)
    return write(index, { binding: ANY, depth })
  return inside(index.items, depth)
}

function writeSlice([lower, upper, step]: readonly (PyNode | null)[], depth: number): string {
  const part = (node: PyNode | null | undefined): string =>
    node === null || node === undefined ? '' : write(node, { binding: ANY, depth })
  return `${part(lower)}:${part(upper)}${step === null || step === undefined ? '' : `:${part(step)}`}`
}

function writeBinary(node: PyNode & { readonly kind: 'binary' }, place: Place, depth: number): string {
  const isPower = node.operator === '**'
  const binding = isPower
    ? POWER
    : BINARY + BINARY_OPERATORS.findIndex((level) => level.some((one) => one === node.operator))
  const left = write(node.left, { binding: isPower ? binding + 1 : binding, depth })
  const right = write(node.right, { binding: isPower ? binding : binding + 1, depth })
  const text = `${left} ${node.operator} ${right}`
  return place.binding > binding ? `(${text})` : text
}

function writeSequence({ type, items }: PyNode & { readonly kind: 'sequence' }, depth: number): string {
  if (type === 'tuple') return `(${inside(items, depth)})`
  const text = items.map((each) => write(each, { binding: ANY, depth })).join(', ')
  return type === 'list' ? `[${text}]` : `{${text}}`
}

/** The items of a tuple; one alone keeps its comma. */
function inside(items: readonly PyNode[], depth: number): string {
  return items.map((each) => write(each, { binding: ANY, depth })).join(', ') + (items.length === 1 ? ',' : '')
}

function writeMember([key, value]: readonly [PyNode | null, PyNode], depth: number): string {
  if (key === null) return `**${write(value, { binding: BINARY, depth })}`
  return `${write(key, { binding: ANY, depth })}: ${write(value, { binding: ANY, depth })}`
}
