import { bench, describe } from 'vitest'
import type { Format } from '../src/format/format.ts'
import { baseFormats, builtFormats } from './as-built.ts'
import { bareSplit, equalCalls, naiveScan } from './bare-split.ts'
import type { EqualCalls } from './bare-split.ts'
import { compare, once, ONCE, table } from './measure.ts'
import { FIND, textSplitter } from './text-split.ts'
import type { SplitCall } from './text-split.ts'

/** How long a reply is, and how many calls it has. */
const SHAPES = [
  [1 << 10, 1],
  [1 << 16, 1],
  [1 << 16, 10],
  [1 << 16, 100],
  [1 << 16, 1000],
  [1 << 20, 1],
  [1 << 20, 1000],
] as const

type Row = Readonly<Record<string, string>>

/** Whole replies compared with a splitter of their calls. Arguments as JSON are parsed, values as text are typed. */
function wholeRow(format: Format): Row {
  const shares = SHAPES.map(([length, count]) => {
    const calls = equalCalls(format, length, count)
    const least = leastOf(format, calls)
    if (least === null) return [`${length >> 10} KB, ${count}`, 'no splitter'] as const
    const ms = compare({ least, read: () => readWhole(format, calls.text) })
    return [`${length >> 10} KB, ${count}`, ((100 * ms.least) / ms.read).toFixed(0)] as const
  })
  return {
    format: format.id,
    JSON: equalCalls(format, 1 << 10, 1).isJson ? 'yes' : 'no',
    ...Object.fromEntries(shares),
  }
}

/** Null for values as text in a shape that the splitter does not know: it must find what the format reads. */
function leastOf(format: Format, calls: EqualCalls): (() => unknown) | null {
  if (calls.isJson) return () => bareSplit(calls)
  const split = textSplitter(format)
  const read = format.read(calls.text, { tools: [FIND] }).items.filter((item) => item.kind === 'call')
  return spelled(split(calls.text)) === spelled(read) ? () => split(calls.text) : null
}

function spelled(calls: readonly SplitCall[]): string {
  return JSON.stringify(calls.map((each) => [each.name, JSON.parse(each.arguments) as unknown]))
}

/** Twice the length, and pushes of four characters compared with a naive scanner. */
function growthRow(format: Format): Row {
  const [calls, more] = [equalCalls(format, 1 << 16, 10), equalCalls(format, 1 << 17, 20)]
  const chunks = chunksOf(calls.text)
  const ms = compare({
    once: () => readWhole(format, calls.text),
    twice: () => readWhole(format, more.text),
    naive: () => naiveScan(calls, chunks),
    pushes: () => readStream(format, chunks),
  })
  return {
    format: format.id,
    'x2 length': (ms.twice / ms.once).toFixed(2),
    'pushes of 4 / naive': (ms.pushes / ms.naive).toFixed(2),
  }
}

/** The time that 64 KB with 100 calls take, as a share of that of another checkout, whole and in pushes of four characters. */
function baseRow(format: Format, base: Format): Row {
  const calls = equalCalls(format, 1 << 16, 100)
  const chunks = chunksOf(calls.text)
  const ms = compare({
    whole: () => readWhole(format, calls.text),
    wholeBase: () => readWhole(base, calls.text),
    pushes: () => readStream(format, chunks),
    pushesBase: () => readStream(base, chunks),
  })
  return {
    format: format.id,
    read: (ms.whole / ms.wholeBase).toFixed(2),
    pushes: (ms.pushes / ms.pushesBase).toFixed(2),
  }
}

function chunksOf(text: string): readonly string[] {
  return Array.from({ length: Math.ceil(text.length / 4) }, (_, at) => text.slice(4 * at, 4 * at + 4))
}

function readWhole(format: Format, text: string): number {
  return format.read(text, OPTIONS).items.length
}

function readStream(format: Format, chunks: readonly string[]): number {
  const reader = format.createReader(OPTIONS)
  let events = 0
  for (const chunk of chunks) events += reader.push(chunk).length
  return events + reader.end().length
}

const OPTIONS = { parallelCalls: true, tools: [FIND] }

const FORMATS = await builtFormats()
const BASE = await baseFormats()

describe('every format', () => {
  bench(
    'beside a splitter of its calls',
    once(() => {
      console.log(
        table(
          '% of the speed of a splitter, by length and calls (aim: 33 at 64 KB with up to 100)',
          FORMATS.map(wholeRow),
        ),
      )
      console.log(table('64 KB, 10 calls (aims: 2.3 and 3)', FORMATS.map(growthRow)))
    }),
    ONCE,
  )

  bench.skipIf(BASE === null)(
    'beside those of another checkout',
    once(() => {
      const pairs = FORMATS.flatMap((format) =>
        (BASE ?? []).filter(({ id }) => id === format.id).map((base) => [format, base] as const),
      )
      console.log(
        table(
          '64 KB, 100 calls: time here / time there',
          pairs.map(([format, base]) => baseRow(format, base)),
        ),
      )
    }),
    ONCE,
  )
})
