import { truncate } from '@callspec/qwen-agent'
import type { PyDict } from '@callspec/python'
import type { Operation, OperationContext } from './operation.ts'
import { answer, flag, integer, optionalInteger, text } from './read.ts'

/** `tokenizer.*`: spec §3. */
export const tokenizerOperations: ReadonlyMap<string, Operation> = new Map<string, Operation>([
  ['tokenizer.tokenize', tokenize],
  ['tokenizer.count', count],
  ['tokenizer.truncate', truncateText],
])

function tokenize(input: PyDict, { tokenizer }: OperationContext): PyDict {
  const given = text(input, 'text')
  const pieces = tokenizer.pieces(given).map((piece) => ('special' in piece ? `s:${piece.special}` : hex(piece)))
  return answer({ ids: tokenizer.encode(given).map((id) => BigInt(id)), tokens_hex: pieces })
}

function count(input: PyDict, { tokenizer }: OperationContext): PyDict {
  return answer({ count: BigInt(tokenizer.count(text(input, 'text'))) })
}

function truncateText(input: PyDict, { tokenizer, profile }: OperationContext): PyDict {
  const cut = truncate(text(input, 'text'), {
    tokenizer,
    profile,
    maxTokens: integer(input, 'max_token'),
    startToken: optionalInteger(input, 'start_token') ?? 0,
    keepBothSides: flag(input, 'keep_both_sides'),
  })
  return answer({ text: cut })
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
