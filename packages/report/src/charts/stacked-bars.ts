import { html } from '../html.ts'
import type { Html } from '../html.ts'
import type { Words } from '../words.ts'
import { place } from './scale.ts'

/** A bar: how often each name occurs. */
export interface StackedBar {
  readonly name: string
  readonly counts: Readonly<Partial<Record<string, number>>>
}

/** The chart. Names get colours and patterns by their place in `order`. */
export interface StackedChart {
  readonly label: Words
  readonly order: readonly string[]
  /** Names that mean that nothing is wrong. */
  readonly fine: ReadonlySet<string>
  readonly bars: readonly StackedBar[]
}

const [LEFT, WIDTH, RIGHT] = [190, 480, 60]
const [BAR, GAP, TOP] = [18, 8, 4]

/** Bars of equal length whose parts are shares of all. Parts carry their name and count as a title, large ones as a text. */
export function stackedBars({ label, order, fine, bars }: StackedChart): Html {
  const height = TOP + bars.length * (BAR + GAP)
  const used = order.filter((name) => bars.some(({ counts }) => (counts[name] ?? 0) > 0))
  return html`<figure class="chart">
    <svg
      viewBox="0 0 ${LEFT + WIDTH + RIGHT} ${height}"
      width="${LEFT + WIDTH + RIGHT}"
      role="img"
      aria-label="${label.en} / ${label.zh}"
    >
      ${bars.map((bar, index) => drawn(bar, { order, fine, top: TOP + index * (BAR + GAP) }))}
    </svg>
    <figcaption class="quiet">
      ${used.map(
        (name) =>
          html`<span class="key"
            ><svg width="14" height="14" aria-hidden="true">
              <rect width="14" height="14" class="${partClass(name, order, fine)}" />
            </svg>
            <code>${name}</code></span
          > `,
      )}
    </figcaption>
  </figure>`
}

interface Place {
  readonly order: readonly string[]
  readonly fine: ReadonlySet<string>
  readonly top: number
}

function drawn({ name, counts }: StackedBar, { order, fine, top }: Place): Html {
  const total = order.reduce((sum, part) => sum + (counts[part] ?? 0), 0)
  let done = 0
  const parts = order.flatMap((part) => {
    const count = counts[part] ?? 0
    if (count === 0 || total === 0) return []
    const [from, share] = [done / total, count / total]
    done += count
    const x = place(from, LEFT, WIDTH)
    const text =
      share > 0.08 &&
      html`<text x="${place(from + share / 2, LEFT, WIDTH)}" y="${top + 13}" text-anchor="middle" class="on-bar"
        >${count}</text
      >`
    return [
      html`<g
        ><title>${part}: ${count} / ${total}</title
        ><rect
          x="${x}"
          y="${top}"
          width="${(share * WIDTH).toFixed(1)}"
          height="${BAR}"
          class="${partClass(part, order, fine)}"
        />${text}</g
      >`,
    ]
  })
  return html`<text x="${LEFT - 10}" y="${top + 13}" text-anchor="end">${name}</text>${parts}<text
      x="${LEFT + WIDTH + 8}"
      y="${top + 13}"
      class="axis"
      >${total}</text
    >`
}

/** Fine parts are quiet, the others get one of ten looks. */
function partClass(name: string, order: readonly string[], fine: ReadonlySet<string>): string {
  if (fine.has(name)) return 'part fine'
  const place = order.filter((other) => !fine.has(other)).indexOf(name)
  return `part part-${place % 10}`
}
