import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { folderWith } from './helpers/folder.ts'
import { inProcess } from './helpers/in-process.ts'

const HOSTILE = '</pre><script>alert(1)</script>\u202e'

const board = {
  scoreboard: 1,
  implementation: 'naive',
  results: [
    {
      version: '1',
      casesVersion: '0.1.0',
      protocol: 1,
      cells: [{ format: 'nous', op: 'parse', profile: 'strict', passed: 9, failed: 1, errored: 0, skipped: 2 }],
    },
  ],
}
const failed = {
  id: 'nous/parse/basic#one call',
  op: 'parse',
  profile: 'strict',
  verdict: 'failed',
  actual: { content: HOSTILE, calls: [] },
  reason: `content: ${HOSTILE}`,
  implementation: 'naive 1',
}

describe('pages', () => {
  it('of the matrix lead from a cell to its failing case, byte by byte, and there is a badge', async () => {
    const cwd = folderWith({
      'boards/naive.json': JSON.stringify(board),
      'results.jsonl': `${JSON.stringify(failed)}\n${JSON.stringify({ ...failed, verdict: 'passed' })}\n`,
    })

    const run = await inProcess(
      ['conformance', 'matrix', 'boards', '--html', 'm.html', '--results', 'results.jsonl', '--badges', 'badges'],
      { cwd },
    )
    const page = readFileSync(join(cwd, 'm.html'), 'utf8')
    const badge = readFileSync(join(cwd, 'badges/naive.svg'), 'utf8')

    expect([run.code, run.stderr]).toEqual([0, 'page: m.html\nbadge: badges/naive.svg\n'])
    const [, anchor = ''] = /<a href="#([\w.-]+)"\s*>\s*<span class="bad">✗ 9\/10<\/span\s*>/.exec(page) ?? []
    expect(anchor).not.toBe('')
    expect(page.includes(`<details id="${anchor}">`)).toBe(true)
    expect(page).toContain('first difference at byte ')
    expect(page).not.toContain('<script>alert')
    expect(page).toContain('&lt;/pre&gt;&lt;script&gt;alert(1)')
    expect(badge).toContain('9 of 10')
  })

  it('of templates lead from a cell to the conversation, with the spot marked in its prompt', async () => {
    const template =
      `{% if tools %}{{ tools | tojson }}{% endif %}{% for m in messages %}<{{ m['role'] }} {{ m['tool_call_id'] }}>` +
      `{% for c in m['tool_calls'] or [] %}{{ c | tojson }}{% else %}{{ m['content'] }}{% endfor %}${HOSTILE}{% endfor %}`
    const cwd = folderWith({ 'lossy.jinja': template, 'second.jinja': template })

    const run = await inProcess(
      ['template', 'lint', 'lossy.jinja', 'second.jinja', '--html', 'l.html', '--rule', 'text-lost-with-call'],
      { cwd },
    )
    const page = readFileSync(join(cwd, 'l.html'), 'utf8')

    expect([run.code, run.stderr]).toEqual([1, 'page: l.html\n'])
    const [, anchor = ''] = /<td>\s*<a href="#([\w.-]+)"[^>]*>\s*<span class="bad">✗<\/span/.exec(page) ?? []
    expect(anchor).toBe('t0-text-lost-with-call')
    expect(page).toContain(`<section id="${anchor}">`)
    expect(page).toContain('<mark>STATIONQZ</mark>')
    expect(page).not.toContain('<script>alert')
    expect(page).toContain('&lt;/pre&gt;&lt;script&gt;alert(1)')
  })

  it('of a search show law, case and the command that shows it again', async () => {
    const cwd = folderWith({
      'rude.mjs': `
import { createInterface } from 'node:readline'
for await (const line of createInterface({ input: process.stdin })) {
  const { cmd, seq } = JSON.parse(line)
  if (cmd === 'start') console.log(JSON.stringify({ protocol: 1, name: 'rude', version: '1', supports: [{ operations: ['parse'], formats: ['nous'] }] }))
  if (cmd === 'run') console.log(JSON.stringify({ seq, output: { content: Math.random() + ${JSON.stringify(HOSTILE)}, calls: [] } }))
}
`,
    })

    const run = await inProcess(
      [
        'fuzz',
        '--format',
        'nous',
        '--impl',
        'node rude.mjs',
        '--law',
        'deterministic',
        '--runs',
        '5',
        '--html',
        'f.html',
      ],
      { cwd },
    )
    const page = readFileSync(join(cwd, 'f.html'), 'utf8')

    expect([run.code, run.stderr]).toEqual([1, 'page: f.html\n'])
    expect(page).toContain('--law deterministic --seed 0')
    expect(page).not.toContain('<script>alert')
  })

  it('with results that are none say so', async () => {
    const cwd = folderWith({ 'boards/naive.json': JSON.stringify(board), 'r.jsonl': '{"a": 1}\n' })

    const run = await inProcess(['conformance', 'matrix', 'boards', '--html', 'm.html', '--results', 'r.jsonl'], {
      cwd,
    })
    const astray = await inProcess(['conformance', 'matrix', 'boards', '--results', 'r.jsonl'], { cwd })

    expect([run.code, run.stderr]).toEqual([
      2,
      'callspec: r.jsonl:1: is no result. Give a file that `callspec conformance run --json` wrote.\n',
    ])
    expect([astray.code, astray.stderr]).toEqual([2, 'callspec: --results belongs to --html FILE\n'])
  })
})
