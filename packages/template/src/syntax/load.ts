import type { BodyReader } from './body-reader.ts'
import type { Statement } from './node.ts'
import { readTargetName } from './target.ts'
import type { TokenReader } from './token-reader.ts'
import { fail } from './token-reader.ts'
import type { Token } from './token.ts'

/**
 * Reads `include`, `import`, `from … import` and `extends`. A chat template stands alone, so each of them raises when it
 * is reached; what it would assign is kept, because it decides what other statements see.
 */
export function readLoad(self: BodyReader, tag: Token): Statement {
  const { reader } = self
  const template = reader.expression()
  if (tag.value === 'include') skipMissing(reader)
  const targets = tag.value === 'import' ? readAlias(reader) : tag.value === 'from' ? readNames(reader) : []
  if (tag.value === 'include' || tag.value === 'import') skipContext(reader)
  return { kind: 'load', tag: tag.value, template, targets, line: tag.line }
}

function skipMissing(reader: TokenReader): void {
  const ahead = reader.ahead()
  if (!reader.isName('ignore') || ahead.type !== 'name' || ahead.value !== 'missing') return
  reader.next()
  reader.next()
}

function skipContext(reader: TokenReader): boolean {
  const ahead = reader.ahead()
  const isContext = ahead.type === 'name' && ahead.value === 'context'
  if (!isContext || !(reader.isName('with') || reader.isName('without'))) return false
  reader.next()
  reader.next()
  return true
}

function readAlias(reader: TokenReader): readonly string[] {
  reader.expectName('as')
  return [readTargetName(reader)]
}

function readNames(reader: TokenReader): readonly string[] {
  const names: string[] = []
  reader.expectName('import')
  for (;;) {
    if (names.length > 0) reader.expect('comma')
    if (reader.current().type !== 'name') reader.expect('name')
    if (skipContext(reader)) return names
    const token = reader.current()
    const name = readTargetName(reader)
    if (name.startsWith('_')) fail('names starting with an underline can not be imported', token)
    names.push(reader.skipName('as') ? readTargetName(reader) : name)
    if (skipContext(reader) || reader.current().type !== 'comma') return names
  }
}
