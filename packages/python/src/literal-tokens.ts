import { invalidSyntax } from './literal-error.ts'
import { readLiteralNumber } from './literal-number.ts'
import { readLiteralString, stringStart } from './literal-string.ts'
import type { FindNames } from './literal-string.ts'
import type { PyLiteral } from './literal-value.ts'
import { pythonTokens } from './tokens.ts'
import { unreachable } from './unreachable.ts'

/** A piece of Python source. `at` is its UTF-16 offset. */
export type LiteralToken =
  | { readonly type: 'number'; readonly at: number; readonly value: PyLiteral }
  /** `pieces` of one string literal; `format` marks an f-string, whose content is nobody's business here. */
  | {
      readonly type: 'string'
      readonly at: number
      readonly kind: 'text' | 'bytes' | 'format'
      readonly pieces: readonly string[]
    }
  | { readonly type: 'name'; readonly at: number; readonly text: string }
  | { readonly type: 'mark'; readonly at: number; readonly text: string }
  | { readonly type: 'end'; readonly at: number }

/**
 * The tokens of a Python expression with the values of its numbers and strings, and an `end` behind the last one.
 *
 * Raises SyntaxError. Linear.
 */
export function literalTokens(source: string, names?: FindNames): readonly LiteralToken[] {
  return pythonTokens(source).map(({ type, at, end, text }): LiteralToken => {
    switch (type) {
      case 'number':
        return { type, at, value: readLiteralNumber(source, at).value }
      case 'text':
      case 'format':
        return stringToken(source, { at, end, names })
      case 'name':
      case 'mark':
        return { type, at, text }
      case 'end':
        return { type, at }
      default:
        return unreachable(type)
    }
  })
}

function stringToken(
  source: string,
  { at, end, names }: { readonly at: number; readonly end: number; readonly names: FindNames | undefined },
): LiteralToken {
  const start = stringStart(source, at)
  if (start === null) throw invalidSyntax(source, at)
  const pieces = readLiteralString(source, start, { close: end - start.quote.length, names })
  return { type: 'string', at, kind: start.kind, pieces }
}
