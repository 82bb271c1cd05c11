import { COARSE_OPERATIONS, isCoarse } from '@callspec/conformance'
import { html } from '../html.ts'
import type { Html } from '../html.ts'
import { say } from '../words.ts'
import type { CellData } from './case-data.ts'
import type { ComparedCase, ConformanceColumn, ConformanceReport, TopicCell } from './input.ts'

/** The tables of all formats, and the places to which their cells lead. */
export interface Matrix {
  readonly sections: readonly Html[]
  readonly cells: readonly CellData[]
}

/** A section per format: topics as rows, implementations as columns; a table per profile. */
export function matrixOf({ columns, cells, cases }: ConformanceReport): Matrix {
  const formats = [...new Set(cells.map(({ format }) => format))].toSorted(byFormat)
  const led: CellData[] = []
  const failing = failingPlaces(cases)
  const sections = formats.map((format) => {
    const own = cells.filter((cell) => cell.format === format)
    const profiles = [...new Set(own.map(({ profile }) => profile))].toSorted(byProfile)
    return html`<section>
      <h2>${format ?? say({ en: 'without a format', zh: '无格式' })}</h2>
      ${profiles.map((profile) =>
        table(
          own.filter((cell) => cell.profile === profile),
          { columns, led, failing, caption: profile },
        ),
      )}
    </section>`
  })
  return { sections, cells: led }
}

interface TableParts {
  readonly columns: readonly ConformanceColumn[]
  readonly led: CellData[]
  readonly failing: ReadonlySet<string>
  readonly caption: string
}

function table(cells: readonly TopicCell[], { columns, led, failing, caption }: TableParts): Html {
  const shown = [...new Set(cells.map(({ column }) => column))].toSorted((one, other) => one - other)
  const byPlace = new Map(cells.map((cell) => [placeKey(cell), cell]))
  const row = (op: string, topic: string | null): Html =>
    html`<tr>
      <th scope="row">
        ${topic === null ? html`<strong>${op}</strong>, ${say({ en: 'all', zh: '全部' })}` : html`${op}: ${topic}`}
      </th>
      ${shown.map((column) => {
        const { format, profile } = cells[0] ?? { format: null, profile: caption }
        const cell = byPlace.get(placeKey({ column, format, profile, op, topic }))
        return cell === undefined ? html`<td></td>` : cellOf(cell, { led, failing })
      })}
    </tr> `
  return html`<table>
    <caption>
      ${caption}
    </caption>
    <thead>
      <tr>
        <th scope="col">${say({ en: 'topic', zh: '主题' })}</th>
        ${shown.map((column) => headOf(columns[column]))}
      </tr>
    </thead>
    <tbody>
      ${operationsIn(cells).map((op) => [row(op, null), ...topicsOf(cells, op).map((topic) => row(op, topic))])}
    </tbody>
  </table>`
}

function headOf(column: ConformanceColumn | undefined): Html {
  if (column === undefined) return html`<th scope="col"></th>`
  const { name, recorded } = column
  if (recorded === null) return html`<th scope="col">${name}</th>`
  return html`<th scope="col" class="recorded">
    ${name}<br /><small>${say({ en: 'recorded, {when}', zh: '录制，{when}' }, { when: recorded })}</small>
  </th>`
}

function cellOf(cell: TopicCell, { led, failing }: Pick<TableParts, 'led' | 'failing'>): Html {
  const asked = cell.passed + cell.failed + cell.errored
  const look = asked === 0 ? 'quiet' : cell.passed === asked ? 'good' : 'bad'
  const text = asked === 0 ? '–' : `${cell.passed === asked ? '✓' : '✗'} ${cell.passed}/${asked}`
  const shown = html`<span class="${look}">${text}</span
    >${cell.open > 0 && html` <small class="quiet">+${cell.open}</small>`}${cell.skipped > 0 && html` <small class="quiet">(${cell.skipped})</small>`}`
  if (!failing.has(placeKey(cell))) return html`<td>${shown}</td>`
  const { column, format, op, profile, topic } = cell
  const number = led.push({ column, format, op, profile, topic }) - 1
  return html`<td><a href="#cell=${number}">${shown}</a></td>`
}

/** Where an implementation did not pass a case that the page shows: by topic, and for all topics together. */
function failingPlaces(cases: readonly ComparedCase[]): ReadonlySet<string> {
  const places = new Set<string>()
  for (const { answers, ...place } of cases)
    for (const { column, verdict } of answers) {
      if (verdict !== 'failed' && verdict !== 'errored') continue
      places.add(placeKey({ ...place, column }))
      places.add(placeKey({ ...place, column, topic: null }))
    }
  return places
}

function placeKey({ column, format, op, profile, topic }: CellData): string {
  return JSON.stringify([column, format, op, profile, topic])
}

/** What outsiders implement first, in the order of the protocol. */
function operationsIn(cells: readonly TopicCell[]): readonly string[] {
  const rank = (op: string): number => (isCoarse(op) ? COARSE_OPERATIONS.indexOf(op) : COARSE_OPERATIONS.length)
  return [...new Set(cells.map(({ op }) => op))].toSorted(
    (one, other) => rank(one) - rank(other) || (one < other ? -1 : 1),
  )
}

function topicsOf(cells: readonly TopicCell[], op: string): readonly string[] {
  return [...new Set(cells.flatMap((cell) => (cell.op === op && cell.topic !== null ? [cell.topic] : [])))].toSorted()
}

function byFormat(one: string | null, other: string | null): number {
  return Number(one === null) - Number(other === null) || ((one ?? '') < (other ?? '') ? -1 : 1)
}

/** `strict` first, then versions, newest first. */
function byProfile(one: string, other: string): number {
  return Number(other === 'strict') - Number(one === 'strict') || other.localeCompare(one, 'en', { numeric: true })
}
