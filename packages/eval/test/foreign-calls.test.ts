import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { formatNamed } from '@callspec/core'
import { describe, expect, it } from 'vitest'
import { evalFormat } from '../src/formats/table.ts'
import { labelTurn } from '../src/score/label-turn.ts'
import { callFormats, foreignCall } from '../src/reading/foreign-calls.ts'
import { bareBlocks, outsideCode, splitThought } from '../src/reading/read-blocks.ts'

const VECTORS = resolve(import.meta.dirname, '../../../../shared/vectors/formats')

/** What a maker's format is called where one line stands for several of the same opening. */
const ONE_LINE: Readonly<Record<string, readonly string[]>> = {
  'deepseek-v4': ['deepseek-v3.2'],
  'glm-4.7': ['glm-4.5'],
  command4: ['command-r7b'],
  'qwen3.5': ['qwen3-coder'],
  'llama-4': ['llama-4', 'pythonic'],
  // Some of its servers leave out the id.
  'mistral-v11': ['mistral-v11', 'mistral-v13'],
}

interface Vector {
  readonly id: string
  readonly format: string
  readonly profile: string
  readonly input: { readonly text: string }
  readonly expected?: { readonly calls?: readonly unknown[] }
}

function strictVectors(): readonly Vector[] {
  // There are vectors of families, too, that callspec does not know yet.
  const known = readdirSync(VECTORS).filter((folder) => formatNamed(folder) !== null)
  return known.flatMap((folder) => {
    const path = resolve(VECTORS, folder, 'parse.jsonl')
    const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n') : []
    // Some hold numbers that JSON has not.
    const plain = lines.filter((line) => line !== '').map((line) => line.replaceAll(/: (?:-?Infinity|NaN)/g, ': null'))
    return plain.map((line) => JSON.parse(line) as Vector).filter(({ profile }) => profile === 'strict')
  })
}

describe.skipIf(!existsSync(VECTORS))('what the makers of the formats write', () => {
  it('is recognised as a call of that format, and prose as none', () => {
    const vectors = strictVectors()
    const missed: string[] = []
    for (const { id, format, input, expected } of vectors) {
      const { visible } = splitThought(input.text)
      const found = foreignCall(visible)
      const isBare = format === 'llama3-json' && bareBlocks(visible).length > 0
      const wanted = (expected?.calls ?? []).length > 0
      const named = found === null ? isBare : (ONE_LINE[format] ?? [format]).includes(found.format)
      // An empty block is a mark with nothing in it; a text that is not a call is not read.
      if (wanted ? !named : found?.isWhole === true) missed.push(`${id}: ${found?.format ?? 'nothing'}`)
    }
    expect(vectors.length).toBeGreaterThan(900)
    expect(missed).toEqual([])
  })
})

describe('an opening', () => {
  it('has one line', () => {
    const ids = callFormats().map(({ id }) => id)

    expect(new Set(ids).size).toBe(ids.length)
  })

  it.each([
    'A nous call begins with <tool_call> and ends with </tool_call>.',
    'Write [TOOL_CALLS] and then a list.',
    'The channel says to=functions and a name.',
    'See [the manual](https://example.com/a(b)) and [a(b)](c).',
    '1 < 2, and [1, 2] is a list.',
    '>>> print(1)\n1',
    'Use functools[0].',
  ])('does not stand in prose: %s', (text) => {
    expect(foreignCall(text)).toBeNull()
    expect(labelTurn(nativeReply(text)).strict).toBe('final_answer')
  })

  it.each([
    ['<tool_call>\n{"name": "clock", "arguments": {"a": ', 'nous'],
    ['<function=clock>\n<parameter=zone>\nUT', 'qwen3-coder'],
    ['[TOOL_CALLS]clock[ARGS]{"zone": "U', 'mistral-v13'],
  ])('whose call breaks off is one that no parser can read: %s', (text, format) => {
    expect(foreignCall(text)).toEqual({ format, start: 0, isWhole: false })
  })

  // A reader that goes through the rest of the text at every mark would take minutes.
  it.each([
    '<tool_call>',
    '[TOOL_CALLS]',
    '<function=a>',
    '[a(b=',
    '<tool_call>a',
    '`',
    '``` `',
    'to=functions.a ',
    '<|tool_call|>[{',
  ])('may be repeated half a million times: %s', (mark) => {
    const text = mark.repeat(500_000)

    expect(outsideCode(text)).toHaveLength(text.length)
    expect(foreignCall(text)?.isWhole ?? false).toBe(false)
  })
})

describe('code in an answer', () => {
  const CALL = '{"name": "clock", "arguments": {}}'

  it('is blank, and everything else stays where it is', () => {
    const text = `Write \`${CALL}\`, or:\n\`\`\`json\n${CALL}\n\`\`\`\nThat is all.`

    const outside = outsideCode(text)

    expect(outside).toHaveLength(text.length)
    expect(outside.replaceAll(/ +/g, ' ')).toBe('Write , or:\n \nThat is all.')
    expect(labelTurn(nativeReply(text)).strict).toBe('final_answer')
  })

  it('is the reply where it ends it with little before it', () => {
    const text = `I look.\n\`\`\`json\n${CALL}\n\`\`\``

    expect(outsideCode(text)).toBe(text)
    expect(labelTurn(nativeReply(text)).strict).toBe('malformed')
    expect(labelTurn(nativeReply(`${'I explain it. '.repeat(20)}${text}`)).strict).toBe('final_answer')
  })

  it('stays where the format itself has a fence', () => {
    const text = 'Hm. <｜tool▁call▁begin｜>function<｜tool▁sep｜>clock\n```json\n{}\n```<｜tool▁call▁end｜> And so on.'

    expect(foreignCall(outsideCode(text))).toEqual({ format: 'deepseek-v3', start: 4, isWhole: true })
  })
})

function nativeReply(text: string): Parameters<typeof labelTurn>[0] {
  return { format: evalFormat('native'), text, reasoning: null, finishReason: 'stop', failed: false, tools: null }
}
