import { Raise } from './raise.ts'
import { keyText } from './literal-key.ts'
import { literalNode } from './literal-nodes.ts'
import type { LiteralNode } from './literal-nodes.ts'
import type { FindNames } from './literal-string.ts'
import type { PyComplex, PyLiteral } from './literal-value.ts'
import { unreachable } from './unreachable.ts'

/**
 * The value of a Python literal, as `ast.literal_eval` reads it (MetaGPT spec §7): strings with prefixes, escapes and
 * concatenation, numbers of all kinds, tuples, lists, dicts, sets, `set()`, `None`, `True`, `False`, `...`; later equal
 * keys win and keep the place of the first.
 *
 * Raises SyntaxError for what is no expression, ValueError for an expression that is no literal (`true`, `1+1`, a call),
 * TypeError for a key that is a list, dict or set, UnicodeEncodeError for an unpaired surrogate in the text itself.
 * Every text gives a value or one of these. Linear; more than 200 nested brackets are a SyntaxError.
 *
 * @param names asked when the first `\N{…}` is met; without it that is a SyntaxError
 */
export function readLiteral(text: string, names?: FindNames): PyLiteral {
  if (text.includes('\0')) throw new Raise('ValueError', 'source code string cannot contain null bytes')
  if (LONE_SURROGATE.test(text))
    throw new Raise('UnicodeEncodeError', "'utf-8' codec can't encode: surrogates not allowed")
  const source = text.replaceAll(/^[ \t]+/g, '').replaceAll(/\r\n?/g, '\n')
  return valueOf(literalNode(source, names))
}

const LONE_SURROGATE = /\p{Surrogate}/u

/** Left to right, as the reference: of several faults the first one is raised, and a bad key before what follows it. */
function valueOf(node: LiteralNode): PyLiteral {
  switch (node.kind) {
    case 'value':
      return node.value
    case 'sequence':
      return sequenceOf(node)
    case 'dict':
      return dictOf(node.members)
    case 'signed':
      return signedNumber(node)
    case 'sum':
      return sumOf(node)
    case 'name':
    case 'opaque':
      throw malformed()
    default:
      return unreachable(node)
  }
}

function sequenceOf({ type, items }: LiteralNode & { readonly kind: 'sequence' }): PyLiteral {
  if (type === 'list') return items.map(valueOf)
  if (type === 'tuple') return { kind: 'tuple', items: items.map(valueOf) }
  const found = new Map<string, PyLiteral>()
  for (const item of items) {
    const value = valueOf(item)
    const key = keyText(value)
    if (!found.has(key)) found.set(key, value)
  }
  return { kind: 'set', items: [...found.values()] }
}

function dictOf(members: readonly (readonly [LiteralNode | null, LiteralNode])[]): PyLiteral {
  const keys = new Map<string, PyLiteral>()
  const dict = new Map<PyLiteral, PyLiteral>()
  for (const [keyNode, valueNode] of members) {
    if (keyNode === null) throw malformed()
    const given = valueOf(keyNode)
    const value = valueOf(valueNode)
    const text = keyText(given)
    if (!keys.has(text)) keys.set(text, given)
    dict.set(keys.get(text) ?? null, value)
  }
  return dict
}

function signedNumber({ sign, operand }: LiteralNode & { readonly kind: 'signed' }): PyLiteral {
  const value = numberOf(operand)
  if (sign === '+') return value
  return typeof value === 'object' ? { kind: 'complex', real: -value.real, imaginary: -value.imaginary } : -value
}

/** A real number, with a sign or without, plus or minus an imaginary one. */
function sumOf({ left, sign, right }: LiteralNode & { readonly kind: 'sum' }): PyLiteral {
  const real = left.kind === 'signed' ? signedNumber(left) : numberOf(left)
  const imaginary = numberOf(right)
  if (typeof imaginary !== 'object' || (typeof real !== 'bigint' && typeof real !== 'number')) throw malformed()
  const size = Number(real)
  if (typeof real === 'bigint' && !Number.isFinite(size)) {
    throw new Raise('OverflowError', 'int too large to convert to float')
  }
  return sign === '+'
    ? { kind: 'complex', real: size + imaginary.real, imaginary: 0 + imaginary.imaginary }
    : { kind: 'complex', real: size - imaginary.real, imaginary: 0 - imaginary.imaginary }
}

function numberOf(node: LiteralNode): bigint | number | PyComplex {
  const value = node.kind === 'value' ? node.value : null
  if (typeof value === 'bigint' || typeof value === 'number') return value
  if (typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'complex') return value
  throw malformed()
}

function malformed(): Raise {
  return new Raise('ValueError', 'malformed node or string')
}
