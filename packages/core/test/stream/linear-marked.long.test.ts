import { describe, expect, it } from 'vitest'
import { formats } from '../../src/qwen-agent.ts'
import type { StreamOptions } from '../../src/qwen-agent.ts'
import { PIECES, soups } from '../formats/hostile-pieces.ts'

/** How many characters are looked at when a text comes unit by unit and every snapshot is asked for. */
function work(id: 'qwen' | 'react', text: string, options: StreamOptions): number {
  let examined = 0
  const parser = formats[id].createStreamParser({
    ...options,
    onExamined: (characters) => {
      examined += characters
    },
  })
  for (let at = 0; at < text.length; at++) {
    parser.push(text.charAt(at))
    parser.snapshot()
  }
  return examined
}

const CALLS = {
  qwen: ['✿FUNCTION✿: a\n✿ARGS✿: {"b": {}} done\n', '✿FUNCTION✿ ', '✿FUNC ', '```\n```', '✿ARGS✿:{', '\u3000', '\\"', '{},'],
  react: ['\nAction: a\nAction Input: {"b": {}}\nObservation: 1', '\nAction Inp', '\nAction Input:{', '\u3000', '\\"', '{},'],
} // prettier-ignore
const OPTIONS: readonly StreamOptions[] = [
  {},
  { parallelCalls: true },
  { parallelCalls: true, rawArguments: true },
  { toolChoice: { name: 'clock' } },
]

describe.each(['qwen', 'react'] as const)('reading %s unit by unit', (id) => {
  // Not even the characters of the answers are needed as an allowance.
  it.each([...PIECES, ...CALLS[id]])('looks at each character of many %j at most 25 times', (piece) => {
    for (const options of OPTIONS) {
      for (const text of soups(id, piece, 2000)) {
        const examined = work(id, text, options)

        expect(examined).toBeGreaterThanOrEqual(text.length)
        expect(examined).toBeLessThan(25 * text.length)
      }
    }
  })

  it('looks more often where replies are cut at stop words, but not without limit', () => {
    for (const piece of ['Observation', 'O', '✿RETURN', '✿', 'word ', ...CALLS[id]]) {
      const [text = ''] = soups(id, piece, 2000)

      expect(work(id, text, { stopWords: 'default' })).toBeLessThan(150 * text.length)
    }
  })
})
