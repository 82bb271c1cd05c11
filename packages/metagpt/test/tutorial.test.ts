import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { extractStruct } from '../src/extract-struct.ts'
import { METAGPT_PROFILE_NAMES } from '../src/profile.ts'
import { tutorialAssistant } from '../src/role.ts'
import { documentLiteral, tutorialPath } from '../src/tutorial/tutorial.ts'
import { repr, attempt } from '@callspec/python'
import { play, saying, version } from './helpers.ts'

function assistant(name: (typeof METAGPT_PROFILE_NAMES)[number] = 'main') {
  return tutorialAssistant({ version: version(name), folder: 'out/2024' })
}

const DIRECTORY = `{"title": "T", "directory": [{"A": ["a1"]}, {"B": []}]}`

describe('a tutorial', () => {
  it.each(METAGPT_PROFILE_NAMES)('is one call for the contents and one per chapter in %s', (name) => {
    const { last, asked, state } = play(assistant(name), saying(DIRECTORY, ' one ', 'two'), { input: 'topic' })

    expect(asked.length).toBe(3)
    expect(last).toMatchObject({
      reason: 'action-limit',
      response: { content: 'out/2024/T.md', role: 'Tutorial Assistant' },
      file: { path: 'out/2024/T.md', text: '# T\n\n\n one \n\n\ntwo' },
    })
    expect(state.memory.map(({ content }) => content)).toEqual(['topic'])
  })

  it('shows the whole entry of a chapter as a Python literal', () => {
    const { asked } = play(assistant(), saying(`{"title": "T", "directory": [{"It's": ("x",), 2: [None]}]}`, 'body'), {
      input: 'topic {directory}',
    })

    const prompt = asked[1]?.type === 'ask-model' ? asked[1].prompt : ''
    expect(prompt.split('\n').find((line) => line.startsWith('{'))).toBe(`{"It's": ('x',), 2: [None]}`)
    expect(prompt).toContain('with the topic "topic {directory}".')
  })

  it.each([
    ['I cannot.', 'TypeError', '# None'],
    ['{"title": "T"}', 'TypeError', '# T'],
    ['{"title": "T", "directory": [{}]}', 'IndexError', '# T'],
    ['{"title": "T", "directory": ["A"]}', 'ValidationError', '# T'],
    ['{"title": "T", "directory": [{"A": 5}]}', 'TypeError', '# T'],
    ['{"title": "T", "directory": [{"A": ["x"]}, {"B": None}]}', 'TypeError', '# T'],
    ['{"title": true}', 'Exception', ''],
    ['{{"title": "T"}}', 'TypeError', ''],
  ])('with %s as contents is a %s after %j was written', (text, type, document) => {
    const { last, state } = play(assistant(), saying(text), { input: 'topic' })

    expect(last).toMatchObject({ reason: 'raised', error: { type }, file: null })
    expect([state.tutorial.document, state.actions.length, state.memory]).toEqual([document, 1, []])
  })

  it.each([String.raw`\ud83d`, String.raw`\ud83d\ude00`, String.raw`T \ud83d\ude00!`])(
    'cannot be written when its title has halves of a character: %s',
    (title) => {
      const { last } = play(assistant(), saying(`{"title": "${title}", "directory": []}`), { input: 'topic' })

      expect(last).toMatchObject({ reason: 'raised', error: { type: 'UnicodeEncodeError' } })
    },
  )

  it('is written when its title has a character outside of the basic plane, or a list of halves', () => {
    const whole = play(assistant(), saying('{"title": "😀", "directory": []}'), { input: 'topic' })
    const listed = play(assistant(), saying(String.raw`{"title": ["\ud83d\ude00"], "directory": []}`), {
      input: 'topic',
    })

    expect(whole.last).toMatchObject({ file: { text: '# 😀' } })
    expect(listed.last).toMatchObject({ file: { text: String.raw`# ['\ud83d\ude00']` } })
  })

  it('keeps halves apart in the document', () => {
    const { state } = play(assistant(), saying(String.raw`{"title": "a\ud83d\ude00b", "directory": []}`), {
      input: 'topic',
    })

    expect(documentLiteral(state.tutorial)).toEqual({
      kind: 'code-points',
      codePoints: [0x23, 0x20, 0x61, 0xd83d, 0xde00, 0x62],
    })
  })

  it('written twice by one assistant has both titles in a row, and the old chapters again', () => {
    const first = play(assistant(), saying('{"title": "T", "directory": [{"A": []}]}', 'a'), { input: 'one' })
    const second = play(assistant(), saying('{"title": "U", "directory": [{"B": []}]}', 'a2', 'b'), {
      input: 'two',
      state: first.state,
    })

    expect(second.state.tutorial.document).toBe('# T\n\n\na# U\n\n\na2\n\n\nb')
  })

  it.each([
    ['T', 'out/T.md'],
    ['TCP/IP', 'out/TCP/IP.md'],
    ['/etc/x', '/etc/x.md'],
    ['./a//b/.', 'out/a/b/..md'],
  ])('%j is written to %s', (mainTitle, path) => {
    expect(tutorialPath('out', { topic: '', document: '', mainTitle })).toBe(path)
  })
})

describe('extractStruct', () => {
  it('gives a map, a list or a raise for every text', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...`{}[]()'":,1a. \n`), maxLength: 30 }), (text) => {
        const outcome = attempt(() => extractStruct(text, 'dict'))

        if (outcome.kind === 'raised') expect(['Exception', 'TypeError']).toContain(outcome.error.type)
        else expect(repr(outcome.value)).toMatch(/^[[{]/)
      }),
      { numRuns: 1000 },
    )
  })

  it('takes a tuple of two structures for none', () => {
    expect(attempt(() => extractStruct('{"a": 1}, {"b": 2}', 'dict'))).toEqual({
      kind: 'raised',
      error: {
        type: 'Exception',
        message:
          "Error while extracting and parsing the <class 'dict'>: The extracted structure is not a <class 'dict'>.",
      },
    })
  })
})
