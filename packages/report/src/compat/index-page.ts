import { tallyOf } from '@callspec/compat-data'
import type { CompatResult, CompatRow } from '@callspec/compat-data'
import { foldingTable, sameWords } from '../folding-table.ts'
import type { Html, HtmlPart } from '../html.ts'
import { html, say } from '../html.ts'
import { engineAddress } from './addresses.ts'
import { askedParts } from './engines-in-chinese.ts'
import type { ShownEngine } from './collect.ts'
import { bestParser, formatsOf } from './feeds.ts'
import type { SiteFile } from './shell.ts'
import { section, sitePage } from './shell.ts'
import { SYMPTOMS } from './symptoms.ts'

/** Days after which a row is marked as old, counted from the newest run of all rows. */
const OLD_DAYS = 120

/** The first page: search by symptom, and formats by engines, whose cells lead to the engine's wrong cases. */
export function indexPage(
  engines: readonly ShownEngine[],
  { symptoms, cases }: { readonly symptoms: ReadonlyMap<string, number>; readonly cases: number },
): SiteFile {
  const rows = engines.flatMap((shown) => shown.rows.slice(0, 1).map((row) => ({ shown, row })))
  const body = html`<h1>${say({ en: 'What engines read wrong', zh: '各引擎会读错什么' })}</h1>
    <p>
      ${say(
        {
          en: '{cases} cases on which engines differ, by version, as pages, as data, and as a feed: {feed}.',
          zh: '{cases} 个引擎之间存在差异的用例，按版本以页面、数据和订阅源提供：{feed}。',
        },
        { cases, feed: html`<a href="feed.json">feed.json</a>` },
      )}
    </p>
    ${searchSection(symptoms)} ${section('matrix', { en: 'Formats by engines', zh: '格式与引擎' }, matrix(rows))}
    ${section('engines', { en: 'Engines', zh: '引擎' }, enginesTable(rows))}
    ${section(
      'all-cases',
      { en: 'All cases', zh: '全部用例' },
      html`<p>
        ${say({ en: 'Every strict case, also those that all engines read right: {link}.', zh: '全部严格用例，包括所有引擎都读对的：{link}。' }, { link: html`<a href="case.html">case.html</a>` })}
      </p>`,
    )} `
  return sitePage({ path: 'index.html', title: 'callspec: what engines read wrong', body })
}

function searchSection(symptoms: ReadonlyMap<string, number>): Html {
  const chips = [...symptoms].toSorted(([, one], [, other]) => other - one)
  return section(
    'search',
    { en: 'Search by symptom', zh: '按现象搜索' },
    html`<label for="words"
        >${say({ en: 'Words of a symptom, an id, an engine or a format', zh: '现象、id、引擎或格式中的词' })}</label
      ><br />
      <input type="search" id="words" autocomplete="off" />
      <p class="chips">
        ${chips.map(([key, count]) => html`<button type="button" data-symptom="${key}">${say(SYMPTOMS[key] ?? sameWords(key))} ${count}</button> `)}
      </p>
      <p id="found" class="quiet" role="status"></p>
      <ul id="results" class="results"></ul>
      <noscript><p>Search is a program in JavaScript. 搜索需要 JavaScript。</p></noscript>`,
  )
}

function matrix(rows: readonly { readonly shown: ShownEngine; readonly row: CompatRow }[]): Html {
  const formats = [...new Set(rows.flatMap(({ row }) => formatsOf(row)))].toSorted()
  const heads = rows.map(({ row }) => ({ words: sameWords(`${row.title} ${row.version}`) }))
  const body = formats.map((format) => ({
    head: format,
    cells: rows.map(({ row }) => (formatsOf(row).includes(format) ? matrixCell(row, format) : null)),
  }))
  return html`<p class="quiet">
      ${say({
        en: 'Right of asked, of the parser that reads the most replies right: whole replies / streams. A cell leads to the wrong cases.',
        zh: '读对最多的解析器的正确数与提问数：整段 / 流式。点击单元格查看读错的用例。',
      })}
    </p>
    ${foldingTable({ corner: { en: 'format', zh: '格式' }, heads, groups: [{ rows: body }] })}`
}

function matrixCell(row: CompatRow, format: string): HtmlPart {
  const results = bestParser(row, format)
  const whole = countText(results.filter(({ operation }) => operation === 'parse'))
  const streamed = countText(results.filter(({ operation }) => operation === 'cut' || operation === 'stream'))
  const { wrong, cut, asked } = tallyOf(results)
  if (asked === 0) return null
  const parts = [whole, streamed].filter((part) => part !== '')
  const counts = parts.length === 0 ? [countText(results)] : parts
  const sign = html`<span class="${wrong === 0 ? 'good' : 'bad'}">${wrong === 0 ? '✓' : '✗'}</span> `
  const text = counts.map(
    (count, at) => html`<span class="whole">${at === 0 ? sign : '/ '}${count}</span>${at + 1 < counts.length && ' '}`,
  )
  return html`<a class="cell" href="${engineAddress(row.engine)}#${format}">${text}</a>${
      cut > 0 && html` <span class="quiet whole">${say({ en: '{cut} cut', zh: '截断 {cut}' }, { cut })}</span>`
    }`
}

function countText(results: readonly CompatResult[]): string {
  const { right, asked } = tallyOf(results)
  return asked === 0 ? '' : `${right}/${asked}`
}

function enginesTable(rows: readonly { readonly shown: ShownEngine; readonly row: CompatRow }[]): Html {
  const newest = Math.max(...rows.map(({ row }) => Date.parse(row.ran)))
  const body = rows.map(({ shown, row }) => {
    const isOld = newest - Date.parse(row.ran) > OLD_DAYS * 86_400_000
    const { wrong, contested } = tallyOf(row.results)
    return {
      head: html`<a href="${engineAddress(row.engine)}">${row.title}</a>`,
      cells: [
        row.version,
        html`${row.date}${isOld && html` <span class="warn">${say({ en: 'old', zh: '较旧' })}</span>`}`,
        row.ran,
        askedParts(row),
        String(wrong),
        String(contested),
        String(shown.engine.versions.length),
      ],
    }
  })
  const heads = [
    { words: { en: 'version', zh: '版本' }, isText: true },
    { words: { en: 'of', zh: '发布' }, isText: true },
    { words: { en: 'asked', zh: '测试' }, isText: true },
    { words: { en: 'what', zh: '对象' }, isText: true },
    { words: { en: 'wrong', zh: '错误' } },
    { words: { en: 'contested', zh: '有争议' } },
    { words: { en: 'versions', zh: '版本数' } },
  ]
  return foldingTable({ corner: { en: 'engine', zh: '引擎' }, heads, groups: [{ rows: body }] })
}

/** The page that shows any case of the data file of its format, by its id after `#`. */
export function anyCasePage(formats: readonly string[]): SiteFile {
  const body = html`<h1>${say({ en: 'All cases', zh: '全部用例' })}</h1>
    <p>
      <label for="format">${say({ en: 'Format', zh: '格式' })}</label>
      <select id="format">
        ${formats.map((format) => html`<option>${format}</option> `)}
      </select>
    </p>
    <p id="found" class="quiet" role="status"></p>
    <div id="case"></div>
    <ul id="results" class="results"></ul>
    <noscript><p>This page is a program in JavaScript. 本页需要 JavaScript。</p></noscript>`
  return sitePage({ path: 'case.html', title: 'callspec: all cases', body })
}
