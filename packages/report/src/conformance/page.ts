import type { ConformanceColumn, Scoreboard } from '@callspec/conformance'
import { GRADES, sumCells, sumGrades } from '@callspec/conformance'
import type { Html } from '../html.ts'
import { dataBlock, html, say, escapeHtml } from '../html.ts'
import { foldingTable, sameWords } from '../folding-table.ts'
import { renderPage } from '../shell.ts'
import type { ConformanceReport } from './case-data.ts'
import { caseData } from './case-data.ts'
import { matrixOf } from './matrix.ts'

/** Topics by implementations, every cell with its failing cases, each with all answers side by side. One HTML file. */
export function renderConformance(report: ConformanceReport): string {
  const { columns, cases, scoreboards, language, date } = report
  const { sections, cells } = matrixOf(report)
  const body = html`<h1>${say({ en: 'Conformance', zh: '一致性测试' })}</h1>
    <p class="quiet">
      ${say({
        en: '✓ all cases passed, ✗ some did not; passed of those that were asked, +questions without one right answer, (skipped). A cell leads to its failing cases.',
        zh: '✓ 全部通过，✗ 有未通过的；数字为通过数与提问数，+ 为没有唯一答案的问题，( ) 为跳过数。点击单元格查看未通过的用例。',
      })}
    </p>
    ${columnsSection(columns, date)} ${sections} ${gradesSection(scoreboards)} ${historySection(scoreboards)}
    ${
      cases.length > 0 &&
      html`<section id="cases">
          <h2>${say({ en: 'Cases', zh: '用例' })}</h2>
          <p class="quiet">
            ${say({
              en: 'Cases that at least one program failed or on which two differ, each once, with all answers in the form in which they are compared.',
              zh: '有实现未通过或各实现答案不同的用例；每个用例只显示一次，所有答案按比较时的规范形式并列。',
            })}
          </p>
          <div id="case-viewer"></div>
        </section>
        ${dataBlock('case-data', caseData(report, cells))}`
    }`
  return renderPage({ title: 'callspec: conformance', language, body })
}

/** Who was asked, when, and which cases. */
function columnsSection(columns: readonly ConformanceColumn[], date: string): Html {
  return html`<details class="who">
    <summary>
      ${say({ en: '{n} columns; page of {date}', zh: '{n} 列；页面日期 {date}' }, { n: columns.length, date })}
    </summary>
    <table>
      <thead>
        <tr>
          <th scope="col">${say({ en: 'implementation', zh: '实现' })}</th>
          <th scope="col" class="text">${say({ en: 'cases', zh: '用例版本' })}</th>
          <th scope="col" class="text">${say({ en: 'when', zh: '时间' })}</th>
        </tr>
      </thead>
      <tbody>
        ${columns.map(
          ({ name, recorded, cases, date: ofRun }) =>
            html`<tr>
              <th scope="row">${name}</th>
              <td class="text">${cases ?? '–'}</td>
              <td class="text">
                ${recorded === null ? (ofRun ?? '–') : say({ en: 'recorded, {when}', zh: '录制，{when}' }, { when: recorded })}
              </td>
            </tr> `,
        )}
      </tbody>
    </table>
  </details>`
}

/** The verdicts in full of every version that is kept with them. */
function gradesSection(scoreboards: readonly Scoreboard[]): Html | null {
  const rows = scoreboards.flatMap(({ implementation, results }) =>
    results.flatMap(({ version, cells }) => {
      const counts = sumGrades(cells.map(({ grades = {} }) => grades))
      return Object.keys(counts).length === 0 ? [] : [{ name: `${implementation} ${version}`, counts }]
    }),
  )
  const used = GRADES.filter((grade) => rows.some(({ counts }) => (counts[grade] ?? 0) > 0))
  if (rows.length === 0) return null
  return html`<section id="verdicts">
    <h2>${say({ en: 'Verdicts in full', zh: '详细判定' })}</h2>
    <p class="quiet">
      ${say({
        en: 'whitespace, id, number: right but for these; cut: an open call whose user can see that it is cut; refused: an input that can be read; synthetic: streams that no user meets.',
        zh: 'whitespace、id、number：只在空白、id、数字写法上不同；cut：未写完的调用，用户看得出来；refused：拒绝了可读的输入；synthetic：用户不会遇到的流。',
      })}
    </p>
    ${foldingTable({
      corner: { en: 'implementation', zh: '实现' },
      heads: used.map((grade) => ({ words: sameWords(grade) })),
      groups: [
        { rows: rows.map(({ name, counts }) => ({ head: name, cells: used.map((grade) => counts[grade] ?? 0) })) },
      ],
    })}
  </section>`
}

