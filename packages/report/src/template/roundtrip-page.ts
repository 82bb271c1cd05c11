import type { Html, PageLanguage, Words } from '../html.ts'
import { html, say } from '../html.ts'
import { renderPage } from '../shell.ts'

/** Messages that went through the chat template and the response template of a model. */
export interface RoundTripPage {
  readonly name: string
  readonly trips: readonly RoundTripRow[]
  /** The language in which the page opens. Default: that of the browser. */
  readonly language?: PageLanguage | undefined
}

export interface RoundTripRow {
  readonly id: string
  readonly verdict: RoundTripResult
  /** The parts that differ: `content`, `reasoning`, `calls`. */
  readonly differs: readonly string[]
  /** The reply that the chat template wrote; null where it refuses the message. */
  readonly reply: string | null
  /** The message that was read, or the raise, as JSON; the refusal of the chat template. */
  readonly outcome: string
  /** Number of places where a stream that is cut gives another message; null where that was not asked. */
  readonly cuts: number | null
}

export type RoundTripResult = 'same' | 'differs' | 'raises' | 'chat-template-loses' | 'chat-template-refuses'

const RESULTS: Readonly<Record<RoundTripResult, { readonly words: Words; readonly look: string }>> = {
  differs: { words: { en: 'comes back as another message', zh: '读回后变成另一条消息' }, look: 'bad' },
  raises: { words: { en: 'refused by the reader', zh: '读取器报错' }, look: 'bad' },
  'chat-template-loses': { words: { en: 'not written by the chat template', zh: '聊天模板没有写出' }, look: 'warn' },
  'chat-template-refuses': { words: { en: 'refused by the chat template', zh: '聊天模板报错' }, look: 'warn' },
  same: { words: { en: 'comes back', zh: '原样读回' }, look: 'good' },
}

const ORDER = Object.keys(RESULTS) as readonly RoundTripResult[]

/** Counts, then each message with its reply and what was read; what comes back is folded away. One HTML file. */
export function renderRoundTrip({ name, trips, language }: RoundTripPage): string {
  const wrong = ORDER.flatMap((result) =>
    trips.filter((trip) => trip.verdict === result && (result !== 'same' || (trip.cuts ?? 0) > 0)),
  )
  const right = trips.filter((trip) => !wrong.includes(trip))
  const body = html`<h1>${say({ en: 'Both templates', zh: '两个模板' })}</h1>
    <p>${name}</p>
    <p class="quiet">
      ${say({
        en: 'The chat template writes each message, and the response template reads the reply.',
        zh: '聊天模板写出每条消息，响应模板再读回。',
      })}
    </p>
    <ul>
      ${ORDER.map((result) => counted(result, trips))}
    </ul>
    ${wrong.map(section)}
    <details>
      <summary>${say({ en: '{n} messages come back', zh: '{n} 条消息原样读回' }, { n: right.length })}</summary>
      ${right.map(section)}
    </details>`
  return renderPage({ title: 'callspec: both templates', language, body })
}

function counted(result: RoundTripResult, trips: readonly RoundTripRow[]): Html | null {
  const count = trips.filter(({ verdict }) => verdict === result).length
  if (count === 0) return null
  const { words, look } = RESULTS[result]
  return html`<li><span class="${look}">${count}</span> / ${trips.length}: ${say(words)}</li>`
}

/** Texts of data sets may be as long as they like. */
const SHOWN = 4_000

function section({ id, verdict, differs, reply, outcome, cuts }: RoundTripRow): Html {
  const { words, look } = RESULTS[verdict]
  return html`<section>
    <h3>${id}</h3>
    <p>
      <span class="${look}">${say(words)}</span> ${differs.length > 0 && html`<code>${differs.join(', ')}</code>`}
      ${cuts !== null && cuts > 0 && html`<span class="bad">${say({ en: 'another message when cut at {n} places', zh: '在 {n} 处切分时读出另一条消息' }, { n: cuts })}</span>`}
    </p>
    <div class="sides">
      <div>
        <p class="quiet">${say({ en: 'written', zh: '写出的文本' })}</p>
        <pre>${reply === null ? '—' : shortened(reply)}</pre>
      </div>
      <div>
        <p class="quiet">${say({ en: 'read as', zh: '读回的消息' })}</p>
        <pre>${shortened(outcome)}</pre>
      </div>
    </div>
  </section> `
}

function shortened(text: string): string {
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text
}
