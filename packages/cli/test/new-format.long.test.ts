import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { formatFolder, withEntry, withExport, withLoader } from '../src/new/format-files.ts'
import { callspec } from './helpers/binary.ts'
import { folderWith } from './helpers/folder.ts'
import { inProcess } from './helpers/in-process.ts'

const CHEAP = ['--limit', '2', '--repeat', '1', '--no-table', '-m', 'sim/perfect']
const ALLOWED = ['--no-table', '--allow-format', './acme.mjs']
const ANSWER = 'Now.<call>clock<args>{"zone": "UTC"}</call>'

describe('callspec new format', () => {
  it('writes a module that parse, render, conformance and fuzz take as it is', { timeout: 60_000 }, async () => {
    const cwd = folderWith({ 'a.txt': ANSWER, 'r.json5': "{ messages: [{ role: 'user', content: 'Hi </call>' }] }" })

    const made = await inProcess(['new', 'format', 'acme'], { cwd })
    const parsed = await inProcess(['parse', 'a.txt', '--format', './acme.mjs'], { cwd })
    const rendered = await inProcess(['render', 'r.json5', '--format', './acme.mjs'], { cwd })
    const judged = await inProcess(['conformance', 'run', '--format', './acme.mjs', '--cases', 'acme.cases.jsonl'], {
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
    // What it says of its progress depends on the machine.
    expect(searched.code).toBe(0)
    expect(searched.stdout.trimEnd().split('\n').at(-1)).toMatch(/^300 texts, \d+ with a call, 0 violations, seed 0$/)
  })

  it('writes a module that eval plays and score reads', { timeout: 60_000 }, async () => {
    const rows = [ANSWER, '<call>clock<args>{"zone": }</call>', 'Done.'].map((text) => `${JSON.stringify({ text })}\n`)
    const cwd = folderWith({ 'o.jsonl': rows.join('') })
    await inProcess(['new', 'format', 'acme'], { cwd })

    const played = await inProcess(['eval', '-f', 'nous,./acme.mjs', '--limit', '2', '--repeat', '1'], { cwd })
    const scored = await inProcess(['score', 'o.jsonl', '--format', './acme.mjs'], { cwd })

    expect(played.code).toBe(0)
    expect(played.stdout).toMatch(/\| acme +\| +100\.0 \| +100\.0 \|/)
    expect(played.stdout).toContain('self-check: all injected faults were found and attributed correctly: ')
    expect(scored.code).toBe(0)
    expect(scored.stdout).toMatch(/\(no model\) \| +3 \| +1 \| +50\.0% \| +50\.0%/)
  })

  it('is recorded with a run, which does not go on with a changed module', { timeout: 60_000 }, async () => {
    const cwd = folderWith({ 'callspec.config.json': '{"formats": ["./acme.mjs"]}' })
    await inProcess(['new', 'format', 'acme'], { cwd })
    await inProcess(['eval', ...CHEAP], { cwd })
    const [run = ''] = readdirSync(join(cwd, 'reports'))
    const manifest = JSON.parse(readFileSync(join(cwd, 'reports', run, 'run.json'), 'utf8')) as { modules: unknown }
    const again = await inProcess(['rescore', run, ...ALLOWED], { cwd })
    const shown = await inProcess(['report', run, ...ALLOWED], { cwd })
    const same = await inProcess(['eval', '--resume', run, ...ALLOWED], { cwd })
    writeFileSync(join(cwd, 'acme.mjs'), `${readFileSync(join(cwd, 'acme.mjs'), 'utf8')}// changed\n`)
    const changed = await inProcess(['eval', '--resume', run, ...ALLOWED], { cwd })
    const warned = await inProcess(['rescore', run, ...ALLOWED], { cwd })

    const hash: unknown = expect.stringMatching(/^[0-9a-f]{64}$/)
    expect(manifest.modules).toEqual({ acme: { path: './acme.mjs', sha256: hash } })
    expect([again.code, shown.code, same.code]).toEqual([0, 0, 0])
    expect([changed.code, changed.stderr]).toEqual([
      2,
      `callspec: ./acme.mjs has changed since reports/${run} was begun with it. Put it back, or start a new run.\n`,
    ])
    expect([warned.code, warned.stderr]).toEqual([0, expect.stringContaining('./acme.mjs has changed since the run')])
  })

  it.each([
    [
      "export const format = { id: 'mine', parse: () => null }",
      'a format of "render" and "parse" cannot be asked for.',
    ],
    [null, 'no such file.'],
  ])('eval says in one line what it cannot ask for: %j', { timeout: 60_000 }, async (text, message) => {
    const cwd = folderWith(text === null ? {} : { 'mine.mjs': text })

    const { code, stderr } = await inProcess(['eval', '-f', './mine.mjs', ...CHEAP], { cwd })

    expect([code, stderr.split('\n').length]).toEqual([2, 2])
    expect(stderr).toContain(`callspec: ./mine.mjs: ${message}`)
  })

  it('is no format for the workers of a queue', { timeout: 60_000 }, async () => {
    const cwd = folderWith({})
    await inProcess(['new', 'format', 'acme'], { cwd })

    const { code, stderr } = await inProcess(['eval', '-f', './acme.mjs', '--queue', 'redis://127.0.0.1:1'], { cwd })

    expect([code, stderr]).toEqual([
      2,
      'callspec: ./acme.mjs does not go with --queue: workers have only the formats of callspec.\n',
    ])
  })

  it.each([
    ['rescore', 'runs/one'],
    ['report', 'runs/one'],
    ['merge', 'runs/one', '--into', 'whole'],
    ['batch', 'import', 'runs/one', 'replies.jsonl'],
    ['eval', '--resume', 'runs/one'],
  ])('is code, which a run folder alone does not run: %s', { timeout: 60_000 }, async (...words) => {
    const code = 'process.exit(9)'
    const sha256 = createHash('sha256').update(code).digest('hex')
    const modules = { acme: { path: './it is/acme.mjs', sha256 } }
    const cwd = folderWith({ 'runs/one/run.json': JSON.stringify({ modules }), 'it is/acme.mjs': code })

    const asked = await inProcess(words, { cwd })

    expect([asked.code, asked.stderr]).toEqual([
      2,
      "callspec: runs/one was played with a format of its own, acme, and a run folder alone loads no code: if you trust it, add --allow-format './it is/acme.mjs'.\n",
    ])
  })

  it('is named in the command that goes on with a run', { timeout: 60_000 }, async () => {
    const cwd = folderWith({})
    await inProcess(['new', 'format', 'acme'], { cwd })

    const { code, stderr } = await inProcess(['eval', '-f', './acme.mjs', ...CHEAP, '-j', '1', '--budget', '1tok'], {
      cwd,
    })

    expect(code).toBe(3)
    expect(stderr).toMatch(/callspec eval --resume reports\/\S+ --allow-format \.\/acme\.mjs/)
  })

  it('eval takes no module with the name of another format', { timeout: 60_000 }, async () => {
    const cwd = folderWith({})
    await inProcess(['new', 'format', 'acme'], { cwd })
    const module = readFileSync(join(cwd, 'acme.mjs'), 'utf8')
    writeFileSync(join(cwd, 'acme.mjs'), module.replace("id: 'acme'", "id: 'nous'"))

    const { code, stderr } = await inProcess(['eval', '-f', './acme.mjs', ...CHEAP], { cwd })

    expect([code, stderr]).toEqual([
      2,
      'callspec: ./acme.mjs: there is a format nous already: give the format another id.\n',
    ])
  })

  it('overwrites nothing', async () => {
    const cwd = folderWith({ 'acme.mjs': 'mine' })

    const { code, stderr } = await inProcess(['new', 'format', 'acme'], { cwd })

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
    const { code, stderr } = await inProcess(words, { cwd: folderWith({}) })

    expect([code, stderr]).toEqual([2, `callspec: ${message}\n`])
  })

  it('says where a grammar contradicts itself', async () => {
    const cwd = folderWith({ 'a.txt': 'x' })
    await inProcess(['new', 'format', 'acme'], { cwd })
    const module = readFileSync(join(cwd, 'acme.mjs'), 'utf8')
    writeFileSync(join(cwd, 'acme.mjs'), module.replace("'<args>': 'arguments'", "'<args>': 'argumnets'"))

    const { code, stderr } = await inProcess(['parse', 'a.txt', '--format', './acme.mjs'], { cwd })

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
    const table = readFileSync(resolve(import.meta.dirname, '../../core/src/formats/load-format.ts'), 'utf8')
    expect(withLoader(table, 'acme-2.5')).toContain(
      "\n  'acme-2.5': async () => (await import('./acme-2.5/index.ts')).acme25,\n}",
    )
    expect(withLoader('{}', 'acme')).toBeNull()
    const folder = formatFolder('acme-2.5')
    expect(folder.map(({ path }) => path)).toEqual(['acme-2.5/README.md', 'acme-2.5/index.ts'])
    for (const [, names = '', file = ''] of folder[1]?.text.matchAll(/^import \{ (.*) \} from '\.\.\/\.\.\/(.*)'$/gm) ??
      [])
      for (const name of names.split(', '))
        expect(readFileSync(resolve(import.meta.dirname, '../../core/src', file), 'utf8')).toMatch(
          new RegExp(`^export (?:function|const) ${name}\\b`, 'm'),
        )
  })

  it('adds one entry to the exports of core, for pages', () => {
    const manifest = readFileSync(resolve(import.meta.dirname, '../../core/package.json'), 'utf8')

    const changed = withExport(manifest, 'acme-2.5') ?? ''

    const { exports: before, ...others } = JSON.parse(manifest) as { readonly exports: object }
    const entry = {
      '@callspec/source': './src/formats/acme-2.5/index.ts',
      types: './dist/formats/acme-2.5/index.d.ts',
      default: './dist/formats/acme-2.5/index.js',
    }
    expect(JSON.parse(changed)).toEqual({ ...others, exports: { ...before, './formats/acme-2.5': entry } })
    expect(changed).toBe(`${JSON.stringify(JSON.parse(changed), null, 2)}\n`)
    expect(withExport('{}', 'acme')).toBeNull()
  })
})
