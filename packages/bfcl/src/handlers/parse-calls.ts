import type { PyLiteral } from '@callspec/python'
import { resolveCalls } from '../python/resolve.ts'
import { javaCall } from '../source/java-call.ts'
import { javascriptCall } from '../source/javascript-call.ts'
import type { BfclLanguage } from '../verdict.ts'

/**
 * The calls of a list in source text, as BFCL's `ast_parse` reads each language: all of a Python list, and the first of what
 * stands between the first and the last character for Java and JavaScript.
 *
 * @throws Raise where they cannot be read
 */
export function parseCalls(list: string, language: BfclLanguage): PyLiteral {
  if (language === 'python') return resolveCalls(list)
  const inner = Array.from(list).slice(1, -1).join('')
  return language === 'java' ? javaCall(inner) : javascriptCall(inner)
}
