import type { Rate } from '@callspec/eval'
import { formatId } from '@callspec/eval'
import { decimalText, rateCell } from '../evaluation/grid.ts'
import { foldingTable } from '../folding-table.ts'
import type { TableRow } from '../folding-table.ts'
import type { Html, HtmlPart, PageLanguage, Words } from '../html.ts'
import { encodedInHref, html, joined, say } from '../html.ts'
import { renderPage } from '../shell.ts'

/** A run folder, as the page of all runs shows it. */
export interface RunEntry {
  /** Of the folder, which is next to the page. */
  readonly name: string
  /** What keeps it from being shown; null for a run that was read. */
  readonly fault: string | null
  /** ISO time; empty if unknown. */
  readonly startedAt: string
  readonly state: RunState
  /** Episodes that have ended, of all in the plan; null if unknown. */
  readonly progress: { readonly done: number; readonly of: number } | null
  /** Name and version; empty if unknown. */
  readonly suite: string
  readonly api: string
  readonly rows: readonly RunEntryRow[]
  /** The file of the folder that shows its episodes, empty for the folder itself; null if there is no such file. */
  readonly page: string | null
  /** What to do with it in a terminal; null for nothing. */
  readonly command: string | null
}

/** `stopped`: it has not ended, and no process plays it. */
export type RunState = 'finished' | 'playing' | 'stopped'

/** A model under a format. */
export interface RunEntryRow {
  readonly model: string
  readonly protocol: string
  /** Share of episodes that solved their task; null before the run has ended. */
  readonly success: Rate | null
  /** Compared with the last earlier run of the same model, format, suite and settings; null without such a run. */
  readonly change: RowChange | null
}

/** How success changed since an earlier run. */
export interface RowChange {
  /** Mean difference of success over the tasks that both runs have, from -1 to 1. */
  readonly difference: number
  readonly tasks: number
  /** Tasks that are solved more often than before, and less often. */
  readonly better: number
  readonly worse: number
  /** Null if it was not tested, as in the oldest of many runs. */
  readonly test: ChangeTest | null
}

/** Whether a change is more than chance. */
export interface ChangeTest {
  /** The differences that the test does not reject, from -1 to 1; null where so few tasks cannot reject any. */
  readonly interval: readonly [number, number] | null
  /** Whether it is shown to be more than chance. */
  readonly isShown: boolean
}

/** What the page of all runs shows. */
export interface RunListPage {
  /** The newest first. */
  readonly runs: readonly RunEntry[]
  /** How many older runs are left out. */
  readonly older?: number
  /** The language in which it opens. Default: that of the browser. */
  readonly language?: PageLanguage | undefined
  /** A served page, which asks for itself again. Default: false. */
  readonly isLive?: boolean
}

/** What a file must contain to be written again: the page of all runs that callspec wrote. */
export const RUN_LIST_MARK = '<section id="runs"'

/** The page of all runs of a folder, one HTML file in it. */
export function renderRunList({ runs, older = 0, language, isLive = false }: RunListPage): string {
  const body = html`<h1>${say({ en: 'Runs', zh: '所有运行' })}</h1>
    <section id="runs" data-live="runs">
      ${runs.length === 0 && html`<p>${say(NO_RUNS)} <code>callspec eval</code></p>`} ${changesNote(runs)}
      ${runs.length > 0 && runsTable(runs)}
      ${older > 0 && html`<p class="quiet">${say({ en: '{n} older runs are not shown.', zh: '另有 {n} 个更早的运行未显示。' }, { n: older })}</p>`}
    </section>`
  return renderPage({ title: 'callspec: runs', language, body, isLive })
}

const NO_RUNS: Words = { en: 'No run is in this folder yet. Start one:', zh: '此文件夹中还没有运行。用以下命令开始：' }

const CHANGE_NOTE: Words = {
  en: 'Change: points of success, over the tasks of both, since the last run of the same model, format, suite and settings. In brackets: its 95 % interval, by an exact test of the differences per task, adjusted for the rows of the run. ▲ and ▼: more than chance. {compare} compares the other figures, too.',
  zh: '变化：与模型、格式、任务集和设置都相同的上一次运行相比，两者共有任务的成功率之差（百分点）。括号内为 95% 置信区间，由逐任务差值的精确检验得出，并按该运行的行数校正。▲、▼：差异显著。其他指标用 {compare} 比较。',
}

const TESTED_NOTE: Words = {
  en: ' The newest {n} changes are tested; older ones are without interval and sign.',
  zh: '只检验最新的 {n} 项变化；更早的变化没有区间和 ▲、▼ 标记。',
}

