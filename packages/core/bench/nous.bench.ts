import { bench, describe } from 'vitest'
import { nous } from '../src/formats/nous/index.ts'
import { cellName, CELLS, compactNousText, nousText, utf8Length } from './corpus.ts'
import { bareNous } from './limits.ts'
import { compare, once, ONCE, table } from './measure.ts'
import { timesParser4 } from './published.ts'

function share(ms: Readonly<Record<'limit' | 'callspec', number>>): string {
  return `${((100 * ms.limit) / ms.callspec).toFixed(0)} %`
}

describe('nous', () => {
  bench(
    'whole texts beside indexOf and JSON.parse',
    once(() => {
      const rows = CELLS.map((cell) => {
        const text = nousText(cell)
        const ms = compare({ limit: () => bareNous(text), callspec: () => nous.parse(text) })
        const tight = compactNousText(cell)
        const compact = compare({ limit: () => bareNous(tight), callspec: () => nous.parse(tight) })
        const speed = (time: number): string => (utf8Length(text) / 1000 / time).toFixed(0)
        return {
          cell: cellName(cell),
          'limit MB/s': speed(ms.limit),
          'callspec MB/s': speed(ms.callspec),
          'of limit': share(ms),
          'x parser 4.1.26': timesParser4(cellName(cell), ms.limit / ms.callspec).toFixed(1),
          'without spaces': share(compact),
        }
      })
      console.log(
        table(
          'nous: parse beside indexOf + JSON.parse (aim: 33 % of the limit, 10 x @ai-sdk-tool/parser 4.1.26)',
          rows,
        ),
      )
    }),
    ONCE,
  )
})
