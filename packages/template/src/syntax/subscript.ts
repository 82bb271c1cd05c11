import { intLiteral } from './int-literal.ts'
import type { Expression } from './node.ts'
import type { TokenReader } from './token-reader.ts'
import { fail } from './token-reader.ts'

/** Reads `.name`, `.0`, `[key]`, `[start:stop:step]` or `[a, b]` behind a value. */
export function readSubscript(reader: TokenReader, object: Expression): Expression {
  if (reader.next().type === 'lbracket') return { kind: 'item', object, key: readKeys(reader) }
  const token = reader.next()
  if (token.type === 'name') return { kind: 'attribute', object, name: token.value }
  if (token.type !== 'integer') return fail('expected name or number', token)
  return { kind: 'item', object, key: { kind: 'constant', value: intLiteral(token) } }
}

function readKeys(reader: TokenReader): Expression {
  const keys: Expression[] = []
  while (reader.current().type !== 'rbracket') {
    if (keys.length > 0) reader.expect('comma')
    keys.push(readKey(reader))
  }
  reader.expect('rbracket')
  const [first] = keys
  return keys.length === 1 && first !== undefined ? first : { kind: 'tuple', items: keys }
}

function readKey(reader: TokenReader): Expression {
  if (reader.current().type === 'colon') return readSlice(reader, null)
  const start = reader.expression()
  return reader.current().type === 'colon' ? readSlice(reader, start) : start
}

function readSlice(reader: TokenReader, start: Expression | null): Expression {
  reader.expect('colon')
  const stop = isSliceEnd(reader) ? null : reader.expression()
  const step = reader.skip('colon') && !isSliceEnd(reader) ? reader.expression() : null
  return { kind: 'slice', start, stop, step }
}

function isSliceEnd(reader: TokenReader): boolean {
  const { type } = reader.current()
  return type === 'rbracket' || type === 'comma' || type === 'colon'
}
