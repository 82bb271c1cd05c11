import { describe, expect, it } from 'vitest'
import { fnCallAgent } from '../../src/index.ts'
import { modelOf, user } from './helpers.ts'
import { shareOf } from '../../../tidy/test/share.ts'

const CALLS = shareOf(20_000)

describe('fnCallAgent', { timeout: 60_000 }, () => {
  it('takes no memory for every list when a reply has thousands of unknown calls', () => {
    const calls = Array.from({ length: CALLS }, (_, at) => ({
      role: 'assistant' as const,
      content: '',
      function_call: { name: `f${at}`, arguments: '{}' },
    }))
    const loop = fnCallAgent({ model: modelOf('v0.0.26', { generate_cfg: { max_input_tokens: 0 } }) })
    const { state } = loop.start([user('q')])
    const before = process.memoryUsage().heapUsed

    const step = loop.advance(state, { type: 'completion', replies: [calls] })

    // All lists would be 20 000 times 30 000 references: 4.8 GB.
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(300e6)
    expect(step.unknownCalls).toHaveLength(CALLS)
    const lengths = Array.from(step.emissions, (list) => list.length)
    expect(lengths).toEqual(Array.from({ length: CALLS + 1 }, (_, at) => CALLS + at))
  })
})
