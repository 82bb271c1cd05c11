import { describe, expect, it } from 'vitest'
import type { ChangeTest, ProgressPage, RowChange, RunEntry } from '../src/runs/page.ts'
import { renderProgress, renderRunList } from '../src/runs/page.ts'
import { HOSTILE } from './helpers/reports.ts'

const RATE = { hits: 5, of: 10, rate: 0.5, interval: [0.2, 0.8] } as const

function run(more: Partial<RunEntry> = {}): RunEntry {
  const row = { model: 'm', protocol: 'fncall-nous', success: RATE, change: null }
  const known = { fault: null, startedAt: '2026-01-31T12:00:00.000Z', state: 'finished', progress: null } as const
  return {
    name: 'a',
    ...known,
    suite: 'built-in 1',
    api: 'chat',
    rows: [row],
    page: 'report.html',
    command: null,
    ...more,
  }
}

const PROGRESS: ProgressPage = {
  ...{
    name: 'a',
    startedAt: '',
    state: 'playing',
    progress: { done: 1, of: 4 },
    scored: { episodes: 1 },
    perSecond: 0.5,
  },
  ...{ rows: [{ model: 'm', protocol: 'react', done: 1, of: 4, success: RATE }], soFar: 'so-far', command: null },
}

const textOf = (page: string): string =>
  page
    .replace(/[^]*<main>/, '')
    .replace(/<\/main>[^]*/, '')
    .replace(/<span lang="zh">[^<]*<\/span>/g, '')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')

describe('the page of all runs', () => {
  it('has a row per model and format, with its success, and a link to the page of the run', () => {
    const page = renderRunList({ runs: [run()] })

    expect(page).toContain('<a href="a/report.html">a</a>')
    expect(textOf(page)).toContain('a · 2026-01-31 12:00 UTC · built-in 1 · chat')
    expect(textOf(page)).toContain('m nous 50.0 20.0–80.0 5/10 —')
  })

  it('says by how much success rose or fell, between which bounds, and whether that may be chance', () => {
    const test = (interval: readonly [number, number] | null, isShown = false): ChangeTest => ({ interval, isShown })
    const changes: readonly RowChange[] = [
      { difference: -0.3, tasks: 40, better: 0, worse: 12, test: test([-0.456, -0.15], true) },
      { difference: 0.3, tasks: 40, better: 12, worse: 0, test: test([0.1, 0.5], true) },
      { difference: 0.042, tasks: 10, better: 5, worse: 2, test: test([-0.01, 0.093]) },
      { difference: 0.2, tasks: 5, better: 1, worse: 0, test: test(null) },
      { difference: -0.1, tasks: 10, better: 0, worse: 1, test: null },
      { difference: 0, tasks: 10, better: 0, worse: 0, test: test([0, 0]) },
    ]
    const rows = changes.map((change) => ({ model: 'm', protocol: 'react', success: RATE, change }))
    const text = textOf(renderRunList({ runs: [run({ rows, command: 'callspec compare b a' })] }))

    expect(text).toContain('▼ −30.0 (−45.6 to −15.0) 0 better, 12 worse of 40 tasks')
    expect(text).toContain('▲ +30.0 (+10.0 to +50.0) 12 better, 0 worse of 40 tasks')
    expect(text).toContain('+4.2 (−1.0 to +9.3) , may be chance 5 better, 2 worse of 10 tasks')
    expect(text).toContain('+20.0 too few tasks to tell 1 better, 0 worse of 5 tasks')
    expect(text).toContain('−10.0 not tested 0 better, 1 worse of 10 tasks')
    expect(text).toContain('= 0.0 none of 10 tasks changed')
    expect(text).toContain('callspec compare b a')
    expect(text.match(/[▲▼]/g)).toHaveLength(4)
  })

  it('says how many rows are tested where older ones are not', () => {
    const change = { difference: -0.1, tasks: 10, better: 0, worse: 1 }
    const row = (test: ChangeTest | null): RunEntry =>
      run({ rows: [{ model: 'm', protocol: 'react', success: RATE, change: { ...change, test } }] })
    const tested = row({ interval: null, isShown: false })

    const some = renderRunList({ runs: [tested, tested, row(null)] })
    const all = renderRunList({ runs: [tested, tested] })

    expect(textOf(some)).toContain('The newest 2 changes are tested; older ones are without interval and sign.')
    expect(some).toContain('只检验最新的 2 项变化；更早的变化没有区间和 ▲、▼ 标记。')
    expect(textOf(all)).not.toContain('are tested')
  })

  it('names what keeps a run from being read, and how far one is that has not ended', () => {
    const stopped = run({
      state: 'stopped',
      progress: { done: 3, of: 8 },
      page: null,
      command: 'callspec eval --resume a',
    })
    const text = textOf(renderRunList({ runs: [run({ fault: 'run.json is no JSON' }), stopped], older: 7 }))

    expect(text).toContain('✗ cannot be read run.json is no JSON')
    expect(text).toContain('■ stopped before its end 3 of 8 episodes callspec eval --resume a')
    expect(text).toContain('7 older runs are not shown.')
  })

  it('keeps hostile names inert, also in addresses', () => {
    const rows = [{ model: HOSTILE, protocol: HOSTILE, success: null, change: null }]
    const page = renderRunList({
      runs: [
        run({ name: HOSTILE, suite: HOSTILE, startedAt: HOSTILE, rows }),
        run({ name: 'javascript:alert(1)', fault: HOSTILE }),
      ],
    })

    expect(page.match(/<script/g)).toHaveLength(1)
    expect(page).not.toMatch(/<img|onerror=(?!&)|href="javascript:/i)
  })

  it('connects to nothing unless it is served', () => {
    expect(renderRunList({ runs: [run()] })).not.toContain('connect-src')
    expect(renderRunList({ runs: [run()] })).not.toContain('http-equiv="refresh"')
    expect(renderRunList({ runs: [run()], isLive: true })).toContain("; connect-src 'self'\"")
  })
})

describe('the page of a run that is played', () => {
  it('says how far it is, how fast, and what it shows so far', () => {
    const text = textOf(renderProgress(PROGRESS))

    expect(text).toContain('▶ running 1 of 4 episodes 0.5 episodes per second , 6 s left')
    expect(text).toContain('Figures of the episodes so far (1); they may change.')
    expect(text).toContain('m react 1 / 4 50.0')
  })

  it('gives the reason if there are no figures', () => {
    const text = textOf(renderProgress({ ...PROGRESS, scored: { fault: 'acme is a format of a module' }, soFar: null }))

    expect(text).toContain('No figures so far: acme is a format of a module')
    expect(text).not.toContain('Report of the episodes')
  })
})
