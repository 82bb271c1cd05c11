import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { formatFolder, withEntry } from '../src/new/format-folder.ts'
import { callspec } from './helpers/binary.ts'
import { folderWith } from './helpers/folder.ts'

const ANSWER = 'Now.<call>clock<args>{"zone": "UTC"}</call>'

describe('callspec new format', () => {
  it('writes a module that parse, render, conformance and fuzz take as it is', { timeout: 60_000 }, async () => {
    const cwd = folderWith({ 'a.txt': ANSWER, 'r.json5': "{ messages: [{ role: 'user', content: 'Hi </call>' }] }" })

    const made = await callspec(['new', 'format', 'acme'], { cwd })
    const parsed = await callspec(['parse', 'a.txt', '--format', './acme.mjs'], { cwd })
    const rendered = await callspec(['render', 'r.json5', '--format', './acme.mjs'], { cwd })
    const judged = await callspec(['conformance', 'run', '--format', './acme.mjs', '--cases', 'acme.cases.jsonl'], {
      cwd,
    })
    const searched = await callspec(['fuzz', '--format', './acme.mjs', '--runs', '100'], { cwd })

    expect([made.code, made.stderr]).toEqual([0, ''])
    expect((JSON.parse(parsed.stdout) as { items: unknown }).items).toEqual([
      { kind: 'text', text: 'Now.' },
      { kind: 'call', name: 'clock', id: null, arguments: '{"zone": "UTC"}' },
    ])
    expect(rendered.stdout).toBe('<|acme_user|>Hi </call><|acme_end|><|acme_assistant|>')
    expect([judged.code, judged.stdout.trimEnd().split('\n').at(-1)]).toEqual([
      0,
      '4 passed, 0 failed, 0 errored, 0 skipped',
    ])
    expect([searched.code, searched.stderr]).toEqual([0, ''])
  })

  it('overwrites nothing', async () => {
    const cwd = folderWith({ 'acme.mjs': 'mine' })

    const { code, stderr } = await callspec(['new', 'format', 'acme'], { cwd })

    expect([code, stderr]).toEqual([2, 'callspec: acme.mjs is there already. Remove it, or give another name.\n'])
    expect(readFileSync(join(cwd, 'acme.mjs'), 'utf8')).toBe('mine')
  })

  it.each([
    [
      ['new', 'format', 'Acme!'],
      '"Acme!" is no name of a format. Give lower-case letters, digits, - and ., such as acme-2.5.',
    ],
    [['new', 'format', 'nous'], 'There is a format nous already. Give another name.'],
    [['new', 'format'], 'callspec new format needs a NAME, such as acme or acme-2.'],
  ])('says in one line what is wrong: %j', async (words, message) => {
    const { code, stderr } = await callspec(words, { cwd: folderWith({}) })

    expect([code, stderr]).toEqual([2, `callspec: ${message}\n`])
  })

  it('says where a grammar contradicts itself', async () => {
    const cwd = folderWith({ 'a.txt': 'x' })
    await callspec(['new', 'format', 'acme'], { cwd })
    const module = readFileSync(join(cwd, 'acme.mjs'), 'utf8')
    writeFileSync(join(cwd, 'acme.mjs'), module.replace("'<args>': 'arguments'", "'<args>': 'argumnets'"))

    const { code, stderr } = await callspec(['parse', 'a.txt', '--format', './acme.mjs'], { cwd })

    expect([code, stderr]).toEqual([
      2,
      'callspec: ./acme.mjs: format.grammar: "name" leads to "argumnets", no state.\n',
    ])
  })

  it('adds one entry to the list of a checkout', () => {
    const list = readFileSync(resolve(import.meta.dirname, '../../core/src/formats/index.ts'), 'utf8')

    const changed = withEntry(list, 'acme-2.5')

    expect(changed).toContain("import { acme25 } from './acme-2.5/index.ts'\n")
    expect(changed).toContain('  acme25,\n]')
    expect(formatFolder('acme-2.5').map(({ path }) => path)).toEqual([
      'acme-2.5/README.md',
      'acme-2.5/grammar.ts',
      'acme-2.5/prompt.ts',
      'acme-2.5/index.ts',
    ])
  })
})
