import { isDict, isList } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'

import { firstChoice } from '../read-completion.ts'

/** What an answer shows of what the model said, before anybody read it. */
export interface Raw {
  readonly text: string
  /** One text per token, as bytes in Latin-1; null where the engine does not show its tokens. */
  readonly tokens: readonly string[] | null
}

/** The text beside the reading, or the bytes of the tokens; null where nothing can be seen. */
export function rawOf(completion: PyDict, ends: readonly string[]): Raw | null {
  const tokens = tokensOf(completion)
  const verbose = completion.get('__verbose')
  const content = isDict(verbose) ? verbose.get('content') : null
  if (typeof content === 'string') return { text: content, tokens }
  if (tokens === null) return null
  const text = Buffer.from(tokens.join(''), 'latin1').toString('utf8')
  const end = ends.find((each) => text.endsWith(each))
  return { text: end === undefined ? text : text.slice(0, -end.length), tokens }
}

/** Whether a text was said, but for white space at its ends, which engines trim. */
export function isSaid(text: string, raw: string): boolean {
  return raw.trim() === text.trim()
}

/** The tokens of a reply, from its `logprobs`; null unless the bytes of each are known. */
function tokensOf(completion: PyDict): readonly string[] | null {
  const logprobs = firstChoice(completion)?.get('logprobs')
  const content = isDict(logprobs) ? logprobs.get('content') : null
  if (!isList(content)) return null
  // An empty text has no tokens, but for one that ends it; elsewhere an empty list says that they are not shown.
  if (content.length === 0 && (tokenCount(completion) ?? 2n) > 1n) return null
  const tokens = content.map(bytesOf)
  return tokens.every((token) => token !== null) ? tokens : null
}

function bytesOf(token: PyValue): string | null {
  const bytes = isDict(token) ? token.get('bytes') : null
  if (!isList(bytes)) return null
  const numbers = bytes.map(Number)
  return numbers.every((byte) => byte >= 0 && byte < 256) ? Buffer.from(numbers).toString('latin1') : null
}

/** `usage.completion_tokens`, or null. */
export function tokenCount(completion: PyDict): bigint | null {
  const usage = completion.get('usage')
  const count = isDict(usage) ? usage.get('completion_tokens') : null
  return typeof count === 'bigint' ? count : null
}
