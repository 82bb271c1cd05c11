import { html } from '../html.ts'
import type { Html } from '../html.ts'
import { say } from '../words.ts'
import type { Words } from '../words.ts'
import { place } from './scale.ts'

/** A share with its interval, from 0 to 1; null where there was nothing to count. */
export interface Estimate {
  readonly rate: number | null
  readonly interval: readonly [number, number] | null
}

/** One line of the chart: a name, and an estimate per series. */
export interface IntervalLine {
  readonly name: string
  readonly estimates: readonly Estimate[]
}

/** The chart. `series` are told apart by the shape of their marks, not only by colour. */
export interface IntervalChart {
  readonly label: Words
  readonly series: readonly Words[]
  readonly lines: readonly IntervalLine[]
}

const [LEFT, WIDTH, RIGHT] = [190, 480, 20]
const [TOP, SERIES_HEIGHT, GAP] = [26, 16, 12]

/**
 * Shares with their 95 % intervals on one axis from 0 to 100 %. The same figures stand in a table beside it, so the drawing is
 * hidden from screen readers but for its name.
 */
export function intervalChart({ label, series, lines }: IntervalChart): Html {
  const lineHeight = series.length * SERIES_HEIGHT + GAP
  const height = TOP + lines.length * lineHeight + 8
  return html`<figure class="chart">
    <svg
      viewBox="0 0 ${LEFT + WIDTH + RIGHT} ${height}"
      width="${LEFT + WIDTH + RIGHT}"
      role="img"
      aria-label="${label.en} / ${label.zh}"
    >
      ${axis(height)} ${lines.map((line, index) => drawn(line, TOP + index * lineHeight))}
    </svg>
    <figcaption class="quiet">${legend(series)}</figcaption>
  </figure>`
}

function axis(height: number): readonly Html[] {
  return [0, 0.25, 0.5, 0.75, 1].map((share) => {
    const x = place(share, LEFT, WIDTH)
    return html`<line x1="${x}" x2="${x}" y1="${TOP - 6}" y2="${height - 6}" class="grid" /><text
        x="${x}"
        y="12"
        text-anchor="middle"
        class="axis"
        >${share * 100} %</text
      >`
  })
}

function drawn({ name, estimates }: IntervalLine, top: number): Html {
  return html`<text x="${LEFT - 10}" y="${top + (estimates.length * SERIES_HEIGHT) / 2 + 4}" text-anchor="end"
      >${short(name)}</text
    >${estimates.map((estimate, series) => mark(estimate, series, top + series * SERIES_HEIGHT + SERIES_HEIGHT / 2))}`
}

function mark({ rate, interval }: Estimate, series: number, y: number): Html | null {
  if (rate === null) return null
  const x = place(rate, LEFT, WIDTH)
  const whisker =
    interval !== null &&
    html`<line
      x1="${place(interval[0], LEFT, WIDTH)}"
      x2="${place(interval[1], LEFT, WIDTH)}"
      y1="${y}"
      y2="${y}"
      class="whisker"
    />`
  return html`<g class="series-${series}">${whisker}${shape(series, Number(x), y)}</g>`
}

/** A disc, a square, a triangle, a ring. */
function shape(series: number, x: number, y: number): Html {
  switch (series % 4) {
    case 0:
      return html`<circle cx="${x}" cy="${y}" r="5" />`
    case 1:
      return html`<rect x="${x - 4.5}" y="${y - 4.5}" width="9" height="9" />`
    case 2:
      return html`<path d="M${x} ${y - 5.5}L${x + 5.5} ${y + 4.5}H${x - 5.5}Z" />`
    default:
      return html`<circle cx="${x}" cy="${y}" r="4.5" class="ring" />`
  }
}

function legend(series: readonly Words[]): readonly Html[] {
  return series.map(
    (words, index) =>
      html`<span class="key"
        ><svg width="14" height="14" aria-hidden="true"><g class="series-${index}">${shape(index, 7, 7)}</g></svg>
        ${say(words)}</span
      > `,
  )
}

function short(name: string): string {
  const characters = [...name]
  return characters.length <= 24 ? name : `${characters.slice(0, 12).join('')}…${characters.slice(-11).join('')}`
}
