import { describe, expect, it } from 'vitest'
import { barePrompt, conversation, tools } from '../bench/conversation.ts'
import { cellName, CELLS, compactNousText, nousText, qwenText, reactText } from '../bench/corpus.ts'
import type { Cell } from '../bench/corpus.ts'
import { bareNous, bareQwen, bareReact } from '../bench/limits.ts'
import { compare } from '../bench/measure.ts'
import { readNaively } from '../bench/naive-stream.ts'
import { timesQwenAgent } from '../bench/published.ts'
import { inDeltas, naiveScan, streamed } from '../bench/streamed.ts'
import { nous } from '../src/formats/nous/index.ts'
import { qwen } from '../src/formats/qwen/index.ts'
import { detectTool } from '../src/formats/react/parse.ts'
import { react } from '../src/formats/react/index.ts'
import { nousPreprocessFncallMessages, qwenPreprocessFncallMessages } from '../src/qwen-agent.ts'
import type { QwenAgentFormat } from '../src/qwen-agent.ts'
import { PROFILES } from '../src/profile.ts'
import { someOf } from '../../tidy/test/share.ts'

// Ratios of CPU time within one run, never a clock. The gates leave room for a busy machine; `pnpm bench` prints the
// numbers themselves.

const NAMED = CELLS.map((cell): [string, Cell] => [cellName(cell), cell])
const ONE_CALL = NAMED.filter(([, { calls }]) => calls === 1)

describe('nous parses whole texts at a quarter of the speed of indexOf + JSON.parse', () => {
  it.each(someOf(NAMED))('%s', (_name, cell) => {
    const text = nousText(cell)

    const ms = compare({ limit: () => bareNous(text), callspec: () => nous.parse(text) })

    expect(ms.limit / ms.callspec).toBeGreaterThan(0.25)
  })
})

describe('nous parses texts without spaces between tokens at a fifth of that speed', () => {
  it.each(someOf(NAMED))('%s', (_name, cell) => {
    const text = compactNousText(cell)

    const ms = compare({ limit: () => bareNous(text), callspec: () => nous.parse(text) })

    expect(ms.limit / ms.callspec).toBeGreaterThan(0.2)
  })
})

// The engine of grammars reads streams under strict; it costs more than the scanners for one format that it replaced.
describe('nous reads deltas of four characters, with a snapshot per 64, at a twelfth of the speed of a naive scanner', () => {
  it.each(someOf(NAMED))('%s', (_name, cell) => {
    const chunks = inDeltas(nousText(cell))

    const ms = compare({ naive: () => readNaively(chunks), callspec: () => streamed(nous, chunks) })

    expect(ms.callspec / ms.naive).toBeLessThan(12)
  })

  it.each(someOf(['en', 'zh'] as const))(
    'and takes no more than 26 times as long for 16 times the text: %s',
    (language) => {
      const few = inDeltas(nousText({ language, bytes: 65_536, calls: 10 }))
      const many = inDeltas(nousText({ language, bytes: 1_048_576, calls: 160 }))

      const ms = compare({ few: () => streamed(nous, few), many: () => streamed(nous, many) })

      expect(ms.many / ms.few).toBeLessThan(26)
    },
  )
})

describe('qwen splits texts at 10 times the speed of Qwen-Agent with one call, at twice its speed with more', () => {
  it.each(someOf(NAMED))('%s', (name, cell) => {
    const text = qwenText(cell)
    const read = (): unknown => qwen.parse(text, { parallelCalls: true, rawArguments: true })

    const ms = compare({ limit: () => bareQwen(text), callspec: read })

    expect(timesQwenAgent(name, ms.limit / ms.callspec)).toBeGreaterThan(cell.calls === 1 ? 10 : 2)
  })
})

const MARKED: readonly (readonly [QwenAgentFormat, (cell: Cell) => string, readonly string[]])[] = [
  [qwen, qwenText, ['✿FUNCTION✿:', '✿ARGS✿:']],
  [react, reactText, ['\nAction:', '\nAction Input:', '\nObservation:']],
]

describe.each(MARKED.map((each) => [each[0].id, ...each] as const))(
  '%s reads deltas of four characters beside a scanner for its markers',
  (_id, format, textOf, markers) => {
    it.each(someOf(NAMED))('at a sixteenth of its speed: %s', (_name, cell) => {
      const chunks = inDeltas(textOf(cell))

      const ms = compare({
        naive: () => naiveScan(markers, chunks),
        callspec: () => streamed(format, chunks),
      })

      expect(ms.callspec / ms.naive).toBeLessThan(16)
    })

    it.each(someOf(['en', 'zh'] as const))(
      'and takes no more than 26 times as long for 16 times the text: %s',
      (language) => {
        const few = inDeltas(textOf({ language, bytes: 65_536, calls: 10 }))
        const many = inDeltas(textOf({ language, bytes: 1_048_576, calls: 160 }))

        const ms = compare({
          few: () => streamed(format, few),
          many: () => streamed(format, many),
        })

        expect(ms.many / ms.few).toBeLessThan(26)
      },
    )
  },
)

describe('ReAct detection', () => {
  it.each(someOf(ONE_CALL))('is no slower than lastIndexOf: %s', (_name, cell) => {
    const text = reactText(cell)

    const ms = compare({ limit: () => bareReact(text), callspec: () => detectTool(text) })

    expect(ms.callspec / ms.limit).toBeLessThan(1.5)
  })

  it.each(someOf(['en', 'zh'] as const))(
    'takes no more than twice as long per byte at 1 MB than at 64 KB: %s',
    (language) => {
      const short = reactText({ language, bytes: 65_536, calls: 10 })
      const long = reactText({ language, bytes: 1_048_576, calls: 160 })

      const ms = compare({ short: () => detectTool(short), long: () => detectTool(long) })

      expect(ms.long / ms.short).toBeLessThan(2 * 16)
    },
  )
})

describe('prompt building costs at most three times plain concatenation', () => {
  const profile = PROFILES.get('main')
  const messages = conversation(1000)
  const functions = tools(100)

  it.each([
    ['nous', nousPreprocessFncallMessages],
    ['qwen', qwenPreprocessFncallMessages],
  ])('1000 messages x 100 tools: %s', (_name, preprocess) => {
    if (profile === undefined) throw new Error('main is a profile')
    const request = { messages, functions, lang: 'en', profile } as const

    const ms = compare({
      limit: () => barePrompt(messages, functions),
      callspec: () => preprocess(request),
    })

    expect(ms.callspec / ms.limit).toBeLessThan(3)
  })
})
