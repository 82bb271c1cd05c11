import { bench, describe } from 'vitest'
import { nous } from '../src/formats/nous/index.ts'
import { deltaStream, snapshotStream } from '../src/reply/reply-deltas.ts'
import { qwen } from '../src/formats/qwen/index.ts'
import { react } from '../src/formats/react/index.ts'
import type { Format } from '../src/index.ts'
import { cellName, CELLS, nousText, qwenText, reactText } from './corpus.ts'
import type { Cell } from './corpus.ts'
import { compare, compareAsync, once, ONCE, table } from './measure.ts'
import { readNaively } from './naive-stream.ts'
import { inDeltas, pushed, pushedWithDeltas, streamed } from './streamed.ts'

const FORMATS: readonly (readonly [Format, textOf: (cell: Cell) => string])[] = [
  [nous, nousText],
  [qwen, qwenText],
  [react, reactText],
]

/** Chunks between two snapshots. */
const EVERY = 64

/** 16 times the text, with as many more calls. */
const GROWTH: readonly (readonly [Cell, Cell])[] = (['en', 'zh'] as const).flatMap((language) =>
  [10, 100].map(
    (calls) =>
      [
        { language, bytes: 65_536, calls },
        { language, bytes: 1_048_576, calls: 16 * calls },
      ] as const,
  ),
)

describe('streams', () => {
  bench(
    'nous in deltas beside a naive scanner',
    once(() => {
      const rows = CELLS.map((cell) => {
        const chunks = inDeltas(nousText(cell))
        const ms = compare({ naive: () => readNaively(chunks), callspec: () => streamed(nous, chunks) })
        return {
          cell: cellName(cell),
          chunks: String(chunks.length),
          'naive us/chunk': ((1000 * ms.naive) / chunks.length).toFixed(3),
          'callspec us/chunk': ((1000 * ms.callspec) / chunks.length).toFixed(3),
          ratio: (ms.callspec / ms.naive).toFixed(2),
        }
      })
      console.log(table('nous: 4-character deltas, a snapshot per 64 chunks (aim: 3 x naive, 0.25 us per chunk)', rows))
    }),
    ONCE,
  )

  bench(
    'deltas beside pushes alone',
    once(() => {
      for (const [format, textOf] of FORMATS) {
        const rows = CELLS.map((cell) => {
          const chunks = inDeltas(textOf(cell))
          const ms = compare({ bare: () => pushed(format, chunks), deltas: () => pushedWithDeltas(format, chunks) }, 21)
          return {
            cell: cellName(cell),
            'bare us/chunk': ((1000 * ms.bare) / chunks.length).toFixed(3),
            'deltas us/chunk': ((1000 * ms.deltas) / chunks.length).toFixed(3),
            ratio: (ms.deltas / ms.bare).toFixed(2),
          }
        })
        console.log(table(`${format.id}: 4-character chunks, with deltas beside without (aim: 3 x)`, rows))
      }
    }),
    ONCE,
  )

  bench(
    'nous as texts grow',
    once(() => {
      const rows = GROWTH.map(([small, large]) => {
        const [few, many] = [inDeltas(nousText(small)), inDeltas(nousText(large))]
        const ms = compare({ few: () => streamed(nous, few), many: () => streamed(nous, many) })
        return {
          from: cellName(small),
          to: cellName(large),
          'small ms': ms.few.toFixed(2),
          'large ms': ms.many.toFixed(2),
          growth: (ms.many / ms.few).toFixed(1),
        }
      })
      console.log(table('nous: 16 x the text with 16 x the calls (aim: 20 x the time)', rows))
    }),
    ONCE,
  )

  bench(
    'TransformStream',
    async () => {
      const rows = []
      for (const cell of [CELLS[3], CELLS[4], CELLS[12], CELLS[13]]) {
        if (cell === undefined) continue
        const chunks = inDeltas(nousText(cell))
        const ms = await compareAsync({
          identity: async () => drain(chunks, new TransformStream<string, string>()),
          snapshots: async () => drain(chunks, snapshotStream(nous, { every: EVERY })),
          deltas: async () => drain(chunks, deltaStream(nous)),
        })
        rows.push({
          cell: cellName(cell),
          'identity us/chunk': ((1000 * ms.identity) / chunks.length).toFixed(2),
          snapshots: (ms.snapshots / ms.identity).toFixed(2),
          deltas: (ms.deltas / ms.identity).toFixed(2),
        })
      }
      console.log(table('TransformStream: snapshots and deltas beside an identity stream (aim: 1.3 x)', rows))
    },
    ONCE,
  )
})

async function drain<T>(chunks: readonly string[], stream: TransformStream<string, T>): Promise<unknown> {
  let next = 0
  const source = new ReadableStream<string>({
    pull: (controller) => {
      const chunk = chunks[next++]
      if (chunk === undefined) controller.close()
      else controller.enqueue(chunk)
    },
  })
  let last: T | null = null
  for await (const result of source.pipeThrough(stream)) last = result
  return last
}
