import { describe, it } from 'vitest'
import { formats } from '../../src/qwen-agent.ts'
import { PIECES, soups } from '../formats/hostile-pieces.ts'
import { expectAsWhole } from './helpers.ts'

// Larger ones: hostile.long.test.ts. What is quadratic does not come back from these in time either.
describe.each(Object.values(formats))('$id', { timeout: 20_000 }, (format) => {
  it.each(PIECES)('reads 32 kB of %j in chunks of 1000 as it reads them whole', (piece) => {
    for (const text of soups(format.id, piece, 1 << 15)) {
      for (const profile of [format.defaultProfile, 'strict'])
        expectAsWhole(format, text, { parallelCalls: true, codeMode: true, profile })
    }
  })
})
