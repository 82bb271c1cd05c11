import type { Format } from '@callspec/core'
import { fromPlain } from '@callspec/python'
import { bench, describe } from 'vitest'
import { asBuilt, builtFormats } from '../../core/bench/as-built.ts'
import { equalCalls } from '../../core/bench/bare-split.ts'
import { compare, once, ONCE, table } from '../../core/bench/measure.ts'
import { inDeltas } from '../../core/bench/streamed.ts'
import type * as Exports from '../src/export/index.ts'
import type * as Readers from '../src/index.ts'
import type { ResponseTemplate } from '../src/index.ts'

const FORMATS = await builtFormats()
const { loadTemplate, readReply, streamReply } = (await asBuilt('response-template', 'index.js')) as typeof Readers
const { EXPORTED_FORMATS, exportTemplate } = (await asBuilt('response-template', 'export/index.js')) as typeof Exports

const STOPS = ['<|im_end|>', '<|endoftext|>']

/** A template without a pattern. */
const NOUS_IN_LITERALS = loaded(
  fromPlain({
    start_anchor: '<|im_start|>assistant\n',
    fields: {
      thinking: { open: '<think>', close: '</think>' },
      tool_calls: {
        open: '<tool_call>',
        close: '</tool_call>',
        repeats: true,
        content: 'json',
        transform: { type: 'function', function: '{content}' },
      },
      content: { close: STOPS, repeats: true, join: '' },
    },
  }),
)

const PAIRS: readonly (readonly [name: string, format: string, template: ResponseTemplate])[] = [
  ['nous, only literals', 'nous', NOUS_IN_LITERALS],
  ...EXPORTED_FORMATS.map((id) => {
    const made = exportTemplate(id)
    if (made.kind !== 'exported') throw new Error(`${id} has no response template`)
    return [id, id, loaded(made.template)] as const
  }),
]

const ROUNDS = 7

describe('response templates', () => {
  bench(
    "compared with the formats' own readers",
    once(() => {
      const rows = PAIRS.flatMap(([name, id, template]) => {
        const format = FORMATS.find((known) => known.id === id)
        return format === undefined ? [] : [rowOf(name, format, template)]
      })
      console.log(table('64 KB, half of it text, 10 calls; template / own (aims: literals 5, patterns 20)', rows))
    }),
    ONCE,
  )
})

function rowOf(name: string, format: Format, template: ResponseTemplate): Readonly<Record<string, string>> {
  const [small, large] = [replyOf(format, 1 << 16, 10), replyOf(format, 1 << 20, 160)]
  const [few, many] = [inDeltas(small), inDeltas(large)]
  const whole = compare(
    { own: () => format.read(small, GIVEN), template: () => readReply(template, small, PROMPT) },
    ROUNDS,
  )
  const chunks = compare({ own: () => ownStream(format, few), template: () => templateStream(template, few) }, ROUNDS)
  const growth = compare(
    { whole: () => readReply(template, large, PROMPT), chunks: () => templateStream(template, many) },
    ROUNDS,
  )
  return {
    template: name,
    'whole ms': whole.template.toFixed(2),
    'of own': (whole.template / whole.own).toFixed(1),
    'x16 length': (growth.whole / whole.template).toFixed(1),
    'chunks of 4 ms': chunks.template.toFixed(2),
    'of own stream': (chunks.template / chunks.own).toFixed(1),
    'x16 length, chunks': (growth.chunks / chunks.template).toFixed(1),
  }
}

const GIVEN = { version: 'strict' } as const
const PROMPT = { prefix: '' } as const

/** As much text as calls; with `<`, at which most delimiters begin. */
function replyOf(format: Format, length: number, calls: number): string {
  const line = 'The night train is late, and 3 < 4 < 5: {it} waits. '
  return `${line.repeat(Math.floor(length / 2 / line.length)).trimEnd()}\n${equalCalls(format, length >> 1, calls).text}`
}

function ownStream(format: Format, chunks: readonly string[]): number {
  const reader = format.createReader(GIVEN)
  let events = 0
  for (const chunk of chunks) events += reader.push(chunk).length
  return events + reader.end().length
}

function templateStream(template: ResponseTemplate, chunks: readonly string[]): number {
  const stream = streamReply(template, PROMPT)
  let events = 0
  for (const chunk of chunks) {
    const step = stream.feed(chunk)
    if (step.kind === 'events') events += step.events.length
  }
  return stream.end().result.kind === 'read' ? events : -1
}

function loaded(source: Parameters<typeof loadTemplate>[0]): ResponseTemplate {
  const result = loadTemplate(source)
  if (result.kind === 'refused') throw new Error(result.fault.message)
  return result.template
}
