import { html } from '../html.ts'
import type { Html } from '../html.ts'
import { say } from '../words.ts'
import type { EvaluationReport } from './input.ts'

/** The episodes of the page, each as a conversation. */
export function episodesSection({ left }: EvaluationReport): Html {
  return html`<section id="episodes">
    <h2>${say({ en: 'Episodes', zh: '运行过程' })}</h2>
    ${left.episodes > 0 && html`<p class="notice">${left.episodes}</p>`}
  </section>`
}
