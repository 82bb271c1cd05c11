import { FORMATS, joinParts } from '@callspec/core'
import { describe, expect, it } from 'vitest'
import { readChatMl } from '../src/wire.ts'
import { loadReferences, readReferences } from '../src/reference.ts'
import { jsonText, pythonText } from '../src/render.ts'
import { createReader } from '../src/situation.ts'
import type { Situation } from '../src/situation.ts'
import { formatSpeaker } from '../src/speak/format-speaker.ts'
import type { Prompt, WireMessage } from '../src/speak/speaker.ts'

const references = loadReferences()
const read = createReader(references)
const NO_HINTS = { task: null, step: null }
const NOUS_SYSTEM = { role: 'system', content: '# Tools\n<tools>\n</tools>' }

const prompt = (...messages: readonly WireMessage[]): Prompt => ({ messages, hasTools: false })
const find = (...messages: readonly WireMessage[]): Situation | null => read(prompt(...messages), NO_HINTS)

describe('what a request is about', () => {
  it('is found in a nous conversation by its messages, not by marks inside results', () => {
    const trap = references.find((reference) => reference.task === 'T04')
    if (trap === undefined) throw new Error('T04 is gone')

    const situation = find(
      NOUS_SYSTEM,
      { role: 'user', content: trap.query },
      { role: 'assistant', content: '<tool_call>\n{}\n</tool_call>' },
      { role: 'user', content: `<tool_response>\n${trap.observations[0] ?? ''}\n</tool_response>` },
    )

    expect(situation?.reference.task).toBe('T04')
    expect(situation?.results).toEqual(trap.observations)
  })

  it('counts a recorded result once, even if it holds the marks of the host on lines of their own', () => {
    const trap = 'a\n</tool_response>\n<tool_response>\nb'
    const [reference] = readReferences({
      tasks: [
        {
          id: 'X',
          query: 'Q?',
          tools: [],
          reference: { plan: [[{ name: 'a', args: {} }]], observations: [trap], final: 'F' },
        },
      ],
    })
    if (reference === undefined) throw new Error('no reference')

    const situation = createReader([reference])(
      prompt(
        NOUS_SYSTEM,
        { role: 'user', content: 'Q?' },
        { role: 'user', content: `<tool_response>\n${trap}\n</tool_response>` },
      ),
      NO_HINTS,
    )

    expect(situation?.results).toEqual([trap])
  })

  it('is found in the ✿ format, where the host merges everything into one user message', () => {
    const content =
      'What is 37 * 48 - 129? Use the calculator.\n\n✿FUNCTION✿: a\n✿ARGS✿: {}\n✿RESULT✿: {"a":1}\n✿RESULT✿: {"b":2}\n✿RETURN✿'

    const situation = find({ role: 'system', content: '✿FUNCTION✿: name' }, { role: 'user', content })

    expect(situation?.format).toBe('fncall-qwen')
    expect(situation?.results).toEqual(['{"a":1}', '{"b":2}'])
  })

  it('is found in a ReAct prompt', () => {
    const content =
      'Use the following format:\n\nObservation: the result of the action\n\nBegin!\n\nQuestion: 2024-02-29 是星期几？\nThought: a\nAction: b\nAction Input: {}\nObservation: {"c":3}\nThought: '

    const situation = find({ role: 'user', content })

    expect(situation?.reference.task).toBe('S04')
    expect(situation?.results).toEqual(['{"c":3}'])
  })

  it('is found in a ReAct prompt whose last part the model is to go on with', () => {
    const situation = find(
      { role: 'user', content: 'Begin!\n\nBegin!\n\nQuestion: 2024-02-29 是星期几？' },
      { role: 'assistant', content: '\nThought: a\nAction: b\nAction Input: {}\nObservation: {"c":3}\nThought: ' },
    )

    expect(situation?.results).toEqual(['{"c":3}'])
  })

  it('is found in native messages by counting those of tools', () => {
    const situation = read(
      {
        hasTools: true,
        messages: [
          { role: 'user', content: 'Translate "good morning" into French.' },
          { role: 'assistant', content: '' },
          { role: 'tool', content: 'one' },
          { role: 'tool', content: '<tool_response>\ntwo\n</tool_response>' },
        ],
      },
      NO_HINTS,
    )

    expect(situation).toMatchObject({
      format: 'native',
      reference: { task: 'I03' },
      results: ['one', '<tool_response>\ntwo\n</tool_response>'],
    })
  })

  it('may be given by the caller', () => {
    const messages = [NOUS_SYSTEM, { role: 'user', content: 'Something else.\n<tool_response>\n1\n</tool_response>' }]

    const situation = read(prompt(...messages), { task: 'S02', step: 2 })

    expect(situation).toMatchObject({ reference: { task: 'S02' }, results: ['1', ''] })
  })

  it('is unknown for a task that is not in the suite, and without a prompt of any format', () => {
    expect(find(NOUS_SYSTEM, { role: 'user', content: 'Tell me a joke.' })).toBeNull()
    expect(find({ role: 'user', content: 'What is 37 * 48 - 129? Use the calculator.' })).toBeNull()
    expect(read(prompt(NOUS_SYSTEM), { task: 'none', step: null })).toBeNull()
  })

  it('is the longest question that fits', () => {
    const row = (id: string, query: string): object => ({
      id,
      query,
      reference: { plan: [], observations: [], final: id },
    })
    const two = readReferences({ tasks: [row('short', 'Hi'), row('long', 'Hi\nthere')] })

    const situation = createReader(two)(prompt(NOUS_SYSTEM, { role: 'user', content: 'Hi\nthere' }), NO_HINTS)

    expect(situation?.reference.task).toBe('long')
  })
})

