import { sumCells } from '@callspec/conformance'
import type { ConformanceColumn, Scoreboard } from '@callspec/conformance'
import type { Html } from '../html.ts'
import { dataBlock, html, say } from '../html.ts'
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
    ${columnsSection(columns, date)} ${sections} ${historySection(scoreboards)}
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

function historySection(scoreboards: readonly Scoreboard[]): Html | null {
  const several = scoreboards.filter(({ results }) => results.length > 1)
  if (several.length === 0) return null
  return html`<section>
    <h2>${say({ en: 'Versions', zh: '各版本' })}</h2>
    ${several.map(
      ({ implementation, results }) =>
        html`<h3>${implementation}</h3>
          <table>
            <thead>
              <tr>
                <th scope="col">${say({ en: 'version', zh: '版本' })}</th>
                <th scope="col">${say({ en: 'passed', zh: '通过' })}</th>
                <th scope="col">${say({ en: 'failed', zh: '失败' })}</th>
                <th scope="col">${say({ en: 'broke', zh: '出错' })}</th>
                <th scope="col">${say({ en: 'skipped', zh: '跳过' })}</th>
              </tr>
            </thead>
            <tbody>
              ${results.map(({ version, cells }) => {
                const { passed, failed, errored, skipped } = sumCells(cells)
                return html`<tr>
                  <th scope="row">${version}</th>
                  <td>${passed}</td>
                  <td>${failed}</td>
                  <td>${errored}</td>
                  <td>${skipped}</td>
                </tr>`
              })}
            </tbody>
          </table>`,
    )}
  </section>`
}
