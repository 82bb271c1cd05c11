import { boundsText } from '@callspec/eval'
import type { Rate, SummaryRow } from '@callspec/eval'
import { html } from '../html.ts'
import type { Html } from '../html.ts'
import { say } from '../words.ts'

/** `qwen3-8b react`. */
export function rowName({ model, protocol }: Pick<SummaryRow, 'model' | 'protocol'>): string {
  return `${model} ${protocol}`
}

/** `93.1 90.1–95.2 270/290`; a dash where there was nothing to count. */
export function rateCell({ rate, interval, hits, of }: Rate): Html {
  if (rate === null || interval === null) return html`—`
  return html`<strong>${(rate * 100).toFixed(1)}</strong> <span class="quiet whole">${boundsText({ interval })}</span>
    <span class="quiet whole">${hits}/${of}</span>`
}

/** A number with so many digits; a dash for none. What is rounded to zero has no sign. */
export function decimalText(value: number | null, digits: number): string {
  return value === null ? '—' : value.toFixed(digits).replace(/^-(?=[0.]*$)/, '')
}

/** A p value as a number; small ones as a bound. */
export function probabilityText(p: number): string {
  if (p < 0.001) return '< 0.001'
  return p >= 0.9995 ? '1' : p.toFixed(3)
}

/** Unknown is a word, never 0. */
export function unknownCost(cost: number | null): Html {
  if (cost === null) return say({ en: 'unknown', zh: '未知' })
  return html`${cost === 0 || cost >= 1 ? cost.toFixed(2) : cost.toPrecision(2)}`
}