/** What a change is, and how many of them are tested if not all are; nothing without a change. */
function changesNote(runs: readonly RunEntry[]): Html | null {
  const changes = runs.flatMap(({ rows }) => rows.flatMap(({ change }) => (change === null ? [] : [change])))
  if (changes.length === 0) return null
  const tested = changes.filter(({ test }) => test !== null).length
  return html`<p class="quiet">${say(CHANGE_NOTE)} ${tested < changes.length && say(TESTED_NOTE, { n: tested })}</p>`
}

/** A run with more rows shows the first of them. */
const MOST_ROWS = 40

function runsTable(runs: readonly RunEntry[]): Html {
  return foldingTable({
    corner: { en: 'model', zh: '模型' },
    heads: [
      { words: { en: 'format', zh: '格式' }, isText: true },
      { words: { en: 'success', zh: '成功率' } },
      { words: { en: 'change', zh: '变化' }, isText: true },
    ],
    groups: runs.map((run) => ({ head: runHead(run), rows: run.rows.slice(0, MOST_ROWS).map(tableRow) })),
  })
}

function tableRow({ model, protocol, success, change }: RunEntryRow): TableRow {
  return {
    head: model,
    cells: [formatId(protocol), success === null ? '—' : rateCell(success), change === null ? '—' : changeCell(change)],
  }
}

function runHead({ name, fault, startedAt, state, progress, suite, api, rows, page, command }: RunEntry): Html {
  const title = page === null ? html`${name}` : html`<a href="${hrefOf(name, page)}">${name}</a>`
  if (fault !== null)
    return html`${title} <span class="bad">✗ ${say({ en: 'cannot be read', zh: '无法读取' })}</span>
      <p class="quiet" lang="en-GB">${fault}</p>`
  const hidden = rows.length - MOST_ROWS
  const facts: readonly HtmlPart[] = [timeText(startedAt), suite, api].filter((each) => each !== '')
  return html`${title} <span class="quiet">· ${joined(facts, ' · ')}</span>${stateLine({ state, progress })}
    ${command !== null && html`<p class="quiet command"><code>${command}</code></p>`}
    ${hidden > 0 && html`<p class="quiet">${say({ en: 'the first {n} of {of} rows', zh: '共 {of} 行，显示前 {n} 行' }, { n: MOST_ROWS, of: rows.length })}</p>`}`
}

function hrefOf(name: string, page: string): string {
  return `${encodedInHref(name)}/${page}`
}

/** `2026-01-31 12:00 UTC`. */
function timeText(iso: string): string {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(iso) ? `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC` : iso
}

/** What a run that has not ended has done; nothing for one that has. */
function stateLine({ state, progress }: Pick<RunEntry, 'state' | 'progress'>): Html | null {
  const count = progress === null ? null : progressBar(progress)
  switch (state) {
    case 'finished':
      return null
    case 'playing':
      return html`<p>▶ ${say({ en: 'running', zh: '运行中' })} ${count}</p>`
    case 'stopped':
      return html`<p>
        <span class="warn">■ ${say({ en: 'stopped before its end', zh: '未结束即停止' })}</span> ${count}
      </p>`
  }
}

/** A bar, and `12 of 40 episodes`. */
function progressBar({ done, of }: { readonly done: number; readonly of: number }): Html {
  return html`<progress value="${done}" max="${Math.max(of, 1)}"></progress>
    ${say({ en: '{done} of {of} episodes', zh: '{of} 个回合中已完成 {done} 个' }, { done, of })}`
}

function changeCell({ difference, tasks, better, worse, test }: RowChange): Html {
  const isShown = test?.isShown === true
  const [look, mark] = !isShown ? ['', ''] : difference > 0 ? ['good', '▲ '] : ['bad', '▼ ']
  const counts =
    better + worse === 0
      ? say({ en: 'none of {tasks} tasks changed', zh: '{tasks} 个任务都没有变化' }, { tasks })
      : say(
          {
            en: '{better} better, {worse} worse of {tasks} tasks',
            zh: '{tasks} 个任务：{better} 个变好，{worse} 个变差',
          },
          { better, worse, tasks },
        )
  if (better + worse === 0) return html`<span class="quiet whole">= 0.0</span> <span class="quiet">${counts}</span>`
  return html`<span class="${look} whole">${mark}${pointsText(difference)}</span>
    ${test === null ? html`<span class="quiet">${say({ en: 'not tested', zh: '未检验' })}</span>` : html`<span class="whole">${intervalText(test)}</span>`}
    <span class="quiet">${counts}</span>`
}