function historySection(scoreboards: readonly Scoreboard[]): Html | null {
  const several = scoreboards.filter(({ results }) => results.length > 1)
  if (several.length === 0) return null
  return html`<section>
    <h2>${say({ en: 'Versions', zh: '各版本' })}</h2>
    ${several.map(
      ({ implementation, results }) =>
        html`<h3>${implementation}</h3>
          ${foldingTable({
            corner: { en: 'version', zh: '版本' },
            heads: [
              { words: { en: 'passed', zh: '通过' } },
              { words: { en: 'failed', zh: '失败' } },
              { words: { en: 'broke', zh: '出错' } },
              { words: { en: 'skipped', zh: '跳过' } },
            ],
            groups: [
              {
                rows: results.map(({ version, cells }) => {
                  const { passed, failed, errored, skipped } = sumCells(cells)
                  return { head: version, cells: [passed, failed, errored, skipped] }
                }),
              },
            ],
          })}`,
    )}
  </section>`
}

export interface Badge {
  /** Left, such as `callspec nous`. */
  readonly label: string
  /** Right, such as `61 of 61`. */
  readonly value: string
  readonly tone: 'good' | 'some' | 'bad' | 'none'
}

const COLOURS: Readonly<Record<Badge['tone'], string>> = {
  good: '#1a7f37',
  some: '#8a5a00',
  bad: '#b3261e',
  none: '#57606a',
}

/** About the width of a character at 11 px; a badge need not fit to the pixel. */
const CHARACTER = 6.6
const [PADDING, HEIGHT] = [14, 20]

/** A badge as an SVG file that loads nothing. White on these colours has a contrast of 4.5 and more. */
export function renderBadge({ label, value, tone }: Badge): string {
  const [left, right] = [widthOf(label), widthOf(value)]
  const text = (content: string, x: number): string =>
    `<text x="${x.toFixed(1)}" y="14" text-anchor="middle" fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">${escapeHtml(content)}</text>`
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${(left + right).toFixed(1)}" height="${HEIGHT}" role="img" aria-label="${escapeHtml(`${label}: ${value}`)}">
<title>${escapeHtml(`${label}: ${value}`)}</title>
<rect width="${left.toFixed(1)}" height="${HEIGHT}" fill="#24292f"/><rect x="${left.toFixed(1)}" width="${right.toFixed(1)}" height="${HEIGHT}" fill="${COLOURS[tone]}"/>
${text(label, left / 2)}
${text(value, left + right / 2)}
</svg>
`
}

/** Chinese characters are twice as wide. */
function widthOf(text: string): number {
  let units = 0
  for (const character of text) units += /[\u1100-\uffe6]/.test(character) ? 1.8 : 1
  return units * CHARACTER + PADDING
}

/** The badge of an implementation: its newest version, all cases that it was asked. */
export function badgeOf({ implementation, results }: Scoreboard): Badge {
  const [newest] = results
  const { passed, failed, errored } = sumCells(newest?.cells ?? [])
  const asked = passed + failed + errored
  const tone = asked === 0 ? 'none' : passed === asked ? 'good' : passed * 10 >= asked * 9 ? 'some' : 'bad'
  return { label: `callspec ${implementation}`, value: asked === 0 ? 'not run' : `${passed} of ${asked}`, tone }
}

/** The badge as an SVG file. */
export function renderScoreBadge(scoreboard: Scoreboard): string {
  return renderBadge(badgeOf(scoreboard))
}
