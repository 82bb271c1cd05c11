import { bench, describe } from 'vitest'
import { FORMATS } from '../src/formats/index.ts'
import { identifyReply } from '../src/identify/identify-reply.ts'
import { compare, once, ONCE, table } from './measure.ts'

/** One reply of every format, and replies that hold the markers of several. */
function replies(): readonly (readonly [string, readonly string[]])[] {
  const written = (count: number): readonly string[] =>
    FORMATS.map(({ write }) =>
      write(
        Array.from({ length: count }, (_, index) => ({
          kind: 'call' as const,
          name: 'find_trains',
          arguments: `{"station": "Trondheim S", "count": ${index}}`,
          id: null,
        })),
      ),
    )
  return [
    ['a call of every format', written(1)],
    ['100 calls of every format', written(100)],
    ['all of them in one reply', [written(20).join('\n')]],
    ['64 KB of prose', ['The trains leave at 7, at 8 [and at 9](a). '.repeat(1500)]],
  ]
}

describe('identify', () => {
  bench(
    'beside reading once with every format',
    once(() => {
      const rows = replies().map(([name, texts]) => {
        const ms = compare({
          reading: () => texts.map((text) => FORMATS.map((format) => format.read(text).items.length)),
          identify: () => texts.map((text) => identifyReply(text).formats.length),
        })
        return {
          replies: name,
          'reading ms': ms.reading.toFixed(3),
          'identify ms': ms.identify.toFixed(3),
          ratio: (ms.identify / ms.reading).toFixed(2),
        }
      })
      console.log(table('identifyReply beside reading once with every format (aim: 1.5 x)', rows))
    }),
    ONCE,
  )
})
