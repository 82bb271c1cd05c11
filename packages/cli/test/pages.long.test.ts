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

const MISTRAL = 'mistral-v3/parse/basic#prose only'

/** The data of the page's script. */
function caseDataIn(page: string): CaseData {
  return JSON.parse(
    /<script type="application\/json" id="case-data">(.*?)<\/script>/s.exec(page)?.[1] ?? '',
  ) as CaseData
}

interface CaseData {
  readonly columns: readonly { readonly name: string; readonly recorded: boolean }[]
  readonly cells: readonly unknown[]
  readonly cases: readonly { readonly key: string; readonly origin: readonly number[] }[]
  readonly texts: readonly string[]
}

describe('pages', () => {
  it('of the matrix show topics, lead from a cell to its failing cases in normal form, and there is a badge', async () => {
    const cwd = folderWith({
      'boards/naive.json': JSON.stringify(board),
      'results.jsonl': `${JSON.stringify(failed)}\n${JSON.stringify({ ...failed, id: 'nous/parse/basic#two calls in order', verdict: 'passed' })}\n`,
    })

    const run = await inProcess(
      ['conformance', 'matrix', 'boards', '--html', 'm.html', '--results', 'results.jsonl', '--badges', 'badges'],
      { cwd },
    )
    const page = readFileSync(join(cwd, 'm.html'), 'utf8')
    const badge = readFileSync(join(cwd, 'badges/naive.svg'), 'utf8')
    const data = caseDataIn(page)

    expect([run.code, run.stderr]).toEqual([0, 'page: m.html\nbadge: badges/naive.svg\n'])
    expect(page).toMatch(/parse: basic\s*<\/th>\s*<td[^>]*>\s*<a href="#cell=1"\s*>\s*<span class="bad">✗ 1\/2<\/span/)
    expect(data.cells[1]).toMatchObject({ topic: 'basic', format: 'nous' })
    expect(data.cases.map(({ key }) => key)).toEqual(['nous/parse/basic#one call'])
    expect(data.texts).toContain(`text ${JSON.stringify(HOSTILE)}`)
    expect(data.texts.filter((text) => text.startsWith('call '))).toHaveLength(1)
    expect(page).not.toContain('<script>alert')
    expect(badge).toContain('9 of 10')
  })

  it('of the matrix show what is known to fail as failed: a run that sets it aside leaves out nothing', async () => {
    const reason = 'known failure: a bug, as it seems'
    const lines = [
      { ...failed, verdict: 'skipped', reason },
      { ...failed, id: 'nous/parse/basic#two calls in order', verdict: 'skipped', reason, actual: undefined },
    ]
    const cwd = folderWith({ 'results.jsonl': lines.map((line) => `${JSON.stringify(line)}\n`).join('') })

    await inProcess(['conformance', 'matrix', '--html', 'm.html', '--results', 'results.jsonl'], { cwd })
    const page = readFileSync(join(cwd, 'm.html'), 'utf8')

    expect(page).toMatch(/<span class="bad">✗ 0\/2<\/span/)
    expect(caseDataIn(page).cases.map(({ key }) => key)).toContain('nous/parse/basic#one call')
  })

  it('of the matrix hold recorded engines and new results, and need no scoreboard', async () => {
    const cwd = folderWith({ 'results.jsonl': `${JSON.stringify({ ...failed, id: MISTRAL })}\n` })

    const run = await inProcess(['conformance', 'matrix', '--html', 'm.html', '--results', 'results.jsonl'], {
      cwd,
      env: { SOURCE_DATE_EPOCH: '0' },
    })
    const page = readFileSync(join(cwd, 'm.html'), 'utf8')
    const { columns } = caseDataIn(page)

    expect([run.code, run.stderr]).toEqual([0, 'page: m.html\n'])
    expect(columns[0]).toEqual({ name: 'naive 1', recorded: false })
    expect(columns).toContainEqual({ name: 'mistral-common@1.11.7', recorded: true })
    expect(page).toContain('recorded, version 1.11.7')
    expect(page).toContain('page of 1970-01-01')
  })

  it('of the matrix say where a failing case comes from, and where its markers are no tokens', async () => {
    const id = 'harmony/parse/markers-in-values#the text <|call|>'
    const cwd = folderWith({ 'results.jsonl': `${JSON.stringify({ ...failed, id })}\n` })

    await inProcess(['conformance', 'matrix', '--html', 'm.html', '--results', 'results.jsonl'], { cwd })
    const { cases, texts } = caseDataIn(readFileSync(join(cwd, 'm.html'), 'utf8'))

    expect(cases.find(({ key }) => key === id)?.origin.map((line) => texts[line])).toEqual([
      'source: spec: packages/core/src/formats/harmony/README.md',
      'plain: 77–85: markers there are ordinary characters',
    ])
  })

  it('of templates name templates and rules, and lead to the conversation, with the spot marked in its prompt', async () => {
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
    const [, anchor = '', rule] =
      /<a class="chip" href="#([\w.-]+)"[^>]*>\s*<span class="bad">✗<\/span> ([\w-]+)/.exec(page) ?? []
    expect([anchor, rule]).toEqual(['t0-text-lost-with-call', 'text-lost-with-call'])
    expect(page).toContain('<a href="#t1" title="second.jinja">second.jinja</a>')
    expect(page).toContain(`<div id="${anchor}">`)
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

  it('report a line that is not a result', async () => {
    const cwd = folderWith({ 'boards/naive.json': JSON.stringify(board), 'r.jsonl': '{"a": 1}\n' })

    const run = await inProcess(['conformance', 'matrix', 'boards', '--html', 'm.html', '--results', 'r.jsonl'], {
      cwd,
    })
    const astray = await inProcess(['conformance', 'matrix', 'boards', '--results', 'r.jsonl'], { cwd })

    expect([run.code, run.stderr]).toEqual([
      2,
      'callspec: r.jsonl:1: is not a result. Give a file that `callspec conformance run --json` wrote.\n',
    ])
    expect([astray.code, astray.stderr]).toEqual([2, 'callspec: --results belongs to --html FILE\n'])
  })
})
