import fc from 'fast-check'
import { describe, it } from 'vitest'
import type { AssistantMessage, ParseOutcome, Settled } from '../../src/index.ts'
import { COMBINATIONS } from '../formats/helpers.ts'
import { chunks, CUTS, expectSame, expectSnapshots, fed, OPTIONS, replies } from './helpers.ts'

// Many more texts: splits.long.test.ts.
describe.each(COMBINATIONS)('$format.id in $profile', ({ format, profile }) => {
  it('says after every chunk what parse says, wherever the reply is cut', () => {
    fc.assert(
      fc.property(replies(format), CUTS, OPTIONS, (text, cuts, options) => {
        expectSnapshots(format, chunks(text, cuts), { ...options, profile })
      }),
      { numRuns: 600 },
    )
  })

  it('says the same after every cut into two', () => {
    fc.assert(
      fc.property(replies(format), OPTIONS, (text, options) => {
        const whole = format.parse(text, { ...options, profile })
        for (let at = 0; at <= text.length; at++) {
          const parser = format.createStreamParser({ ...options, profile })
          expectSame(fed(parser, [text.slice(0, at), text.slice(at)]).snapshot(), whole)
        }
      }),
      { numRuns: 60 },
    )
  })

  it('leaves snapshots that it has given as they were', () => {
    fc.assert(
      fc.property(replies(format), CUTS, OPTIONS, (text, cuts, options) => {
        const parser = format.createStreamParser({ ...options, profile })
        const taken = chunks(text, cuts).map((chunk) => {
          parser.push(chunk)
          const snapshot = parser.snapshot()
          return { snapshot, before: structuredClone(snapshot) }
        })

        for (const { snapshot, before } of taken) expectSame(snapshot, before)
      }),
      { numRuns: 100 },
    )
  })

  it('calls settled only what stays', () => {
    fc.assert(
      fc.property(replies(format), CUTS, OPTIONS, (text, cuts, options) => {
        const parser = format.createStreamParser({ ...options, profile })
        const fronts = chunks(text, cuts).map((chunk) => {
          parser.push(chunk)
          const settled = parser.settled?.() ?? { messages: 0, characters: 0 }
          return { settled, front: frontOf(parser.snapshot(), settled) }
        })

        const last = parser.snapshot()
        for (const { settled, front } of fronts) {
          if (last.kind === 'parsed' && front !== null) expectSame(frontOf(last, settled), front)
        }
      }),
      { numRuns: 600 },
    )
  })
})

/** The part of an outcome that is said to stay. */
interface Front {
  readonly messages: readonly AssistantMessage[]
  /** Of the message behind those. */
  readonly text: string
  /** Its name, where the text reaches into its arguments. */
  readonly name: string | null
}

function frontOf(outcome: ParseOutcome, { messages, characters }: Settled): Front | null {
  if (outcome.kind === 'rejected') return null
  const next = outcome.messages[messages]
  const before = String(next?.reasoning_content ?? '') + (next?.content ?? '')
  const call = next?.function_call ?? null
  return {
    messages: outcome.messages.slice(0, messages),
    text: (before + (call?.arguments ?? '')).slice(0, characters),
    name: call !== null && characters > before.length ? call.name : null,
  }
}
