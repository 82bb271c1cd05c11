import type { PyLiteral } from '@callspec/python'
import { Raise } from '@callspec/python'
import { dictKey } from '../python-values.ts'
import { calculate } from './calculate.ts'
import type { PyCallNode, PyNode } from './nodes.ts'
import { parsePython } from './parse.ts'
import { unparse } from './unparse.ts'

/**
 * The calls of a Python list, tuple or set of calls, as BFCL's `ast_parse` of August 2024 gives them: a dict of a name and
 * its keyword arguments for each. as in the reference: positional arguments are dropped, and a call that has no others is its
 * text instead, which then is no call.
 *
 * @throws Raise for what Python or BFCL refuses
 */
export function resolveCalls(source: string): readonly PyLiteral[] {
  return itemsOf(parsePython(source)).map(resolve)
}

/** As `resolveCalls`, but as later releases have it: one call may stand alone, and one without arguments is a call. */
export function resolveLaterCalls(source: string): readonly PyLiteral[] {
  const node = parsePython(source)
  return (node.kind === 'call' ? [node] : itemsOf(node)).map(resolveCall)
}

function itemsOf(node: PyNode): readonly PyCallNode[] {
  if (node.kind !== 'sequence') throw refused()
  return node.items.map((item) => {
    if (item.kind !== 'call') throw refused()
    return item
  })
}

function resolveCall({ target, keywords }: PyCallNode): PyLiteral {
  return new Map([
    [nameOf(target), new Map(keywords.map(([name, value]): [PyLiteral, PyLiteral] => [name, resolve(value)]))],
  ])
}

/** The name with its dots. as in the reference: what is no name at the front is left out. */
function nameOf(target: PyNode): string {
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
      return dictOf(node.members)
    case 'subscript':
      return `${unparse(node.value)}[${unparse(node.slice)}]`
    default:
      throw refused()
  }
}

function isEllipsis(value: PyLiteral): boolean {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'ellipsis'
}

/** as in the reference: `-`, whatever the sign is: `+5` is -5, `not True` is -1. */
function negated(operand: PyNode): PyLiteral {
  const value = operand.kind === 'constant' ? operand.value : null
  if (typeof value === 'boolean') return value ? -1n : 0n
  if (typeof value === 'bigint' || typeof value === 'number') return -value
  if (typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'complex')
    return { kind: 'complex', real: -value.real, imaginary: -value.imaginary }
  throw refused()
}

function dictOf(members: readonly (readonly [PyNode | null, PyNode])[]): PyLiteral {
  const keys = new Map<string, PyLiteral>()
  const dict = new Map<PyLiteral, PyLiteral>()
  for (const [keyNode, valueNode] of members) {
    if (keyNode === null) throw refused()
    const given = resolve(keyNode)
    const value = resolve(valueNode)
    const text = dictKey(given)
    // A later value of an equal key wins, and keeps the place and the spelling of the first.
    const key = keys.has(text) ? (keys.get(text) ?? null) : given
    keys.set(text, key)
    dict.set(key, value)
  }
  return dict
}

function refused(): Raise {
  return new Raise('Exception', 'BFCL takes this for no value')
}
