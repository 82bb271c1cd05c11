import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { inProcess } from './helpers/in-process.ts'

const ADAPTERS = resolve(import.meta.dirname, '../../conformance/adapters')
const EXAMPLE = `node ${join(ADAPTERS, 'node-example/example-parser.mjs')}`
const GOLDEN = 'golden/own/parse.json'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'callspec-record-'))
  for (const name of ['fixtures/own', 'golden/own']) mkdirSync(join(folder, name), { recursive: true })
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function fixture(...cases: readonly object[]): void {
  const value = { op: 'parse', format: 'nous', cases }
  writeFileSync(join(folder, 'fixtures/own/parse.json'), JSON.stringify(value))
}

function textCase(id: string, text: string, more: object = { profile: 'strict' }): object {
  return { id, ...more, input: { text } }
}

function recorded(): unknown {
  return JSON.parse(readFileSync(join(folder, GOLDEN), 'utf8'))
}

function record(...more: readonly string[]): ReturnType<typeof inProcess> {
  return inProcess(['conformance', 'record', '--cases', 'fixtures', ...more], { cwd: folder })
}

describe('conformance record', () => {
  it('writes the answers of an implementation, and who gave them', async () => {
    fixture(textCase('own#prose', 'It is noon.'))

    const { code, stdout } = await record('--impl', EXAMPLE)

    expect(stdout).toBe('recorded  own#prose\n1 answer recorded in 1 file; all others are as they were\n')
    expect(code).toBe(0)
    expect(recorded()).toEqual({
      recordedFrom: { program: 'node-example', versions: { strict: { version: '1.0.0' } } },
      answers: [{ id: 'own#prose', expected: { content: 'It is noon.', calls: [] } }],
    })
  })

  it('changes nothing the second time, and nothing that compares as equal', async () => {
    fixture(textCase('own#prose', 'It is noon.'))
    const items = [{ type: 'text', text: 'It is noon.' }]
    const before = JSON.stringify({ answers: [{ id: 'own#prose', note: 'by hand', expected: { items } }] })
    writeFileSync(join(folder, GOLDEN), before)

    const { stdout } = await record('--impl', EXAMPLE)

    expect(stdout).toBe('0 answers recorded in 0 files; all others are as they were\n')
    expect(readFileSync(join(folder, GOLDEN), 'utf8')).toBe(before)
  })

  it('keeps what was not asked, and says what has no answer', async () => {
    fixture(
      textCase('own#both', 'Hello.', { profiles: ['strict', 'lenient:repair'] }),
      textCase('own#old', 'Hello.', { profile: 'lenient:repair' }),
      textCase('own#new', 'Hello.', { profile: 'lenient:repair' }),
    )
    const kept = { id: 'own#old', expected: { items: [] }, differs_from_main: true }
    const recordedFrom = { program: 'by hand', versions: { 'lenient:repair': { version: '1', commit: 'abc' } } }
    writeFileSync(join(folder, GOLDEN), JSON.stringify({ recordedFrom, answers: [kept] }))

    const { code, stderr } = await record('--impl', EXAMPLE)

    expect(code).toBe(0)
    expect(stderr).toContain('own#both@lenient:repair has no answer: the implementation does not claim it.')
    expect(stderr).toContain('own#new has no answer: the implementation does not claim it.')
    expect(recorded()).toEqual({
      recordedFrom: {
        program: 'by hand',
        versions: { 'lenient:repair': { version: '1', commit: 'abc' }, strict: { version: '1.0.0' } },
      },
      answers: [{ id: 'own#both@strict', expected: { content: 'Hello.', calls: [] } }, kept],
    })
  })

  it('writes nothing at all when the implementation breaks at one case', async () => {
    fixture(textCase('own#prose', 'Hello.'), textCase('own#crash', 'crash'))
    const script = `read -r line; case $line in *crash*) kill -9 $$;; *) echo '{"content": "Hello.", "calls": []}';; esac`

    const { code, stdout } = await record('--one-shot', script, '--format', 'nous')

    expect(code).toBe(1)
    expect(stdout).toContain('no answer  own#crash: was ended by SIGKILL')
    expect(stdout).toContain('nothing was written: 1 case without an answer')
    expect(() => statSync(join(folder, GOLDEN))).toThrow('ENOENT')
  })

  it('writes below another folder when one is named', async () => {
    fixture(textCase('own#prose', 'Hello.'))

    await record('--impl', EXAMPLE, '--output', 'elsewhere')

    expect(statSync(join(folder, 'elsewhere/own/parse.json')).isFile()).toBe(true)
  })

  it.each([
    [['--cases', '.'], 'Whose answers? Give --impl COMMAND, --one-shot COMMAND or --http URL.'],
    [['--impl', EXAMPLE], 'record needs --cases: which fixtures are to get answers?'],
  ])('refuses %j', async (words, message) => {
    fixture(textCase('own#prose', 'Hello.'))

    const { code, stderr } = await inProcess(['conformance', 'record', ...words], { cwd: folder })

    expect(code).toBe(2)
    expect(stderr).toContain(message)
  })
})
