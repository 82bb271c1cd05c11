import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { askedFormat, caseLine, findCaseFiles, openSession, readCases, runSuite } from '@callspec/conformance'
import type { Case } from '@callspec/conformance'
import { afterAll, describe, expect, it } from 'vitest'

const PACKAGE = resolve(import.meta.dirname, '..')
const REPOSITORY = resolve(PACKAGE, '../..')
const LINES = join(PACKAGE, 'data/cases')
const hasPytest = spawnSync('python3', ['-m', 'pytest', '--version']).status === 0

const folder = mkdtempSync(join(tmpdir(), 'callspec-vendor-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function casesIn(paths: readonly string[]): Promise<readonly Case[]> {
  return listOf(readCases(await findCaseFiles(paths)))
}

async function listOf<T>(given: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = []
  for await (const each of given) all.push(each)
  return all
}

const isQuestion = ({ op, profile }: Case): boolean =>
  profile === 'strict' && (op === 'parse' || op === 'stream' || op === 'render')

describe('cases as JSON Lines', () => {
  it('are there for every format that has strict cases, and for every version of one', async () => {
    const folders = readdirSync(join(REPOSITORY, 'fixtures'), { withFileTypes: true })
    const formats = folders.filter(
      (entry) =>
        entry.isDirectory() &&
        !['metagpt', 'qwen-agent', 'laws', 'response-template', 'transcripts'].includes(entry.name),
    )

    const names = new Set(formats.map(({ name }) => name))
    for (const item of await casesIn([join(REPOSITORY, 'fixtures')])) {
      const name = askedFormat(item)
      if (name !== null && name !== item.format) names.add(name)
    }

    expect([...names]).toContain('glm-4.7@ling-3')
    expect(readdirSync(LINES).toSorted()).toEqual([...names].map((name) => `${name}.jsonl`).toSorted())
  })

  it.each(['react', 'harmony'])('of %s are read back as the same cases, with the same answers', async (format) => {
    const made = (await casesIn([join(REPOSITORY, 'fixtures', format)])).filter(isQuestion)
    const path = join(folder, `${format}.jsonl`)
    writeFileSync(path, made.map((item) => `${caseLine(item)}\n`).join(''))

    const read = await casesIn([path])

    // The source of a case is left out; data/sources.json lists them.
    const bare = (all: readonly Case[]): unknown => all.map((item) => ({ ...item, where: null, provenance: null }))
    expect(made.length).toBeGreaterThan(50)
    expect(bare(read)).toEqual(bare(made))
    expect(readFileSync(join(LINES, `${format}.jsonl`), 'utf8')).toBe(readFileSync(path, 'utf8'))
  })
})

describe.skipIf(!hasPytest)('vendor/test_callspec.py (skipped where python3 has no pytest)', () => {
  const NAIVE = join(REPOSITORY, 'packages/conformance/adapters/python-naive')
  const file = readFileSync(join(PACKAGE, 'vendor/test_callspec.py'), 'utf8')
  const sample = readFileSync(join(LINES, 'nous.jsonl'), 'utf8')
    .split('\n')
    .filter((line, at) => at % 6 === 0 && line.includes('"op": "parse"') && !line.includes('"thought_in_content"'))

  /** Runs the file over the sample with the naive parser. */
  function run(known: string): {
    readonly failed: readonly string[]
    readonly code: number | null
    readonly last: string
  } {
    const home = mkdtempSync(join(folder, 'tests-'))
    mkdirSync(join(home, 'cases'))
    writeFileSync(join(home, 'cases/nous.jsonl'), `${sample.join('\n')}\n`)
    writeFileSync(join(home, 'test_callspec.py'), file)
    writeFileSync(join(home, 'known.txt'), known)
    writeFileSync(
      join(home, 'my_parser.py'),
      'import naive_parser\n\n\ndef parse(text, tools):\n    try:\n        return naive_parser.parse(text)\n' +
        '    except (KeyError, TypeError, RecursionError) as error:\n        raise ValueError(str(error))\n',
    )
    const env = { ...process.env, CALLSPEC_DATA: home, CALLSPEC_KNOWN: 'known.txt', PYTHONPATH: NAIVE, COLUMNS: '400' }
    const words = ['-m', 'pytest', '-q', '--tb=no', '-p', 'no:cacheprovider', 'test_callspec.py']
    const { stdout, status } = spawnSync('python3', words, { cwd: home, env, encoding: 'utf8' })
    const failed = Array.from(stdout.matchAll(/^FAILED \S+::test_case\[(.*?)\](?: - .*)?$/gm), ([, id = '']) => id)
    return { failed, code: status, last: stdout.trimEnd().split('\n').at(-1) ?? '' }
  }

  /** What the runner says of the sample. */
  async function idsByVerdict(): Promise<(kind: string) => readonly string[]> {
    const path = join(folder, 'sample.jsonl')
    writeFileSync(path, `${sample.join('\n')}\n`)
    const session = await openSession(`python3 '${NAIVE}/naive_parser.py'`, { timeLimit: 10_000, version: '1' })
    const results = await listOf(runSuite(readCases(await findCaseFiles([path])), session))
    await session.close?.()
    return (kind) => results.filter(({ verdict }) => verdict.kind === kind).map(({ case: { id } }) => id)
  }

  it('is green with a list of what the runner finds wrong, and fails for a new failure, a gone one, and nothing else', async () => {
    const idsOf = await idsByVerdict()
    const [fresh = '', ...known] = idsOf('failed')
    const [gone = '', unasked = ''] = idsOf('passed')
    const list = (ids: readonly string[]): string =>
      `# [unverified] failed: why\n${ids.join('\n')}\n\n# [not asked] why\n${unasked}\n`

    expect(sample.length).toBeGreaterThan(60)
    expect(known.length).toBeGreaterThan(0)
    const green = run(list([fresh, ...known]))
    expect(green).toMatchObject({ failed: [], code: 0 })
    expect(green.last).toContain(`1 skipped, ${known.length + 1} xfailed`)
    expect(run(list([...known, gone])).failed.toSorted()).toEqual([fresh, gone].toSorted())
  })
})
