import { Raise } from './raise.ts'
import type { PyComplex, PyLiteral } from './literal-value.ts'
import { className, isLiteralDict, isLiteralList } from './literal-value.ts'
import { unreachable } from './unreachable.ts'

/**
 * A text that two values share exactly if Python takes them for the same key (`1 == 1.0 == True == 1+0j`).
 *
 * Raises TypeError for a value that cannot be a key: a list, a dict, a set, or a tuple with one of them inside. Linear.
 */
export function keyText(value: PyLiteral): string {
  if (value === null) return 'None'
  if (typeof value === 'string') return `s${value}`
  if (typeof value === 'boolean') return value ? 'n1' : 'n0'
  // Hexadecimal, because decimal text of a large int takes quadratic time.
  if (typeof value === 'bigint') return `n${value.toString(16)}`
  if (typeof value === 'number') return `n${floatKey(value)}`
  if (isLiteralList(value) || isLiteralDict(value)) throw unhashable(value)
  switch (value.kind) {
    case 'tuple':
      return `t${value.items.map(keyText).map(withLength).join('')}`
    case 'set':
      throw unhashable(value)
    case 'complex':
      return complexKey(value)
    case 'bytes':
      return `b${value.bytes.join(' ')}`
    case 'ellipsis':
      return '...'
    case 'code-points':
      return `p${value.codePoints.join(' ')}`
    default:
      return unreachable(value)
  }
}

function floatKey(value: number): string {
  return Number.isInteger(value) ? BigInt(value).toString(16) : `f${value}`
}

function complexKey({ real, imaginary }: PyComplex): string {
  return imaginary === 0 ? `n${floatKey(real)}` : `c${floatKey(real)} ${floatKey(imaginary)}`
}

/** So that no text can look like two. */
function withLength(key: string): string {
  return `${key.length}:${key}`
}

function unhashable(value: PyLiteral): Raise {
  return new Raise('TypeError', `unhashable type: '${className(value)}'`)
}
