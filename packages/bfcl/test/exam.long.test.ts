import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Tokenizer } from '@callspec/core/qwen-agent'
import { describe, expect, it } from 'vitest'
import { readLines } from '@callspec/eval'
import { createExam, readExamReply, rougeL } from '../src/qwen-exam.ts'

const EXAM = fileURLToPath(new URL('../../../../shared/data/zh_react_exam_substitute.jsonl', import.meta.url))

/** One token per character. */
const characters: Tokenizer = {
  encode: (text) => [...text].map((character) => character.codePointAt(0) ?? 0),
  decode: (tokens) => String.fromCodePoint(...tokens),
  pieces: (text) => [...text].map((character) => new TextEncoder().encode(character)),
  count: (text) => [...text].length,
}

const CALL = 'Thought: 查一下\nAction: Weather\nAction Input: {"city": "北京", "b": 1}'

describe('a reply', () => {
  it('is read between its first marks, its input with sorted keys', () => {
    expect(readExamReply(`${CALL}\nObservation: x\nAction: other`)).toEqual({
      action: 'Weather',
      input: '{"b": 1, "city": "北京"}',
    })
  })

  it('has an input without an Observation too, also as JSON5', () => {
    expect(readExamReply("Action: a\nAction Input: {city: 'x',}").input).toBe('{"city": "x"}')
  })

  it('has no input if it is not JSON5', () => {
    expect(readExamReply('Action: a\nAction Input: {"a": ').input).toBe('')
  })

  it('without marks is cut where Python would cut it', () => {
    // find() gives -1: the action begins at the seventh character and ends before the last one.
    expect(readExamReply('0123456789').action).toBe('6789')
  })
})

describe('ROUGE-L', () => {
  it.each([
    ['a b c d', 'a x c d', 0.75],
    ['a b c', 'c b a', 1 / 3],
    ['a', 'a b c', 0.5],
    ['', 'a', 0],
    ['a', 'b', 0],
  ])('of %j and %j is %d', (one, other, value) => {
    const words = (text: string): readonly string[] => text.split(' ').filter((word) => word !== '')
    expect(rougeL(words(one), words(other))).toBeCloseTo(value, 12)
  })
})

describe('the exam', () => {
  it('counts right tools, inputs and needless calls', () => {
    const exam = createExam(characters)
    exam.add({ expected: CALL, reply: CALL.replace('Weather', 'weather'), needsTool: true })
    exam.add({ expected: CALL, reply: CALL.replace('Action: ', 'Action:'), needsTool: true })
    exam.add({ expected: CALL, reply: 'Final Answer: 不知道', needsTool: true })
    exam.add({ expected: 'Final Answer: x', reply: CALL, needsTool: false })
    exam.add({ expected: 'Final Answer: x', reply: 'Action: at the very start', needsTool: false })
    const { toolSelection, inputRougeL, falsePositive } = exam.figures()

    expect([toolSelection.hits, toolSelection.of]).toEqual([1, 3])
    expect(inputRougeL).toBeCloseTo(2 / 3, 12)
    expect([falsePositive.hits, falsePositive.of]).toEqual([1, 2])
  })

  it('has no figures without items', () => {
    expect(createExam(characters).figures()).toMatchObject({
      toolSelection: { rate: null },
      inputRougeL: null,
      falsePositive: { rate: null },
    })
  })

  it.skipIf(!existsSync(EXAM))('is passed by its own answers (skipped without ../shared)', async () => {
    const exam = createExam(characters)
    for await (const line of readLines(EXAM)) {
      const row = JSON.parse(line) as { readonly kind: string; readonly response: string }
      exam.add({ expected: row.response, reply: row.response, needsTool: row.kind === 'positive' })
    }
    const { toolSelection, inputRougeL, falsePositive } = exam.figures()

    expect([toolSelection.hits, toolSelection.of]).toEqual([212, 212])
    expect(inputRougeL).toBeCloseTo(1, 12)
    expect([falsePositive.hits, falsePositive.of]).toEqual([0, 50])
  })
})
