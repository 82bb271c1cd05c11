import type { Html, Words } from '../html.ts'
import { html, say } from '../html.ts'

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

/** The chart. `series` differ by the shape of their marks, not only by colour. */
export interface IntervalChart {
  readonly label: Words
  readonly series: readonly Words[]
  readonly lines: readonly IntervalLine[]
}

/**
 * Shares with their 95 % intervals on one axis from 0 to 100 %, as wide as the page; names are not cut. The same figures are in
 * a table next to it, so screen readers get only the name of the drawing.
 */
export function intervalChart({ label, series, lines }: IntervalChart): Html {
  return html`<figure class="chart">
    <figcaption class="quiet">${say(label)}</figcaption>
    <div class="bars intervals" role="img" aria-label="${label.en} / ${label.zh}">
      ${lines.map(
        ({ name, estimates }) =>
          html`<span class="bar-name">${name}</span><span class="lanes">${estimates.map(lane)}</span><span></span>`,
      )}
      <span class="bar-name"></span
      ><span class="axis">${TICKS.map((share) => html`<span style="left:${share}%">${share} %</span>`)}</span
      ><span></span>
    </div>
    <p class="quiet keys">${legend(series)}</p>
  </figure>`
}

const TICKS = [0, 25, 50, 75, 100]

function lane({ rate, interval }: Estimate, series: number): Html {
  if (rate === null) return html`<span class="lane"></span>`
  const [from, to] = interval ?? [rate, rate]
  return html`<span class="lane series-${series}"
    ><span class="whisker" style="left:${percent(from)}%;width:${percent(to - from)}%"></span
    ><svg class="dot-mark" style="left:${percent(rate)}%" width="14" height="14">${shape(series, 7, 7)}</svg></span
  >`
}

/** Rounded so that equal data give equal files. */
function percent(share: number): string {
  return (100 * Math.min(1, Math.max(0, share))).toFixed(2)
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
