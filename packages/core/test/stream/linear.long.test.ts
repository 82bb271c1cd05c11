import { describe, expect, it } from 'vitest'
import { formats } from '../../src/qwen-agent.ts'
import { PIECES, soups } from '../formats/hostile-pieces.ts'

/** How many characters are looked at when a text comes unit by unit and every snapshot is requested. */
function work(id: keyof typeof formats, text: string, version: string): number {
  let examined = 0
  const onExamined = (characters: number): void => {
    examined += characters
  }
  const reader = formats[id].createReader({ version, onExamined })
  for (let at = 0; at < text.length; at++) {
    reader.push(text.charAt(at))
    reader.snapshot()
  }
  return examined
}

const CALL = '<tool_call>\n{"name": "clock", "arguments": {"zone": "UTC"}}\n</tool_call>\n'
const OTHERS = {
  nous: [
    CALL, 'word ', `<think>hm</think>\n${CALL}`, '<tool_call></tool_call>', `${CALL}<think>`, '</think><tool_call>{"name": "a", "arguments": 1',
    '<tool_call>{"name": "', '<tool_call>x"name": "a", "arguments": ', '\ud83d\ude00', '\u3000',
  ],
  qwen: ['✿FUNCTION✿: a\n✿ARGS✿: {"b": {}} done\n', '✿FUNCTION✿ ', '✿FUNC ', '```\n```', '✿ARGS✿:{', '✿RESULT✿ ✿FUNCTION✿: a ✿ARGS✿:', '{},'],
  react: ['\nAction: a\nAction Input: {"b": {}}\n', '\nAction Inp', '\nAction Input:{', '\nObservation: 1\nAction: a\nAction Input:', '\\"', '{},'],
} // prettier-ignore

describe.each(['nous', 'qwen', 'react'] as const)('reading %s by strict, unit by unit', (id) => {
  it.each([...PIECES, ...OTHERS[id]])('looks at each character of many %j a limited number of times', (piece) => {
    for (const which of [0, 1]) {
      const [small, large] = [500, 2000].map((size) => work(id, soups(id, piece, size)[which] ?? '', 'strict'))

      expect(small).toBeGreaterThan(0)
      expect(large).toBeLessThan(4.4 * (small ?? 0) + 10_000)
      expect(large).toBeLessThan(150 * 2000)
    }
  })
})

it('a version of Qwen-Agent reads all of the text for each snapshot', () => {
  const [small = 0, large = 0] = [500, 2000].map((size) => work('nous', 'word '.repeat(size / 5), 'qwen-agent@main'))

  expect(large).toBeGreaterThan(15 * small)
})
