import { bench, describe } from 'vitest'
import { qwen } from '../src/formats/qwen/index.ts'
import { cellName, CELLS, qwenText, utf8Length } from './corpus.ts'
import { bareQwen } from './limits.ts'
import { compare, once, ONCE, table } from './measure.ts'
import { timesQwenAgent } from './published.ts'

describe('qwen', () => {
  bench(
    'whole texts with raw arguments beside indexOf and slice',
    once(() => {
      const rows = CELLS.map((cell) => {
        const text = qwenText(cell)
        const read = (): unknown => qwen.parse(text, { parallelCalls: true, rawArguments: true })
        const ms = compare({ limit: () => bareQwen(text), callspec: read })
        const speed = (time: number): number => utf8Length(text) / 1000 / time
        const name = cellName(cell)
        return {
          cell: name,
          'limit MB/s': speed(ms.limit).toFixed(0),
          'callspec MB/s': speed(ms.callspec).toFixed(0),
          'of limit': `${((100 * ms.limit) / ms.callspec).toFixed(0)} %`,
          'x Qwen-Agent': timesQwenAgent(name, ms.limit / ms.callspec).toFixed(1),
        }
      })
      console.log(
        table('qwen: parse beside indexOf + slice (aim: 10 x Qwen-Agent with one call, 2 to 5 x with more)', rows),
      )
    }),
    ONCE,
  )
})
