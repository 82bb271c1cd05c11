import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { callspec } from './helpers/binary.ts'
import { inProcess } from './helpers/in-process.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'callspec-cases-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const ID = 'nous/parse/mine#prose'
const CASE = { id: ID, profile: 'strict', about: 'Prose is prose.', input: { text: 'Hello.' } }
const FIXTURE = { op: 'parse', format: 'nous', topic: 'mine', about: 'My own cases.', cases: [CASE] }
const ANSWER = { id: ID, expected: { items: [{ type: 'text', text: 'Hello.' }] } }
const GOLDEN = { writtenFor: 'README.md', answers: [ANSWER] }
const TAXONOMY = {
  casesVersion: '1.0.0',
  formats: { nous: { about: 'Tags.', traits: [] } },
  topics: [{ topic: 'mine', about: 'Mine.', required: ['parse'] }],
  gaps: [],
  notCases: [],
}

function put(path: string, value: object): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), JSON.stringify(value))
}

function putSet(): void {
  put('fixtures/nous/parse/mine.json', FIXTURE)
  put('golden/nous/parse/mine.json', GOLDEN)
  put('taxonomy.json', TAXONOMY)
}

describe('callspec conformance lint', () => {
  it('finds nothing in the built-in cases', async () => {
    const { code, stdout } = await callspec(['conformance', 'lint'], { cwd: folder })

    expect(stdout).toMatch(/^\d+ cases in \d{3,4} files, 0 findings\n$/)
    expect(code).toBe(0)
  }, 30_000)

  it('takes a taxonomy for cases of one’s own', async () => {
    putSet()

    const { code, stdout } = await inProcess(
      ['conformance', 'lint', '--cases', 'fixtures', '--taxonomy', 'taxonomy.json'],
      { cwd: folder },
    )

    expect(stdout).toBe('1 case in 1 file, 0 findings\n')
    expect(code).toBe(0)
  })

  it.each([['fixtures/nous'], ['fixtures/react/parse/basic.json']])(
    'asks %s for nothing that concerns other formats',
    async (path) => {
      const root = join(import.meta.dirname, '../../..')

      const { code, stdout } = await inProcess(['conformance', 'lint', '--cases', path], { cwd: root })

      expect(stdout).toMatch(/^\d+ cases in \d+ files?, 0 findings\n$/)
      expect(code).toBe(0)
    },
  )

  it('names file and mistake, one per line, and disagrees', async () => {
    putSet()
    put('fixtures/nous/parse/mine.json', { ...FIXTURE, cases: [{ ...CASE, evidense: 'x' }] })

    const { code, stdout } = await callspec(
      ['conformance', 'lint', '--cases', 'fixtures', '--taxonomy', 'taxonomy.json'],
      { cwd: folder },
    )

    expect(stdout).toMatch(
      /^fixtures\/nous\/parse\/mine\.json: cases\/0\/evidense: .*\n0 cases in 1 file, 1 finding\n$/,
    )
    expect(code).toBe(1)
  })

  it('says what is wrong with a taxonomy', async () => {
    putSet()
    put('taxonomy.json', { ...TAXONOMY, topics: 3 })

    const { code, stderr } = await inProcess(
      ['conformance', 'lint', '--cases', 'fixtures', '--taxonomy', 'taxonomy.json'],
      { cwd: folder },
    )

    expect(stderr).toContain('taxonomy.json: is no taxonomy: topics: ')
    expect(code).toBe(2)
  })
})

describe('callspec conformance show', () => {
  it('says what a case is about, and where it was reported', async () => {
    putSet()
    put('fixtures/nous/parse/mine.json', { ...FIXTURE, cases: [{ ...CASE, evidence: ['https://example.org/1'] }] })

    const { stdout } = await inProcess(['conformance', 'show', ID, '--cases', 'fixtures'], { cwd: folder })

    expect(stdout).toContain('\nabout     Prose is prose.\nsee       https://example.org/1\nsource    spec: ')
  })

  it('says what its answer was taken from, and where markers are no tokens', async () => {
    putSet()
    const provenance = {
      kind: 'engine-test',
      source: 'tests/x.py',
      revision: '4594fc3',
      licence: 'Apache-2.0',
      sha256: '95a231a15c8c976a',
    }
    put('fixtures/nous/parse/mine.json', { ...FIXTURE, cases: [{ ...CASE, provenance, plain: [[0, 2]] }] })

    const { stdout } = await inProcess(['conformance', 'show', ID, '--cases', 'fixtures'], { cwd: folder })

    expect(stdout).toContain(
      '\nsource    engine test: tests/x.py, revision 4594fc3, Apache-2.0, sha256 95a231a15c8c976a' +
        '\nplain     0–2: markers there are ordinary characters\n\ninput\n',
    )
  })

  it('says what of its provenance is wrong', async () => {
    putSet()
    put('fixtures/nous/parse/mine.json', {
      ...FIXTURE,
      cases: [{ ...CASE, provenance: { kind: 'rumour', source: 'x' } }],
    })

    const { code, stderr } = await inProcess(['conformance', 'show', ID, '--cases', 'fixtures'], { cwd: folder })

    expect(stderr).toContain('has no "provenance.kind" that is one of template, parser, engine-test, report, spec.')
    expect(code).toBe(2)
  })
})

describe('the version of the cases', () => {
  it('is printed with their numbers', async () => {
    const { code, stdout } = await inProcess(['conformance', 'version'], { cwd: folder })

    expect(stdout).toMatch(/^cases \d+\.\d+\.\d+, callspec \S+, protocol 1\n\n/)
    expect(stdout).toMatch(/^nous +\d+: loop \d+, parse \d+, render \d+, stop \d+, stream \d+$/m)
    expect(stdout).toMatch(/^\d+ cases$/m)
    expect(code).toBe(0)
  }, 30_000)

  it('is in every result about them, with who answered', async () => {
    const { stdout } = await inProcess(
      ['conformance', 'run', '--format', 'nous', '--op', 'stop', '--json', 'out.jsonl', '--junit', 'out.xml'],
      { cwd: folder },
    )
    const lines = readFileSync(join(folder, 'out.jsonl'), 'utf8').trimEnd().split('\n')

    expect(stdout).toMatch(/\ncases 0\.6\.0, callspec \S+\n\d+ passed/)
    for (const line of lines) expect(line).toMatch(/"cases": "0\.6\.0", "implementation": "callspec [^"]+"}$/)
    expect(readFileSync(join(folder, 'out.xml'), 'utf8')).toContain('<property name="cases" value="0.6.0"/>')
  })

  it('is not claimed for cases of one’s own', async () => {
    putSet()

    const version = await inProcess(['conformance', 'version', '--cases', 'fixtures'], { cwd: folder })
    const run = await inProcess(['conformance', 'run', '--cases', 'fixtures'], { cwd: folder })

    expect(version.stdout).toMatch(/^cases of your own, /)
    expect(run.stdout).not.toContain('cases 0')
  })
})
