import { bench, describe } from 'vitest'
import { detectTool } from '../src/formats/react/parse.ts'
import { cellName, CELLS, reactText } from './corpus.ts'
import { bareReact } from './limits.ts'
import { compare, once, ONCE, table } from './measure.ts'

describe('ReAct', () => {
  bench(
    'detection beside three times lastIndexOf',
    once(() => {
      const rows = CELLS.map((cell) => {
        const text = reactText(cell)
        const ms = compare({ limit: () => bareReact(text), callspec: () => detectTool(text) })
        return {
          cell: cellName(cell),
          'lastIndexOf us': (1000 * ms.limit).toFixed(2),
          'callspec us': (1000 * ms.callspec).toFixed(2),
          ratio: (ms.callspec / ms.limit).toFixed(2),
        }
      })
      console.log(table('ReAct: detectTool beside lastIndexOf (aim: 1 x with one call, linear)', rows))
    }),
    ONCE,
  )
})
