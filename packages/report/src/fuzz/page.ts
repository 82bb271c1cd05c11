import type { Finding } from '@callspec/fuzz'
import { html } from '../html.ts'
import { renderPage } from '../shell.ts'
import { say } from '../words.ts'
import type { PageLanguage } from '../words.ts'

/** What a campaign found. */
export interface FuzzReport {
  /** Who was searched. */
  readonly subject: string
  readonly texts: number
  readonly withCall: number
  readonly seed: number
  readonly violations: readonly (Finding & {
    readonly times: number
    /** The command that shows it again. */
    readonly replay: string
  })[]
  readonly language: PageLanguage
}

/** The findings of a campaign: law, shrunk case, replay command. One HTML file. */
export function renderFuzz({ subject, texts, withCall, seed, violations, language }: FuzzReport): string {
  const body = html`<h1>${say({ en: 'Laws that were broken', zh: '被违反的规则' })}</h1>
    <p class="quiet">${subject} · ${texts} texts, ${withCall} with a call · seed ${seed}</p>
    ${violations.length === 0 && html`<p class="good">✓ ${say({ en: 'No violation was found.', zh: '没有发现违反规则的情况。' })}</p>`}
    ${violations.map(
      ({ law, statement, pains, breach, text, chunks, expected, got, times, replay }) =>
        html`<section>
          <h2>${law} <span class="bad">${breach}</span></h2>
          <p>${statement} <span class="quiet">${pains.join(', ')} · ${times}×</span></p>
          <p class="quiet">${say({ en: 'text', zh: '文本' })}</p>
          <pre>${JSON.stringify(text)}</pre>
          ${
            chunks.length > 1 &&
            html`<p class="quiet">${say({ en: 'chunks', zh: '分块' })}</p>
              <pre>${JSON.stringify(chunks)}</pre>`
          }
          <div class="sides">
            <div>
              <p class="quiet">${say({ en: 'expected', zh: '期望' })}</p>
              <pre>${expected}</pre>
            </div>
            <div>
              <p class="quiet">${say({ en: 'got', zh: '实际' })}</p>
              <pre>${got}</pre>
            </div>
          </div>
          <p class="quiet">${say({ en: 'see it again', zh: '重现' })}</p>
          <pre>${replay}</pre>
        </section> `,
    )}`
  return renderPage({ title: `callspec fuzz: ${subject}`, language, body })
}
