import { Raise } from './raise.ts'
import { pyIndex } from './text.ts'

/** The SyntaxError of an offset; texts of the interpreter are not part of any comparison, so this one is ours. */
export function invalidSyntax(source: string, at: number, what = 'invalid syntax'): Raise {
  return new Raise('SyntaxError', `${what} (character ${pyIndex(source, at)})`)
}
