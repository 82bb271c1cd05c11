import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { SentEvent } from '../src/events.ts'
import { createEventReader } from '../src/events.ts'

/** The events of a body that comes in these pieces. */
function eventsOf(pieces: readonly Uint8Array[]): readonly string[] {
  const reader = createEventReader()
  const events: SentEvent[] = []
  for (const piece of pieces) events.push(...reader.push(piece))
  return [...events, ...reader.end()].map(({ data }) => data)
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

const line = fc.oneof(
  fc.constantFrom('data: {"a":1}', 'data:x', 'data', 'data:', ': comment', '', '', 'event: message', 'id: 1', 'retry:'),
  fc.string({ unit: 'binary', maxLength: 8 }).map((text) => `data: ${text.replaceAll(/[\r\n]/g, '')}✿`),
)
const body = fc
  .array(fc.tuple(line, fc.constantFrom('\n', '\r\n', '\r')), { maxLength: 20 })
  .map((lines) => lines.map(([text, end]) => text + end).join(''))

describe('the events of a stream', () => {
  it('are the same wherever its bytes are cut', () => {
    fc.assert(
      fc.property(body, fc.array(fc.nat(), { maxLength: 30 }), (text, places) => {
        const whole = bytes(text)
        const cuts = [...new Set(places.map((place) => place % (whole.length + 1)))].sort((a, b) => a - b)
        const pieces = [0, ...cuts].map((cut, at) => whole.subarray(cut, cuts[at] ?? whole.length))

        expect(eventsOf(pieces)).toEqual(eventsOf([whole]))
      }),
      { numRuns: 500 },
    )
  })

  it.each([
    ['data: a\n\n', ['a']],
    ['data:a\n\n', ['a']],
    ['data:  a\n\n', [' a']],
    ['data: a\ndata: b\n\n', ['a\nb']],
    ['data\n\n', ['']],
    ['data:\n\n', ['']],
    ['error: a\n\n', ['a']],
    [': data: a\n\n', []],
    ['event: x\nid: 7\n\n', []],
    ['data: a\r\rdata: b\r\n\r\ndata: c\n\n', ['a', 'b', 'c']],
    ['\uFEFFdata: a\n\n', ['a']],
    ['data: a', ['a']],
    ['', []],
  ])('of %j are %j', (text, events) => {
    expect(eventsOf([bytes(text)])).toEqual(events)
  })

  it('are counted with what they hold together, so that no event is endless', () => {
    const reader = createEventReader()
    const part = bytes(`data: ${'x'.repeat(1_000_000)}\n`)

    expect(() => {
      for (let parts = 0; parts < 20; parts += 1) reader.push(part)
    }).toThrow(RangeError)
  })
})
