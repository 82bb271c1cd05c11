import type { CompatChange, CompatChanges, CompatEngine, CompatResult, CompatRow } from '@callspec/compat-data'
import { isWrong, tallyOf } from '@callspec/compat-data'
import { foldingTable, sameWords } from '../folding-table.ts'
import type { Html, HtmlPart, Words } from '../html.ts'
import { html, joined, say } from '../html.ts'
import { caseAddress, engineAddress, linkFrom, withoutCut } from './addresses.ts'
import { VERDICT_WORDS } from './case-page.ts'
import type { ShownEngine } from './collect.ts'
import { askedParts } from './engines-in-chinese.ts'
import { badgePath, formatsOf } from './feeds.ts'
import type { SiteFile } from './shell.ts'
import { section, sitePage } from './shell.ts'

/** A report that is ready to be sent to the makers of an engine. */
export interface ReadyReport {
  readonly title: string
  /** Markdown, shown as it is. */
  readonly text: string
}

/** So many reports of an engine are shown. */
const MOST_REPORTS = 10

/** The reports in a file of Markdown: what follows each heading of the second level. */
export function readyReports(markdown: string): readonly ReadyReport[] {
  const parts = markdown.split(/^## +/m).slice(1)
  return parts.slice(0, MOST_REPORTS).map((part) => {
    const end = part.indexOf('\n')
    return { title: (end < 0 ? part : part.slice(0, end)).trim(), text: end < 0 ? '' : part.slice(end + 1).trim() }
  })
}

/** The columns of counts, and their words. */
export const TALLY_HEADS: readonly Words[] = [
  { en: 'right', zh: '正确' },
  { en: 'near', zh: '近似' },
  { en: 'cut by policy', zh: '按策略截断' },
  { en: 'contested', zh: '有争议' },
  { en: 'wrong', zh: '错误' },
  { en: 'not asked', zh: '未测试' },
]

const OPERATIONS: Readonly<Record<CompatResult['operation'], Words>> = {
  parse: { en: 'whole', zh: '整段' },
  stream: { en: 'streamed', zh: '流式' },
  cut: { en: 'streamed in tokens', zh: '按 token 流式' },
  render: { en: 'prompts', zh: '提示词' },
}

/** The page of an engine: its state by format, what is new, reports, and every wrong case. */
export function enginePage(
  shown: ShownEngine,
  { changes, reports }: { readonly changes: CompatChanges | null; readonly reports: readonly ReadyReport[] },
): SiteFile | null {
  const { engine, rows } = shown
  const [row, before] = rows
  if (row === undefined) return null
  const path = engineAddress(engine.name)
  const reported = reports.map(
    ({ title, text }) =>
      html`<details>
        <summary>${title}</summary>
        <pre>${text}</pre>
      </details> `,
  )
  const body = html`${engineHead(engine, row)}
  ${section('new', { en: 'New and gone', zh: '新增与消失' }, changesList(changes, { before: before?.version ?? '', path }))}
  ${reports.length > 0 && section('reports', { en: 'Reports ready to be filed', zh: '可提交的报告' }, reported)}
  ${section('state', { en: 'State by format', zh: '各格式的状况' }, stateTable(row.results, path))}
  ${formatsOf(row).map((format) =>
    wrongSection(
      row.results.filter((result) => result.format === format),
      { format, path },
    ),
  )}
  ${notAskedSection(row)} `
  return sitePage({ path, title: `${engine.title} ${row.version} - callspec`, body })
}

function engineHead({ title, versions }: CompatEngine, row: CompatRow): Html {
  const listed = versions.map(({ version, date }) => `${version} (${date})`).join(', ')
  const stubs = say(
    { en: 'Imports that a stub replaced: {stubs}', zh: '以桩替换的导入：{stubs}' },
    { stubs: row.stubs.join(', ') },
  )
  return html`<h1>${title} ${row.version}</h1>
    <p>
      ${say(
        {
          en: 'Of {date}; {what}. Asked {ran}, cases {cases}. Versions in the data: {versions}.',
          zh: '发布于 {date}；{what}。测试于 {ran}，用例 {cases}。数据中的版本：{versions}。',
        },
        { date: row.date, what: askedParts(row), ran: row.ran, cases: row.casesVersion, versions: listed },
      )}
    </p>
    ${row.stubs.length > 0 && html`<p class="quiet">${stubs}</p>`}
    <p class="quiet">
      ${say({
        en: 'Cases are chosen where readers differ: these are not rates of failure in use.',
        zh: '用例选自各实现容易出现差异之处，并非实际使用中的失败率。',
      })}
    </p>`
}

function notAskedSection({ notAsked }: CompatRow): HtmlPart {
  if (notAsked.length === 0) return null
  const items = notAsked.map(
    ({ parser, format, why }) => html`<li>${parser}${format === undefined ? '' : ` (${format})`}: ${why}</li> `,
  )
  return section(
    'not-asked',
    { en: 'Parsers that were not asked', zh: '未测试的解析器' },
    html`<ul>
      ${items}
    </ul>`,
  )
}

function changesList(
  changes: CompatChanges | null,
  { before, path }: { readonly before: string; readonly path: string },
): Html {
  if (changes === null)
    return html`<p>${say({ en: 'No version before it was asked.', zh: '之前的版本尚未测试。' })}</p>`
  const { fresh, gone, firstAsked } = changes
  return html`<p>
      ${say({ en: 'Since {before}: {fresh} new wrong cases, {gone} gone.', zh: '自 {before} 起：新增错误 {fresh}，消失 {gone}。' }, { before, fresh: fresh.length, gone: gone.length })}
    </p>
    ${changeItems({ en: 'New', zh: '新增' }, fresh, path)} ${changeItems({ en: 'Gone', zh: '消失' }, gone, path)}
    ${firstAsked.length > 0 && html`<p>${say({ en: 'Asked for the first time: {pairs}', zh: '首次测试：{pairs}' }, { pairs: firstAsked.map(({ parser, format }) => `${parser} with ${format}`).join(', ') })}</p>`}`
}

/** A longer list is closed until it is opened. */
const OPEN_ITEMS = 30

function changeItems(title: Words, changes: readonly CompatChange[], path: string): HtmlPart {
  if (changes.length === 0) return null
  const open = changes.length <= OPEN_ITEMS && html`open`
  return html`<details ${open}>
    <summary>${say(title)}: ${changes.length}</summary>
    <ul class="ids">
      ${changes.map(({ parser, id, before, after }) => html`<li>${parser}: ${caseLink(id, path)}: ${say(VERDICT_WORDS[before])} → ${say(VERDICT_WORDS[after])}</li> `)}
    </ul>
  </details>`
}

function caseLink(id: string, path: string): Html {
  return html`<a href="${linkFrom(path, caseAddress(withoutCut(id)))}">${id}</a>`
}

function stateTable(results: readonly CompatResult[], path: string): Html {
  const groups = [...new Set(results.map(({ format }) => format))].map((format) => ({
    head: html`<a href="#${format}">${format}</a>
      <img
        class="badge"
        loading="lazy"
        alt=""
        src="${linkFrom(
          path,
          `${badgePath(
            path.replace(/^engines\/|\.html$/g, () => ''),
            format,
          )}.svg`,
        )}"
      />`,
    rows: results
      .filter((result) => result.format === format)
      .map((result) => {
        const { asked, right, near, cut, contested, wrong } = tallyOf([result])
        const { skipped = 0, synthetic = 0 } = result.counts
        return {
          head: html`${result.parser}, ${say(OPERATIONS[result.operation])}`,
          cells: [
            `${right}/${asked}`,
            ...[near, cut, contested, wrong, skipped + synthetic].map((count) => (count === 0 ? '' : count)),
          ],
        }
      }),
  }))
  return foldingTable({
    corner: { en: 'parser', zh: '解析器' },
    heads: TALLY_HEADS.map((words) => ({ words })),
    groups,
  })
}

function wrongSection(
  results: readonly CompatResult[],
  { format, path }: { readonly format: string; readonly path: string },
): Html {
  const parts = results.flatMap(({ parser, operation, cases }) => {
    const ids = Object.entries(cases).flatMap(([id, [verdict]]) => (isWrong(verdict) ? [{ id, verdict }] : []))
    if (ids.length === 0) return []
    return [
      html`<details>
        <summary>${parser}, ${say(OPERATIONS[operation])}: ${ids.length}</summary>
        <ul class="ids">
          ${ids.map(({ id, verdict }) => html`<li>${caseLink(id, path)}: ${say(VERDICT_WORDS[verdict])}</li> `)}
        </ul>
      </details> `,
    ]
  })
  const none = html`<p class="good">✓ ${say({ en: 'No case is read wrong.', zh: '没有读错的用例。' })}</p>`
  return section(format, sameWords(format), parts.length === 0 ? none : joined(parts))
}