describe('a raw prompt', () => {
  it('is read as the messages that it was made from', () => {
    expect(
      readChatMl('<|im_start|>system\nS\nS<|im_end|>\n<|im_start|>user\nU<|im_end|>\n<|im_start|>assistant\n'),
    ).toEqual([
      { role: 'system', content: 'S\nS' },
      { role: 'user', content: 'U' },
    ])
    expect(readChatMl('<|im_start|>user\nU<|im_end|>\n<|im_start|>assistant\nThought: ')).toEqual([
      { role: 'user', content: 'U' },
      { role: 'assistant', content: 'Thought: ' },
    ])
    expect(readChatMl('just text')).toEqual([{ role: 'user', content: 'just text' }])
  })
})

describe('the words of a simulated model', () => {
  it('are JSON with spaces, and a tag inside a string is escaped', () => {
    expect(jsonText({ a: [1, null], b: '</tool_call> <x>' })).toBe('{"a": [1, null], "b": "\\u003c/tool_call> <x>"}')
  })

  it('are Python where the fault says so', () => {
    expect(pythonText({ a: [true, null, "it's", 'a"b'], n: 1.5 })).toBe(`{'a': [True, None, "it's", 'a"b'], 'n': 1.5}`)
  })
})

describe('the reference plans', () => {
  it('are those of the built-in suite, with the schemas of its tools', () => {
    expect(references).toHaveLength(42)
    expect(references[0]?.schemas.get('calculator')).toMatchObject({ required: ['expression'] })
  })

  it('leave out values that are not calls', () => {
    const plan = [null, 7, [], [null, { name: 5 }, { name: 'a' }], [{ name: 'b', args: { c: 1 } }]]

    const [reference] = readReferences({ tasks: [{ id: 'A', query: 'Q', reference: { plan, final: 'F' } }] })

    expect(reference?.plan).toEqual([[{ name: 'a', args: {} }], [{ name: 'b', args: { c: 1 } }]])
  })

  it('leave out what has no plan', () => {
    expect(readReferences({ tasks: [{ id: 'A', query: 'Q' }, 7, null] })).toEqual([])
    expect(readReferences(null)).toEqual([])
  })
})

describe('a raw prompt', () => {
  it.each(FORMATS.filter(({ prompt: write }) => write !== null).map((format) => [format.id, format] as const))(
    'with one result has at most one: %s',
    (_, format) => {
      const call = { id: 'call00001', type: 'function', function: { name: 'f', arguments: { a: 1 } } }
      const messages = [
        { role: 'user', content: 'Q?' },
        { role: 'assistant', content: '', tool_calls: [call] },
        { role: 'tool', tool_call_id: 'call00001', name: 'f', content: 'one result' },
      ]
      const outcome = format.prompt?.({
        messages: messages.map((message) => dictOf(message)),
        tools: [
          dictOf({ type: 'function', function: { name: 'f', description: 'F.', parameters: { type: 'object' } } }),
        ],
        options: new Map<string, string | boolean>([
          ['add_generation_prompt', true],
          ['date', '2026-01-15'],
        ]),
      })
      const raw = outcome?.kind === 'prompted' ? joinParts(outcome.parts) : ''
      const reading = formatSpeaker(format).read({ messages: [], hasTools: false, raw })
      const reference = references[0]

      expect(reading === null || reference === undefined ? 0 : reading.results(reference).length).toBeLessThanOrEqual(1)
    },
  )
})

/** Objects as maps, as prompts take them. */
function dictOf(value: unknown): never {
  if (Array.isArray(value)) return value.map(dictOf) as never
  if (typeof value !== 'object' || value === null) return value as never
  return new Map(Object.entries(value).map(([key, each]) => [key, dictOf(each)])) as never
}
