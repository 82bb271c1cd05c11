import type { Finding, Message, Spot } from '@callspec/template/lint'
import { html } from '../html.ts'
import type { Html } from '../html.ts'
import { say } from '../words.ts'

/** How a finding is reached, and looks. */
export interface FindingLook {
  readonly id: string
  readonly sign: string
  /** A class of the page's style. */
  readonly look: string
}

/** A finding with its conversation and the prompt that it became. */
export function findingSection(finding: Finding, { id, sign, look }: FindingLook): Html {
  const { rule, about, detail, remedy, reports, probe, rendered, spot } = finding
  return html`<section id="${id}">
    <h3><span class="${look}">${sign} ${rule}</span></h3>
    <p lang="en-GB">${about}</p>
    <p class="quiet">${say({ en: 'What to do', zh: '处理办法' })}: <span lang="en-GB">${remedy}</span></p>
    ${reports.map((address) => html`<p class="quiet"><a href="${address}">${address}</a></p>`)}
    <div class="sides">
      <div>
        <p class="quiet">${say({ en: 'conversation', zh: '对话' })}: ${probe.id}</p>
        ${probe.messages.map(messageOf)} ${probe.tools !== null && toolsOf(probe.tools)}
      </div>
      <div>
        ${
          rendered === null
            ? html`<p class="quiet">${say({ en: 'The template raises', zh: '模板报错' })}</p>
                <pre>${detail}</pre>`
            : html`<p class="quiet">${say({ en: 'prompt', zh: '提示词' })}</p>
                <p lang="en-GB">${detail}</p>
                ${promptOf(rendered, spot)}`
        }
      </div>
    </div>
  </section> `
}

function messageOf(message: Message): Html {
  const { role, content, ...further } = message
  const rest = Object.keys(further).length === 0 ? null : JSON.stringify(further, null, 1)
  return html`<div class="message old">
    <p class="role">${role}</p>
    <pre>${typeof content === 'string' ? content : content === undefined ? '—' : JSON.stringify(content)}</pre>
    ${rest !== null && html`<pre>${rest}</pre>`}
  </div>`
}

function toolsOf(tools: readonly unknown[]): Html {
  return html`<details>
    <summary>${say({ en: '{n} tools', zh: '{n} 个工具' }, { n: tools.length })}</summary>
    <pre>${JSON.stringify(tools, null, 1)}</pre>
  </details>`
}

/** Prompts of hostile templates may be as long as they like. */
const AROUND = 6_000

/** The prompt with its spot marked; where something is missing, the place is marked by a sign. */
function promptOf(rendered: string, spot: Spot | null): Html {
  const { start, end } = spot ?? { start: rendered.length, end: rendered.length }
  const from = Math.max(0, start - AROUND)
  const to = Math.min(rendered.length, end + AROUND)
  const marked = rendered.slice(start, Math.min(end, start + AROUND))
  return html`<pre class="bytes" tabindex="0">
${from > 0 && '…'}${rendered.slice(from, start)}<mark>${marked === '' ? '▮' : marked}</mark>${rendered.slice(end, to)}${to < rendered.length && '…'}</pre>`
}
