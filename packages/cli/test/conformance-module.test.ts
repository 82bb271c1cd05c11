import { describe, expect, it } from 'vitest'
import { folderWith } from './helpers/folder.ts'
import { inProcess } from './helpers/in-process.ts'
import { onlyLong } from '../../tidy/test/share.ts'

const CASES = `${['all prose', 'throws', 'refuses', 'odd']
  .map((text) => {
    const expected =
      text === 'refuses' ? { error: { type: 'E', message: '' } } : { expected: { items: [{ type: 'text', text }] } }
    return JSON.stringify({ id: text, op: 'parse', format: 'nous', profile: 'strict', input: { text }, ...expected })
  })
  .join('\n')}\n`

const MODULE = `export const format = {
  id: 'nous',
  parse(text) {
    if (text === 'throws') throw new TypeError('no such member')
    if (text === 'refuses') throw new SyntaxError('no call')
    if (text === 'odd') return [text]
    return { kind: 'parsed', messages: [{ role: 'assistant', content: text }], issues: [] }
  },
}
`
const FILES = { 'cases.jsonl': CASES, 'mine.mjs': MODULE, 'other.mjs': MODULE.replace("'nous'", "'xml'") }

describe('callspec conformance run --format FILE', () => {
  it('asks the module of the user, in this process', async () => {
    const words = ['conformance', 'run', '--format', './mine.mjs', '--cases', 'cases.jsonl']

    const { code, stdout } = await inProcess(words, { cwd: folderWith(FILES) })

    expect(stdout).toContain('! throws\n  errored   threw TypeError: no such member\n')
    expect(stdout).toContain('! odd\n  errored   threw TypeError: ./mine.mjs: parse gave back a list')
    expect(stdout).toContain('  replay    callspec conformance run --format ./mine.mjs --cases cases.jsonl --id odd\n')
    expect(stdout).toContain('./mine.mjs, called in this process\n2 passed, 0 failed, 2 errored, 0 skipped\n')
    expect(code).toBe(1)
  })

  onlyLong(() => {
    it('finds the built-in cases by the id of the format', async () => {
      const words = ['conformance', 'run', '--format', './mine.mjs', '--op', 'parse']

      const { stdout } = await inProcess(words, { cwd: folderWith(FILES) })

      // Prose is all that it can read.
      expect(stdout).toMatch(/\n[1-9]\d* passed, [1-9]\d* failed, 0 errored, [1-9]\d* skipped\n$/)
      expect(stdout).toMatch(/^nous parse /m)
    })
  })

  it.each([
    [
      'there are no cases for',
      ['--format', './other.mjs'],
      'there are no cases about "xml", the format of ./other.mjs. Name some with --cases.',
    ],
    [
      'a program is named too',
      ['--format', './mine.mjs', '--impl', 'cat'],
      '--format ./mine.mjs and --impl name two implementations. Give one.',
    ],
  ])('says in one line when %s', async (_, words, message) => {
    const { code, stderr } = await inProcess(['conformance', 'run', ...words], { cwd: folderWith(FILES) })

    expect(stderr).toBe(`callspec: ${message}\n`)
    expect(code).toBe(2)
  })
})
