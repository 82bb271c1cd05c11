import { describe, expect, it } from 'vitest'
import type { Format } from '../../src/format/format.ts'
import { deepseekV31 } from '../../src/formats/deepseek-v3/index.ts'
import { minimaxM2 } from '../../src/formats/minimax-m2/index.ts'
import { minimaxM3 } from '../../src/formats/minimax-m3/index.ts'
import { nous } from '../../src/formats/nous/index.ts'
import { qwen } from '../../src/formats/qwen/index.ts'
import { react } from '../../src/formats/react/index.ts'
import type { Reply } from '../../src/reply/item.ts'
import { isStrict } from '../../src/reply/item.ts'

const inFlowers = (json: string): string => `✿FUNCTION✿: f\n✿ARGS✿: ${json}`
const asAction = (json: string): string => `I see.\nAction: f\nAction Input: ${json}`
const inTags = (json: string): string => `<tool_call>\n{"name": "f", "arguments": ${json}}\n</tool_call>`

/** The harms of a reply, which must be the same where it arrives by single characters. */
function harms(format: Format, text: string): readonly string[] {
  const reader = format.createReader()
  for (const character of text) {
    reader.push(character)
    reader.snapshot()
  }
  const whole = format.read(text)
  expect(codes(reader.snapshot())).toEqual(codes(whole))
  return codes(whole)
}

function codes({ items }: Reply): readonly string[] {
  return items.flatMap((item) => (item.kind === 'issue' && item.weight === 'harm' ? [item.code] : []))
}

describe('arguments that are handed on unchanged', () => {
  it.each([
    [qwen, inFlowers],
    [react, asAction],
  ] as const)('are a harm where they are no JSON object: $id', (format, call) => {
    expect(harms(format, call('{"a": 1}'))).toEqual([])
    expect(harms(format, call('{"a": "NaN, -Infinity"}'))).toEqual([])
    expect(harms(format, call('{"a": NaN}'))).toEqual(['arguments-not-json'])
    expect(harms(format, call('{"a": [-Infinity]}'))).toEqual(['arguments-not-json'])
    expect(harms(format, call('{"a": 1'))).toEqual(['arguments-not-json'])
    expect(harms(format, call('["a"]'))).toEqual(['arguments-not-object'])
    expect(harms(format, call('"{}"'))).toEqual(['arguments-not-object'])
    expect(harms(format, call('7'))).toEqual(['arguments-not-object'])
    expect(harms(format, call('```py\nprint(1)\n```'))).toEqual([])
  })

  it('are a harm where Python alone has them for JSON', () => {
    expect(harms(nous, inTags('{"a": NaN}'))).toEqual(['arguments-not-json'])
    expect(harms(nous, inTags('{"a": 1e999}'))).toEqual(['arguments-not-json'])
    expect(harms(nous, inTags('{"a": "NaN"}'))).toEqual([])
    expect(isStrict(nous.read(inTags('{"a": Infinity}'), { version: 'qwen-agent@v0.0.13' }).items)).toBe(false)
  })

  it('are a harm where text is in the place of tags, also text that looks like JSON', () => {
    const mark = ']<]minimax[>['
    const call = (inside: string): string =>
      `${mark}<tool_call>${mark}<invoke name="f">${inside}${mark}</invoke>\n${mark}</tool_call>`

    expect(harms(minimaxM3, call(`${mark}<a>1${mark}</a>`))).toEqual([])
    expect(harms(minimaxM3, call(''))).toEqual([])
    expect(harms(minimaxM3, call('soon'))).toEqual(['arguments-not-object'])
    expect(harms(minimaxM3, call('{"a": 1}'))).toEqual(['arguments-not-object'])
  })

  it('are JSON with escapes in their texts, too', () => {
    const call = (json: string): string =>
      `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>f<｜tool▁sep｜>${json}<｜tool▁call▁end｜><｜tool▁calls▁end｜>`

    expect(harms(deepseekV31, call(`{"a": "${'\\n\\u00e9'.repeat(20)}"}`))).toEqual([])
    expect(harms(deepseekV31, call('{"a": "\\x"}'))).toEqual(['arguments-not-json'])
  })

  it('are quoted with their first characters where an issue names a long one', () => {
    const value = `<parameter name="${'k'.repeat(70)}">UTC`
    const { items } = minimaxM2.read(
      `<minimax:tool_call>\n<invoke name="f">\n${value}\n</invoke>\n</minimax:tool_call>`,
    )
    const message = items
      .map((item) => (item.kind === 'issue' ? item.message : ''))
      .find((each) => each.includes('Missing'))

    expect(message).toMatch(/ after "k{59}…"\.$/)
  })
})
