import { describe, expect, it } from 'vitest'
import { formats } from '../../src/qwen-agent.ts'
import { PIECES, soups } from './hostile-pieces.ts'
import { shareOf } from '../../../tidy/test/share.ts'

describe.each(Object.values(formats))('$id', { timeout: 60_000 }, (format) => {
  it.each(PIECES)('returns for a megabyte of %j', (piece) => {
    for (const text of soups(format.id, piece, shareOf(1_000_000))) {
      const outcome = format.parse(text, { parallelCalls: true, codeMode: true, rawArguments: true })

      expect(['parsed', 'rejected']).toContain(outcome.kind)
    }
  })
})