/** `(−1.0 to +9.3)`, or why the change has no interval. */
function intervalText({ interval, isShown }: ChangeTest): Html {
  if (interval === null)
    return html`<span class="quiet">${say({ en: 'too few tasks to tell', zh: '任务太少，样本不足' })}</span>`
  const [low, high] = interval.map(pointsText)
  const bounds = say({ en: '({low} to {high})', zh: '（{low} 至 {high}）' }, { low: low ?? '', high: high ?? '' })
  return isShown
    ? html`${bounds}`
    : html`${bounds}, <span class="quiet">${say({ en: 'may be chance', zh: '差异不显著' })}</span>`
}

/** `+4.2`, `−1.0`, `0.0`. */
function pointsText(share: number): string {
  const points = decimalText(Math.abs(share) * 100, 1)
  const isZero = points === decimalText(0, 1)
  return isZero ? points : `${share > 0 ? '+' : '−'}${points}`
}

/** How far a run is, and what it shows so far. */
export interface ProgressPage {
  readonly name: string
  readonly startedAt: string
  readonly state: RunState
  readonly progress: { readonly done: number; readonly of: number }
  readonly rows: readonly ProgressRow[]
  /** How many episodes `success` counts, and why it counts none; null before the first. */
  readonly scored: { readonly episodes: number } | { readonly fault: string } | null
  /** Episodes per second since the page is served; null while unknown. */
  readonly perSecond: number | null
  /** Address of the report of the episodes so far; null without one. */
  readonly soFar: string | null
  /** How to go on with it in a terminal; null while it is played. */
  readonly command: string | null
  readonly language?: PageLanguage | undefined
}

export interface ProgressRow {
  readonly model: string
  readonly protocol: string
  readonly done: number
  readonly of: number
  /** Of the episodes that were scored so far; null for none. */
  readonly success: Rate | null
}

/** The page of a run that has not ended; it asks for itself again. */
export function renderProgress(page: ProgressPage): string {
  const { name, startedAt, state, progress, rows, scored, perSecond, soFar, command, language } = page
  const left = perSecond === null || perSecond === 0 ? null : Math.ceil((progress.of - progress.done) / perSecond)
  const body = html`<p><a href="../">${say({ en: 'all runs', zh: '所有运行' })}</a></p>
    <h1>${name}</h1>
    <section id="progress" data-live="progress">
      <p class="quiet">${timeText(startedAt)}</p>
      ${stateLine({ state, progress })} ${command !== null && html`<p><code>${command}</code></p>`}
      ${
        state === 'playing' &&
        perSecond !== null &&
        html`<p class="quiet">
          ${say({ en: '{rate} episodes per second', zh: '每秒 {rate} 个回合' }, { rate: decimalText(perSecond, 1) })}${
            left !== null && say({ en: ', {n} s left', zh: '，剩余 {n} 秒' }, { n: left })
          }
        </p>`
      }
      ${scored !== null && scoredLine(scored)}
      ${soFar !== null && html`<p><a href="${soFar}">${say({ en: 'Report of the episodes so far', zh: '目前各回合的报告' })}</a></p>`}
      ${foldingTable({
        corner: { en: 'model', zh: '模型' },
        heads: [
          { words: { en: 'format', zh: '格式' }, isText: true },
          { words: { en: 'ended', zh: '已结束' } },
          { words: { en: 'success so far', zh: '目前成功率' } },
        ],
        groups: [
          {
            rows: rows.map((row) => ({
              head: row.model,
              cells: [
                formatId(row.protocol),
                html`<progress value="${row.done}" max="${Math.max(row.of, 1)}"></progress> ${row.done} / ${row.of}`,
                row.success === null ? '—' : rateCell(row.success),
              ],
            })),
          },
        ],
      })}
    </section>`
  return renderPage({ title: `callspec: ${name}`, language, body, isLive: true })
}

function scoredLine(scored: NonNullable<ProgressPage['scored']>): Html {
  if ('fault' in scored)
    return html`<p class="quiet">
      ${say({ en: 'No figures so far:', zh: '目前没有数字：' })} <span lang="en-GB">${scored.fault}</span>
    </p>`
  return html`<p class="quiet">
    ${say({ en: 'Figures of the episodes so far ({n}); they may change.', zh: '数字来自目前已结束的回合（{n} 个），可能变化。' }, { n: scored.episodes })}
  </p>`
}
