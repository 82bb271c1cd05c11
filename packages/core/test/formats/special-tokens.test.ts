import { describe, expect, it } from 'vitest'

import { FORMATS } from '../../src/index.ts'
import type { Format } from '../../src/index.ts'

describe('special tokens', () => {
  it('are named by every format, each in a marker or at the end of its replies', () => {
    for (const format of FORMATS) {
      const known = [...markersIn(format), ...format.stops.end]
      const tokens = tokensOf(format)

      expect(tokens.length, format.id).toBeGreaterThan(0)
      expect(
        tokens.filter((token) => !known.some((marker) => marker.includes(token))),
        format.id,
      ).toEqual([])
    }
  })

  it('are all that ends a turn, and all marks between bars', () => {
    for (const format of FORMATS) {
      const bars = markersIn(format).flatMap((marker) => marker.match(/<\|[\w"]+\|>|<｜[^｜]+｜>/g) ?? [])
      const tokens = tokensOf(format)

      expect(
        [...bars, ...format.stops.end].filter((mark) => !tokens.includes(mark)),
        format.id,
      ).toEqual([])
    }
  })

  it('have an id each where one is known', () => {
    for (const { id, specialTokens } of FORMATS) {
      const tokens = specialTokens?.tokens ?? []
      const ids = specialTokens?.ids ?? [...tokens.keys()]

      expect([new Set(tokens).size, new Set(ids).size, ids.length], id).toEqual(Array(3).fill(tokens.length))
    }
  })

  it('leave these whole tags to be ordinary text', () => {
    const plain = FORMATS.flatMap((format) => {
      const tags = [...new Set(markersIn(format))].filter((marker) => /^(?:<[^\s<>=]+>|\[[^\s[\]]+\])$/.test(marker))
      const others = tags.filter((tag) => !tokensOf(format).includes(tag))
      return others.length === 0 ? [] : [[format.id, others.join(' ')]]
    })

    expect(Object.fromEntries(plain)).toEqual({
      'hunyuan-a13b': '<tool_calls> <think> </think> <answer> </answer> </tool_calls>',
      'nemotron-v2': '<TOOLCALL> <think> </think> </TOOLCALL>',
      nous: '<code> </code>',
      'deepseek-v3': '<think> </think>',
      'deepseek-v3.2': '</｜DSML｜parameter> </｜DSML｜invoke> </｜DSML｜function_calls> <｜DSML｜function_calls>',
      'deepseek-v4': '</｜DSML｜parameter> </｜DSML｜invoke> </｜DSML｜tool_calls> <｜DSML｜tool_calls>',
      'granite-3': '<tool_call> <think> </think> <response> </response>',
      'kimi-k2': '<think> </think>',
      'minimax-m2': '</parameter> </invoke>',
      'muse-glimmer': '</atem:parameter> </atem:invoke> </atem:function_calls> <atem:function_calls>',
      'olmo-3': '<think> </think>',
      'qwen3-coder': '</parameter> </function>',
      'qwen3.5': '</parameter> </function>',
      'seed-oss': '</parameter> </function>',
    })
  })
})

function tokensOf({ specialTokens }: Format): readonly string[] {
  return specialTokens?.tokens ?? []
}

function markersIn({ markers }: Format): readonly string[] {
  const { callStart, callInner, callEnd, thought, head, others } = markers
  const pairs = [thought, head].flatMap((pair) => (pair ? [pair.open, pair.close] : []))
  return [...callStart, ...callInner, ...callEnd, ...pairs, ...others]
}
