import type { PyLiteral } from '@callspec/core'
import { lenientCalls } from './lenient-calls.ts'
import { resolveCalls } from '../python/resolve.ts'
import type { BfclLanguage } from '../verdict.ts'
import { undecodable } from './handler.ts'

/** The calls of a list in source text, as BFCL's `ast_parse` reads each language. @throws Raise */
export function parseCalls(list: string, language: BfclLanguage): PyLiteral {
  if (language === 'python') return resolveCalls(list)
  const read = lenientCalls(list)
  if (read.kind === 'failed') throw undecodable('no calls')
  return read.value
}
