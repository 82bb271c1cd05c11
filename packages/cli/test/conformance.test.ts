import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { displayWidth } from '../src/columns.ts'
import { BINARY } from './helpers/binary.ts'
import { inProcess } from './helpers/in-process.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'callspec-conformance-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** A case of `json_dumps`, which prints `text` in Python's way. */
function dumpsCase(id: string, text: string, expected: string): string {
  const input = JSON.stringify({ json_text: text, indent: null })
  return `{"id": "${id}", "op": "json_dumps", "upstream_tag": "v0.0.26", "input": ${input}, "expected": ${expected}}`
}

const PASSES = dumpsCase('passes', '{"1":1.0}', '{"text": "{\\"1\\": 1.0}"}')
const FAILS = dumpsCase('fails', '[1,2]', '{"text": "[1,  2]"}')
const UNKNOWN = '{"id": "unknown", "op": "unknown.action", "input": {}, "expected": {}}'

function put(name: string, ...lines: readonly string[]): string {
  const path = join(folder, name)
  writeFileSync(path, `${lines.join('\n')}\n`)
  return path
}

function lastLine(text: string): string | undefined {
  return text.trimEnd().split('\n').at(-1)
}

describe('callspec conformance run', () => {
  it('passes the built-in cases', async () => {
    // All of them are run by the installed program, in installed.long.test.ts.
    const words = ['conformance', 'run', '--op', 'parse', '--op', 'json_dumps']

    const { code, stdout, stderr } = await inProcess(words, { cwd: folder })

    expect(lastLine(stdout)).toMatch(/^[1-9]\d{3} passed, 0 failed, 0 errored, 0 skipped$/)
    expect(stderr).toBe('')
    expect(code).toBe(0)
  })

  it('runs a renamed case by its old id, and says its new one; lists of known failures may have the old one', async () => {
    const [old, id] = ['glm-4.5/parse/string#empty', 'glm-4.5/parse/value-types#string: empty']
    const list = put('known.txt', '# [unverified] An old list.', old)

    const run = await inProcess(['conformance', 'run', '--id', old], { cwd: folder })
    const listed = await inProcess(['conformance', 'list', '--id', old], { cwd: folder })
    const shown = await inProcess(['conformance', 'show', old], { cwd: folder })
    const known = await inProcess(['conformance', 'run', '--id', id, '--known', list], { cwd: folder })

    expect(lastLine(run.stdout)).toBe('1 passed, 0 failed, 0 errored, 0 skipped')
    expect(run.stderr).toBe(`callspec: the case "${old}" is now "${id}".\n`)
    expect(listed.stdout).toBe(`parse\tstrict\t${id}\n`)
    expect(shown.stdout.split('\n')[0]).toBe(`case      ${id}`)
    expect(known.stdout).toContain(`  ${id}`)
    expect(known.stdout).not.toContain(old)
  })

  it('shows the first difference, the table, and the totals last', async () => {
    put('a.jsonl', PASSES, FAILS, UNKNOWN)

    const { code, stdout } = await inProcess(['conformance', 'run', '--cases', 'a.jsonl'], { cwd: folder })

    expect(stdout).toBe(`✗ fails
  where     text: other text from character 4 (line 1, column 5)
  expected  "[1,␣␣2]"
  got       "[1,␣2]"
                 ^
  case      json_dumps, profile v0.0.26, a.jsonl:2
  replay    callspec conformance run --cases a.jsonl --id fails

operation       main  v0.0.26
--------------  ----  -------
json_dumps         ·     1 ✗1
unknown.action    ~1        ·
--------------  ----  -------
all               ~1     1 ✗1
number alone passed, ✗ failed, ~ skipped

1 case skipped: callspec does not declare "unknown.action"
1 passed, 1 failed, 0 errored, 1 skipped
`)
    expect(code).toBe(1)
  })

  describe('with several formats', () => {
    const parseCase = (format: string, profile: string, text: string): string =>
      JSON.stringify({
        ...{ id: `${format} ${profile} ${text}`, op: 'parse', format, profile, input: { text: 'Noon.' } },
        expected: { items: [{ type: 'text', text }] },
      })
    const CASES = [
      ...[
        parseCase('nous', 'strict', 'Noon.'),
        parseCase('nous', 'strict', 'One.'),
        parseCase('nous', 'main', 'Noon.'),
      ],
      ...[parseCase('glm-4.5', 'strict', 'Noon.'), parseCase('a'.repeat(70), 'strict', 'Noon.'), PASSES],
    ]
    const tableIn = (stdout: string): string => stdout.slice(stdout.indexOf('\nformat') + 1)

    it('shows a row per format, and below it the versions in which a case failed', async () => {
      put('a.jsonl', ...CASES)

      const { code, stdout } = await inProcess(['conformance', 'run', '--cases', 'a.jsonl'], { cwd: folder })

      const names = 62
      const row = (name: string, parse: string, all: string): string =>
        `${name.padEnd(names)}  ${parse.padStart(7)}  ${all.padStart(7)}`
      const rule = row('-'.repeat(names), '-'.repeat(7), '-'.repeat(7))
      expect(tableIn(stdout).split('\n').slice(0, 10)).toEqual([
        ...[row('format', 'parse', 'all'), rule],
        row(`${'a'.repeat(31)}…${'a'.repeat(30)}`, '~1', '~1'),
        row('glm-4.5', '1', '1'),
        row('nous', '2 ✗1', '2 ✗1'),
        row('  strict', '1 ✗1', '1 ✗1'),
        row('functions', '·', '1'),
        ...[rule, row('all', '3 ✗1 ~1', '4 ✗1 ~1'), 'number alone passed, ✗ failed, ~ skipped'],
      ])
      expect(code).toBe(1)
    })

    it('shows sums alone where the operations do not fit', async () => {
      const more = ['stop', 'render', 'stream', 'loop'].map((op) =>
        parseCase('another', 'strict', op).replace('"parse"', `"${op}"`),
      )
      put('a.jsonl', ...CASES, ...more)

      const { stdout } = await inProcess(['conformance', 'run', '--cases', 'a.jsonl'], {
        cwd: folder,
        env: { COLUMNS: '40' },
      })

      expect(tableIn(stdout).split('\n')[0]).toMatch(/^format +all$/)
      expect(tableIn(stdout).split('\n')[4]).toMatch(/^glm-4.5 +1$/)
    })

    it('shows operations by versions with --verbose', async () => {
      put('a.jsonl', ...CASES)

      const { stdout } = await inProcess(['conformance', 'run', '--cases', 'a.jsonl', '--verbose'], { cwd: folder })

      expect(stdout).toContain('\nnous parse')
      expect(stdout).not.toContain('\nformat ')
    })
  })

  it('keeps within 80 columns, but for the command that is to be pasted', async () => {
    const long = 'word '.repeat(60)
    const name = `an id of ${'many '.repeat(20)}words`
    put(
      'a.jsonl',
      dumpsCase(
        name,
        `"${long}你好世界${'好'.repeat(60)}"`,
        JSON.stringify({ text: `"${long}您好世界${'好'.repeat(60)}"` }),
      ),
      dumpsCase('other value', '1', '{"text": 1, "another": 2}'),
      ...['v0.0.7', 'v0.0.13', 'v0.0.16', 'v0.0.26', 'main'].map((tag) =>
        UNKNOWN.replace('unknown.action', 'an_operation.with_a_name_of_45_characters_or_so').replace(
          '"input"',
          `"upstream_tag": "${tag}", "input"`,
        ),
      ),
    )

    const { stdout } = await inProcess(['conformance', 'run', '--cases', 'a.jsonl'], { cwd: folder })

    const wide = stdout.split('\n').filter((line) => displayWidth(line) > 80)
    expect(wide.filter((line) => !/^(?:  replay    |\d+ cases? skipped)/.test(line))).toEqual([])
    const [mark, got, caret] = stdout.split('\n').filter((line) => /^(?:  expected  |  got  | +\^)/.test(line))
    const before = displayWidth(caret ?? '') - 1
    expect(
      [mark, got].map((line) =>
        [...(line ?? '')].find((_, at, all) => displayWidth(all.slice(0, at).join('')) === before),
      ),
    ).toEqual(['您', '你'])
    expect(stdout).toContain('\nan_operation.with')
  })

  it('writes what was answered, losslessly, also when the case passed', async () => {
    const raises =
      '{"id": "r", "op": "json5_loads", "input": {"text": "["}, "error": {"type": "ValueError", "message": "x"}}'
    const surrogate = dumpsCase('s', '"\\ud800"', '{"text": "\\"\\ud800\\""}')
    const path = put('a.jsonl', PASSES, FAILS, UNKNOWN, raises, surrogate)

    const { code } = await inProcess(['conformance', 'run', '--cases', path, '--json', 'out.jsonl'], { cwd: folder })

    const lines = readFileSync(join(folder, 'out.jsonl'), 'utf8').split('\n')
    expect(lines.map((line) => line.replace(/, "result": 1, "implementation": "callspec [^"]+"}$/, () => '}'))).toEqual(
      [
        '{"id": "passes", "op": "json_dumps", "profile": "v0.0.26", "verdict": "passed", "grade": "passed", "actual": {"text": "{\\"1\\": 1.0}"}}',
        '{"id": "fails", "op": "json_dumps", "profile": "v0.0.26", "verdict": "failed", "grade": "failed", "actual": {"text": "[1, 2]"}, ' +
          '"reason": "text: other text from character 4 (line 1, column 5): expected \\"[1,\\u2423\\u24232]\\", got \\"[1,\\u24232]\\""}',
        '{"id": "unknown", "op": "unknown.action", "profile": "main", "verdict": "skipped", "grade": "skipped", ' +
          '"reason": "callspec does not claim the operation \\"unknown.action\\""}',
        '{"id": "r", "op": "json5_loads", "profile": "main", "verdict": "failed", "grade": "failed", ' +
          '"error": {"type": "ValueError", "message": "<string>:1 Unexpected end of input at column 2"}, ' +
          '"reason": "error.message: other text from character 0 (line 1, column 1): ' +
          'expected \\"x\\", got \\"<string>:1\\u2423Unexpected\\u2423end\\u2423of\\u2423input\\u2423a\\u2026\\""}',
        '{"id": "s", "op": "json_dumps", "profile": "v0.0.26", "verdict": "passed", "grade": "passed", "actual": {"text": "\\"\\ud800\\""}}',
        '',
      ],
    )
    expect(code).toBe(1)
  })

  it('calls a case errored whose input lacks what the operation needs', async () => {
    put('a.jsonl', '{"id": "e", "op": "json_dumps", "input": {}, "expected": {}}')

    const { code, stdout } = await inProcess(['conformance', 'run', '--cases', 'a.jsonl'], { cwd: folder })

    expect(stdout).toContain('! e\n  errored   the input is not as expected: input.json_text')
    expect(lastLine(stdout)).toBe('0 passed, 0 failed, 1 errored, 0 skipped')
    expect(code).toBe(1)
  })

  it('takes several paths after --cases, and only the operations asked for', async () => {
    const paths = [put('a.jsonl', PASSES, UNKNOWN), put('b.jsonl', PASSES.replace('"passes"', '"passes too"'))]

    const { code, stdout } = await inProcess(['conformance', 'run', '--op', 'json_*', '--cases', ...paths])

    expect(lastLine(stdout)).toBe('2 passed, 0 failed, 0 errored, 0 skipped')
    expect(code).toBe(0)
  })

  it('prints nothing from a case that could move the cursor', async () => {
    put(
      'a.jsonl',
      FAILS.replace('"fails"', '"\\u001b[2Jx\\ny"').replace('v0.0.26', '\\u001b[1m'),
      UNKNOWN.replace('metagpt', '\\u001b'),
    )

    const { stdout } = await inProcess(['conformance', 'run', '--cases', 'a.jsonl'], { cwd: folder })

    expect(stdout).not.toContain('\u001b')
  })
})

describe('callspec conformance run says in one line what is wrong', () => {
  it.each([
    ['a path that leads nowhere', ['--cases', 'none.jsonl'], 'none.jsonl: there is no such file or folder.'],
    ['a glob without match', ['--cases', 'x*.jsonl'], 'x*.jsonl: no file matches.'],
    [
      'a folder without cases',
      ['--cases', 'empty'],
      'empty: holds no case files. A folder is searched for *.jsonl and *.json.',
    ],
    [
      'an operation that no case has',
      ['--cases', 'a.jsonl', '--op', 'json_dump'],
      'no case was selected: none has the operation json_dump. Did you mean json_dumps?',
    ],
    [
      'a line that is no case',
      ['--cases', 'bad.jsonl'],
      'bad.jsonl:2: is not a case. A case is one JSON map with "id", "op", "input", and "expected" or "error".',
    ],
    ['a file that is not text', ['--cases', 'nul.jsonl'], 'nul.jsonl:1: is not text: byte 1 is NUL.'],
    [
      'a result file in a missing folder',
      ['--cases', 'a.jsonl', '--json', 'no/out.jsonl'],
      'no/out.jsonl: cannot be written (the folder does not exist)',
    ],
    ['a result file that is a folder', ['--cases', 'a.jsonl', '--json', 'empty'], 'empty: is a folder. Name a file.'],
    [
      'a result file that is a case file',
      ['--cases', 'a.jsonl', '--json', './a.jsonl'],
      '--json ./a.jsonl would overwrite a case file. Name another file.',
    ],
    [
      'nothing but skipped cases',
      ['--cases', 'skipped.jsonl'],
      'no case was run: all were skipped, for the reasons above.',
    ],
    ['a misspelt option', ['--case', 'a.jsonl'], 'unknown option --case. Did you mean --cases?'],
  ])('%s', async (_, words, message) => {
    put('a.jsonl', PASSES)
    put('bad.jsonl', PASSES, '1')
    put('nul.jsonl', '\u0000')
    put('skipped.jsonl', UNKNOWN)
    mkdirSync(join(folder, 'empty'))
    const before = readdirSync(folder)

    const { code, stderr } = await inProcess(['conformance', 'run', ...words], { cwd: folder })

    expect(stderr).toBe(`callspec: ${message}\n`)
    expect(code).toBe(2)
    expect(readdirSync(folder)).toEqual(before)
  })

  it('leaves neither results nor half a result file when a later line is bad', async () => {
    put('a.jsonl', FAILS, PASSES, '{')
    put('out.jsonl', 'before')

    const { code, stdout } = await inProcess(['conformance', 'run', '--cases', 'a.jsonl', '--json', 'out.jsonl'], {
      cwd: folder,
    })

    expect(stdout).toBe('')
    expect(code).toBe(2)
    expect(readFileSync(join(folder, 'out.jsonl'), 'utf8')).toBe('before\n')
    expect(readdirSync(folder).sort()).toEqual(['a.jsonl', 'out.jsonl'])
  })

  it('writes to a device without replacing it', async () => {
    put('a.jsonl', PASSES)

    const { code } = await inProcess(['conformance', 'run', '--cases', 'a.jsonl', '--json', '/dev/null'], {
      cwd: folder,
    })

    expect(code).toBe(0)
    expect(statSync('/dev/null').isCharacterDevice()).toBe(true)
  })

  it('leaves no half result file when it is interrupted', async () => {
    // The pipe stays empty, so the run waits for its first case until the signal comes.
    execFileSync('mkfifo', [join(folder, 'cases.jsonl')])
    const words = [BINARY, 'conformance', 'run', '--cases', 'cases.jsonl', '--json', 'out.jsonl']
    const child = spawn(process.execPath, words, { cwd: folder, stdio: 'ignore' })
    // At once, before the program knows that its file is there.
    const late = Date.now() + 20_000
    while (readdirSync(folder).length < 2 && Date.now() < late);

    child.kill('SIGINT')
    const [, signal] = (await once(child, 'close')) as [number | null, string | null]

    expect(signal).toBe('SIGINT')
    expect(readdirSync(folder)).toEqual(['cases.jsonl'])
  })
})
