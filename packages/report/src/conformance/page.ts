import { isCoarse, sumCells } from '@callspec/conformance'
import type { Scoreboard, ScoreCell } from '@callspec/conformance'
import { renderBadge } from '../badge.ts'
import type { Badge } from '../badge.ts'
import { html } from '../html.ts'
import type { Html } from '../html.ts'
import { renderPage } from '../shell.ts'
import { say } from '../words.ts'
import { byteDiff } from './byte-diff.ts'
import type { ConformanceReport, FailedCase } from './input.ts'

/** Implementations by formats and operations, every cell with its failing cases. One HTML file. */
export function renderConformance(report: ConformanceReport): string {
  const { scoreboards, failures, language } = report
  const rows = scoreboards.flatMap(rowsOf)
  const formats = [...new Set(rows.map(({ cell }) => cell.format))].toSorted((one, other) => rank(one) - rank(other))
  const body = html`<h1>${say({ en: 'Conformance', zh: '一致性测试' })}</h1>
    <p class="quiet">
      ${say({ en: '✓ all cases passed, ✗ some did not; passed of those that were asked. A cell leads to its failing cases.', zh: '✓ 全部通过，✗ 有未通过的；数字为通过数与提问数。点击单元格查看未通过的用例。' })}
    </p>
    ${formats.map((format) =>
      formatSection(
        format,
        rows.filter(({ cell }) => cell.format === format),
        failures,
      ),
    )}
    ${historySection(scoreboards)} ${failuresSection(failures)}`
  return renderPage({ title: 'callspec: conformance', language, body })
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

interface Row {
  readonly name: string
  readonly cell: ScoreCell
}

function rowsOf({ implementation, results }: Scoreboard): readonly Row[] {
  return results.flatMap(({ version, cells }) => cells.map((cell) => ({ name: `${implementation} ${version}`, cell })))
}

/** Results of what cannot say its version, such as a program for one question, name it without one. */
function isOf({ implementation }: FailedCase, name: string): boolean {
  return implementation === name || `${implementation} unknown` === name
}

/** What has no format comes last. */
function rank(format: string | null): number {
  return format === null ? 1 : 0
}

const FUNCTIONS = 'functions'

function columnOf({ op }: Pick<ScoreCell, 'op'>): string {
  return isCoarse(op) ? op : FUNCTIONS
}

function formatSection(format: string | null, rows: readonly Row[], failures: readonly FailedCase[]): Html {
  const columns = [...new Set(rows.map(({ cell }) => columnOf(cell)))]
  const places = [
    ...new Map(
      rows.map(({ name, cell }) => [JSON.stringify([name, cell.profile]), { name, profile: cell.profile }]),
    ).values(),
  ]
  return html`<section>
    <h2>${format ?? say({ en: 'without a format', zh: '无格式' })}</h2>
    <table>
      <thead>
        <tr>
          <th scope="col">${say({ en: 'implementation', zh: '实现' })}</th>
          <th scope="col" class="text">${say({ en: 'profile', zh: '配置' })}</th>
          ${columns.map((column) => html`<th scope="col">${column}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${places.map(
          ({ name, profile }) =>
            html`<tr>
              <th scope="row">${name}</th>
              <td class="text">${profile}</td>
              ${columns.map((column) => {
                const cells = rows.filter(
                  (row) => row.name === name && row.cell.profile === profile && columnOf(row.cell) === column,
                )
                return cells.length === 0
                  ? html`<td></td>`
                  : cellOf(
                      cells.map(({ cell }) => cell),
                      failures.find(
                        (failed) =>
                          isOf(failed, name) &&
                          failed.profile === profile &&
                          failed.format === format &&
                          columnOf(failed) === column,
                      ),
                    )
              })}
            </tr> `,
        )}
      </tbody>
    </table>
  </section>`
}

function cellOf(cells: readonly ScoreCell[], failed: FailedCase | undefined): Html {
  const { passed, failed: wrong, errored, skipped } = sumCells(cells)
  const asked = passed + wrong + errored
  const text = asked === 0 ? '–' : `${passed === asked ? '✓' : '✗'} ${passed}/${asked}`
  const look = asked === 0 ? 'quiet' : passed === asked ? 'good' : 'bad'
  const shown = html`<span class="${look}">${text}</span
    >${skipped > 0 && html` <small class="quiet">(${skipped})</small>`}`
  return failed === undefined ? html`<td>${shown}</td>` : html`<td><a href="#${anchorOf(failed)}">${shown}</a></td>`
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

function failuresSection(failures: readonly FailedCase[]): Html | null {
  if (failures.length === 0) return null
  return html`<section>
    <h2>${say({ en: 'Failing cases', zh: '未通过的用例' })}</h2>
    ${failures.map(
      (failed) =>
        html`<details id="${anchorOf(failed)}">
          <summary>
            <code>${failed.id}</code>
            <span class="quiet">${failed.implementation}, ${failed.op}, ${failed.profile}</span>
            <span class="bad">${failed.verdict}</span>
          </summary>
          <p>${failed.reason}</p>
          ${
            failed.input !== null &&
            html`<p class="quiet">input</p>
              <pre>${failed.input}</pre>`
          }
          ${
            failed.expected !== null && failed.got !== null
              ? html`<div class="sides">
                    <div>
                      <p class="quiet">expected</p>
                      <pre>${failed.expected}</pre>
                    </div>
                    <div>
                      <p class="quiet">got</p>
                      <pre>${failed.got}</pre>
                    </div>
                  </div>
                  ${byteDiff(failed.expected, failed.got)}`
              : null
          }
        </details> `,
    )}
  </section>`
}

/** The same for the cell and for the case that it leads to. */
function anchorOf({ implementation, id, profile }: FailedCase): string {
  // Half a character has no form in an address.
  const whole = `${implementation} ${profile} ${id}`.replace(/\p{Surrogate}/gu, '_')
  return encodeURIComponent(whole).replaceAll('%', '_')
}
