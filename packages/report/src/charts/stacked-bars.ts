import { html } from '../html.ts'
import type { Html } from '../html.ts'
import { say } from '../words.ts'
import type { Words } from '../words.ts'

/** A bar: how often each name occurs. */
export interface StackedBar {
  readonly name: string
  readonly counts: Readonly<Partial<Record<string, number>>>
}

/** The chart. Names get colours by their place in `order`. */
export interface StackedChart {
  readonly label: Words
  readonly order: readonly string[]
  /** What the names are called. */
  readonly names: Readonly<Record<string, Words>>
  /** Names that mean that nothing is wrong. */
  readonly fine: ReadonlySet<string>
  readonly bars: readonly StackedBar[]
}

/**
 * Bars of equal length whose parts are shares of all, as wide as the page; names stand whole. Parts carry their name and count
 * as a title, large ones as a text. The same figures stand in a table beside it.
 */
export function stackedBars({ label, order, names, fine, bars }: StackedChart): Html {
  const used = order.filter((name) => bars.some(({ counts }) => (counts[name] ?? 0) > 0))
  const look = (name: string): string => partClass(name, order, fine)
  return html`<figure class="chart">
    <figcaption class="quiet">${say(label)}</figcaption>
    <div class="bars" role="img" aria-label="${label.en} / ${label.zh}">
      ${bars.map((bar) => drawn(bar, { order, names, look }))}
    </div>
    <p class="quiet keys">
      ${used.map((name) => html`<span class="key"><span class="swatch ${look(name)}"></span> ${say(named(name, names))}</span> `)}
    </p>
  </figure>`
}

function named(name: string, names: StackedChart['names']): Words {
  return names[name] ?? { en: name, zh: name }
}

interface Look {
  readonly order: readonly string[]
  readonly names: StackedChart['names']
  readonly look: (name: string) => string
}

function drawn({ name, counts }: StackedBar, { order, names, look }: Look): Html {
  const total = order.reduce((sum, part) => sum + (counts[part] ?? 0), 0)
  const parts = order.flatMap((part) => {
    const count = counts[part] ?? 0
    if (count === 0 || total === 0) return []
    const share = (100 * count) / total
    const { en, zh } = named(part, names)
    const title = `${en === zh ? en : `${en} / ${zh}`}: ${count} / ${total}`
    return [
      html`<span class="${look(part)}" style="width:${share.toFixed(2)}%" title="${title}"
        >${share > 4 && count}</span
      >`,
    ]
  })
  return html`<span class="bar-name">${name}</span><span class="track">${parts}</span
    ><span class="quiet">${total}</span>`
}

/** Fine parts are quiet, in one of three looks, the others get one of ten. */
function partClass(name: string, order: readonly string[], fine: ReadonlySet<string>): string {
  if (fine.has(name)) return `part fine fine-${order.filter((other) => fine.has(other)).indexOf(name) % 3}`
  const place = order.filter((other) => !fine.has(other)).indexOf(name)
  return `part part-${place % 10}`
}
