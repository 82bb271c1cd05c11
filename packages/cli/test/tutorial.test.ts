import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runProgram } from '../src/main.ts'
import { createOutput } from '../src/output.ts'
import { callspec } from './helpers/binary.ts'
import { folderWith } from './helpers/folder.ts'
import { inProcess } from './helpers/in-process.ts'

const ANSWERS = `[
  // The table of contents, then one answer per chapter.
  '{"title": "MySQL", "directory": [{"Basics": ["Tables", "Keys"]}, {"Queries": ["SELECT"]}]}',
  '## Basics',
  '## Queries',
]`
const DOCUMENT = '# MySQL\n\n\n## Basics\n\n\n## Queries\n'

/** A run whose streams are terminals. */
async function onTerminal(words: readonly string[]) {
  const written = { stdout: '', stderr: '' }
  const stdout = { isTTY: true, write: (text: string) => (written.stdout += text) }
  const stderr = { isTTY: true, write: (text: string) => (written.stderr += text) }
  const output = createOutput({ stdout, stderr, environment: {}, clock: () => 0 })
  return { code: await runProgram(words, { output, environment: {} }), ...written }
}

describe('callspec tutorial', () => {
  it('prints the document, and on the side what it does', async () => {
    const cwd = folderWith({ 'answers.json5': ANSWERS })

    const finished = await callspec(['tutorial', 'answers.json5', '--topic', 'About MySQL'], { cwd })

    expect(finished).toEqual({
      code: 0,
      stdout: DOCUMENT,
      stderr:
        'table of contents\n' +
        "chapter 1 of 2: {'Basics': ['Tables', 'Keys']}\n" +
        "chapter 2 of 2: {'Queries': ['SELECT']}\n" +
        'done: MetaGPT writes this to <date>/MySQL.md\n',
    })
  })

  it.each(['main', 'v0.8.2', 'metagpt@v0.8.1'])(
    'writes the same document in %s, to a file if asked to',
    async (profile) => {
      const cwd = folderWith({ 'answers.json5': `{answers: ${ANSWERS}, topic: 'About MySQL', language: 'English'}` })

      const { code, stdout } = await inProcess(['tutorial', 'answers.json5', '--profile', profile, '-o', 'out.md'], {
        cwd,
      })

      expect([code, stdout]).toEqual([0, ''])
      expect(readFileSync(join(cwd, 'out.md'), 'utf8')).toBe(DOCUMENT)
    },
  )

  it('prints the prompts instead, as far as there are answers', async () => {
    const cwd = folderWith({ 'answers.json5': ANSWERS })

    const none = await inProcess(['tutorial', '--topic', 'T', '--prompts', '--language', 'English'])
    const all = await inProcess(['tutorial', 'answers.json5', '--topic', 'T', '--prompts'], { cwd })

    expect(none.code).toBe(0)
    expect(none.stdout.split('\n').slice(0, 6)).toEqual([
      '=== call 1: system ===',
      "You are a Tutorial Assistant, named Stitch, your goal is Generate tutorial documents. the constraint is Strictly follow Markdown's syntax, with neat and standardized layout. ",
      '=== call 1: user ===',
      '',
      'You are now a seasoned technical professional in the field of the internet. ',
      'We need you to write a technical tutorial with the topic "T".',
    ])
    expect(none.stdout).toContain('specified language, English.')
    expect(all.stdout.match(/^=== call \d: \w+ ===$/gm)).toEqual(
      ['1', '2', '3'].flatMap((call) => [`=== call ${call}: system ===`, `=== call ${call}: user ===`]),
    )
  })

  it('lets no model move the cursor of a terminal, and changes nothing in a file', async () => {
    const cwd = folderWith({ 'a.json5': `['{"title": "T\\u001b[2J", "directory": []}']` })
    const words = ['tutorial', join(cwd, 'a.json5'), '--topic', 'T\u001b[5m']
    const { code, stdout, stderr } = await onTerminal(words)
    const prompts = await onTerminal([...words, '--prompts'])

    expect([code, stdout]).toEqual([0, '# T\\u001b[2J\n'])
    expect(stderr + prompts.stdout + prompts.stderr).not.toContain('\u001b')
    expect((await inProcess(words)).stdout).toBe('# T\u001b[2J\n')
  })

  it('says what the reference raises', async () => {
    const { code, stdout, stderr } = await callspec(['tutorial', '-', '--topic', 'T'], { input: '["I cannot."]' })

    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toBe(
      "table of contents\ncallspec: metagpt@v0.8.1 raises TypeError: 'NoneType' object is not iterable\n",
    )
  })

  it.each([
    [['tutorial', '--topic', 'T'], '', 'callspec: Which answers? Give a JSON5 file, or --prompts.\n'],
    [['tutorial', '-'], '[]', 'callspec: What is the tutorial about? Give --topic TEXT.\n'],
    [
      ['tutorial', '-', '--topic', 'T'],
      '[\n1]',
      'callspec: stdin:2: answer 1 is no text. Put what the model says in quotes.\n',
    ],
    [
      ['tutorial', '-', '--topic', 'T'],
      '{anwsers: []}',
      'callspec: stdin:1: unknown key "anwsers". Did you mean answers?\n',
    ],
    [
      ['tutorial', '-', '--topic', 'T'],
      '',
      'callspec: stdin: the file is empty. It must hold an object with "answers".\n',
    ],
    [['tutorial', '-', '--topic', 'T'], '1', 'callspec: stdin: this is neither an object nor a list of answers.\n'],
    [
      ['tutorial', '-', '--topic', 'T'],
      '{messages: []}',
      'callspec: stdin:1: unknown key "messages". Known: answers, topic, language, profile.\n',
    ],
    [['tutorial', '-', '--topic', 'T', '--profile', 'v0.8.3'], '[]', 'Known profiles: main, v0.8.2, v0.8.1.\n'],
    [
      ['tutorial', '-', '--topic', 'T'],
      '[]',
      'callspec: stdin: call 1 has no answer: the file holds 0 answers. Add one per chapter.\n',
    ],
  ])('refuses %j with %j', async (words, input, message) => {
    const { code, stdout, stderr } = await inProcess(words, { input })

    expect([code, stdout]).toEqual([2, ''])
    expect(stderr.endsWith(message) ? message : stderr).toBe(message)
  })
})
