import { bench, describe } from 'vitest'
import { qwen } from '../src/formats/qwen/index.ts'
import { cellName, CELLS, qwenText, utf8Length } from './corpus.ts'
import { bareQwen } from './limits.ts'
import { compare, ONCE, table } from './measure.ts'

/** What Qwen-Agent's own postprocess did on texts of the same make, in MB/s of CPU time (measured once, elsewhere). */
const QWEN_AGENT: Readonly<Record<string, number>> = {
  'en-1024-1': 44.4,
  'en-1024-5': 27.5,
  'en-65536-1': 703,
  'en-65536-10': 464,
  'en-65536-100': 110,
  'en-1048576-1': 900,
  'en-1048576-10': 812,
  'en-1048576-100': 544,
  'en-1048576-1000': 138,
  'zh-1024-1': 43.2,
  'zh-1024-5': 29.5,
  'zh-65536-1': 1327,
  'zh-65536-10': 692,
  'zh-65536-100': 127,
  'zh-1048576-1': 1828,
  'zh-1048576-10': 1860,
  'zh-1048576-100': 1087,
  'zh-1048576-1000': 147,
}

describe('qwen', () => {
  bench(
    'whole texts with raw arguments beside indexOf and slice',
    () => {
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
          'x Qwen-Agent': (speed(ms.callspec) / (QWEN_AGENT[name] ?? Number.NaN)).toFixed(1),
        }
      })
      console.log(
        table('qwen: parse beside indexOf + slice (aim: 10 x Qwen-Agent with one call, 2 to 5 x with more)', rows),
      )
    },
    ONCE,
  )
})
