import { TemplateSyntaxError } from './syntax-error.ts'
import type { Token } from './token.ts'

/** Python reads no longer decimal number. */
const MAX_DIGITS = 4300

/** The int that a token spells, in one of four bases. Refuses one of more than 4 300 decimal digits, as Python does. */
export function intLiteral(token: Token): bigint {
  if (token.value.length <= MAX_DIGITS || /^0[box]/i.test(token.value)) return BigInt(token.value)
  const message = `Exceeds the limit (${MAX_DIGITS} digits) for integer string conversion`
  throw new TemplateSyntaxError(message, token, 'ValueError')
}
