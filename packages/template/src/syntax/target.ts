import type { Expression, Parameter, Target } from './node.ts'
import { readPrimary } from './primary.ts'
import type { TokenReader } from './token-reader.ts'
import { fail } from './token-reader.ts'
import { isEnd, readTuple } from './tuple.ts'

/** Reads what a `for` or `with` assigns to: names and tuples of them. */
export function readTarget(reader: TokenReader, end?: string): Target {
  const start = reader.current()
  const rules = { read: readPrimary, ...(end === undefined ? {} : { end }) }
  return asTarget(readTuple(reader, rules), (kind) => fail(`can't assign to '${kind}'`, start))
}

/** Reads what a `set` assigns to: here a part may also be `namespace.name`. */
export function readSetTarget(reader: TokenReader): Target {
  const start = reader.current()
  const items: Target[] = []
  let isTuple = false
  for (;;) {
    if (items.length > 0) reader.expect('comma')
    if (items.length > 0 && isEnd(reader, undefined)) break
    items.push(readSetPart(reader, (kind) => fail(`can't assign to '${kind}'`, start)))
    if (reader.current().type !== 'comma') break
    isTuple = true
  }
  const [first] = items
  return !isTuple && first !== undefined ? first : { kind: 'targets', items }
}

function readSetPart(reader: TokenReader, refuse: (kind: string) => never): Target {
  const token = reader.current()
  const primary = readPrimary(reader)
  if (token.type !== 'name' || primary.kind !== 'name' || !reader.skip('dot')) return asTarget(primary, refuse)
  return { kind: 'member', object: primary.name, name: reader.expect('name').value }
}

const NODE_NAMES: Readonly<Record<string, string>> = { constant: 'const', list: 'list', dict: 'dict' }
const RESERVED: ReadonlySet<string> = new Set(['true', 'false', 'none', 'True', 'False', 'None'])

function asTarget(expression: Expression, refuse: (kind: string) => never): Target {
  if (expression.kind === 'name') return { kind: 'store', name: expression.name }
  if (expression.kind === 'tuple') {
    return { kind: 'targets', items: expression.items.map((item) => asTarget(item, refuse)) }
  }
  return refuse(NODE_NAMES[expression.kind] ?? expression.kind)
}

/** Reads one name to assign to. */
export function readTargetName(reader: TokenReader): string {
  const token = reader.expect('name')
  return RESERVED.has(token.value) ? fail("can't assign to 'name'", token) : token.value
}

/** Reads the parameters of a macro or call block. */
export function readSignature(reader: TokenReader): readonly Parameter[] {
  const parameters: Parameter[] = []
  reader.expect('lparen')
  while (reader.current().type !== 'rparen') {
    if (parameters.length > 0) reader.expect('comma')
    const name = readTargetName(reader)
    const value = reader.skip('assign') ? reader.expression() : null
    const hasDefaults = parameters.some((parameter) => parameter.default !== null)
    if (value === null && hasDefaults) fail('non-default argument follows default argument', reader.current())
    parameters.push({ name, default: value })
  }
  reader.expect('rparen')
  return parameters
}
