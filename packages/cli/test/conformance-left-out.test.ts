import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { inProcess } from './helpers/in-process.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'callspec-damaged-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function put(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), text)
}

function line(id: string, more = ''): string {
  return `{"id": "${id}", "op": "parse", "format": "nous", "profile": "strict", "input": {"text": "Hi."}, "expected": {"items": [{"type": "text", "text": "Hi."}]}${more}}\n`
}

function run(...paths: readonly string[]): ReturnType<typeof inProcess> {
  return inProcess(['conformance', 'run', ...paths.flatMap((path) => ['--cases', path])], { cwd: folder })
}

describe('callspec conformance run, of cases that cannot be used', () => {
  it('runs the first of two cases with the same id, and names the second', async () => {
    put('a.jsonl', line('a/1'))
    put('b.jsonl', `${line('b/1')}${line('a/1')}`)

    const { code, stdout, stderr } = await run('a.jsonl', 'b.jsonl')

    expect(stdout).toMatch(/\n2 passed, /)
    expect(stderr).toContain('callspec: b.jsonl:2: uses the id "a/1" a second time. Left out.\n')
    expect(code).toBe(2)
  })

  it('runs the other fixtures where a golden twin is missing, and the other cases where an answer is', async () => {
    const fixture = (ids: readonly string[]): string =>
      JSON.stringify({
        op: 'parse',
        format: 'nous',
        cases: ids.map((id) => ({ id, profile: 'strict', input: { text: 'Hi.' } })),
      })
    const answer = (id: string): object => ({ id, expected: { items: [{ type: 'text', text: 'Hi.' }] } })
    put('fixtures/a.json', fixture(['a/1']))
    put('fixtures/b.json', fixture(['b/1', 'b/2', 'b/1', 'b/3']))
    put('golden/b.json', JSON.stringify({ answers: [answer('b/1'), answer('b/3'), answer('b/4')] }))

    const { code, stdout, stderr } = await run('fixtures')

    expect(stdout).toMatch(/\n2 passed, 0 failed, 0 errored, 0 skipped\n$/)
    expect(stderr.trimEnd().split('\n')).toEqual([
      'callspec: fixtures/a.json: has no golden twin: golden/a.json does not exist. Left out.',
      'callspec: fixtures/b.json: cases[1]: has no answer: golden/b.json has none for the id "b/2". Left out.',
      'callspec: fixtures/b.json: cases[2]: uses the id "b/1" a second time. Left out.',
      'callspec: golden/b.json: answers the id "b/4", which fixtures/b.json lacks. Left out.',
    ])
    expect(code).toBe(2)
  })

  it('warns of a member that no case has, once per file, and runs the case', async () => {
    put('a.jsonl', `${line('a/1', ', "tolls": []')}${line('a/2', ', "tolls": []')}`)

    const { code, stdout, stderr } = await run('a.jsonl')

    expect(stdout).toMatch(/\n2 passed, /)
    expect(stderr).toBe('callspec: warning: a.jsonl:1: has a member "tolls", which no case has; it is ignored.\n')
    expect(code).toBe(0)
  })

  it('shows ten of many', async () => {
    put('a.jsonl', line('a/1').repeat(13))

    const { stderr } = await run('a.jsonl')

    expect(stderr.match(/a second time/g)).toHaveLength(10)
    expect(stderr).toContain('callspec: … and 2 more\n')
  })
})
