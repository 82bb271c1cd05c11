import { BLAMED } from '@callspec/eval'
import type { Blamed, EvalSummary } from '@callspec/eval'
import { stackedBars } from '../charts/stacked-bars.ts'
import { html } from '../html.ts'
import type { Html } from '../html.ts'
import { say } from '../words.ts'
import type { Words } from '../words.ts'
import { rowName } from './cells.ts'

const NOBODY: ReadonlySet<string> = new Set()

/** Who is meant, in the languages of the page; charts and files have the English word. */
const CULPRITS: Readonly<Record<Blamed, Words>> = {
  model: { en: 'model', zh: '模型 model' },
  prompt: { en: 'prompt', zh: '提示 prompt' },
  parser: { en: 'parser', zh: '解析器 parser' },
  server: { en: 'server', zh: '服务端 server' },
  setup: { en: 'setup (our own settings, not the model)', zh: '评测设置 setup（与模型无关）' },
}

/** Where failures come from: who is to blame for failed turns and episodes, and the causes with the evidence for each. */
export function blameSection({ rows }: EvalSummary): Html | null {
  const failing = rows.filter(({ blame }) => blame.causes.length > 0)
  if (failing.length === 0) return null
  return html`<section id="blame">
    <h2>${say({ en: 'Where failures come from', zh: '失败从何而来' })}</h2>
    ${stackedBars({
      label: { en: 'Failed turns by who is to blame', zh: '失败的回复按责任方统计' },
      order: BLAMED,
      fine: NOBODY,
      bars: failing.map((row) => ({ name: rowName(row), counts: row.blame.turns })),
    })}
    <table>
      <caption>
        ${say({ en: 'Every failed turn and episode has one cause. The evidence is that of the first time.', zh: '每个失败的回复和运行都归于一个原因。证据取自第一次出现。' })}
      </caption>
      <thead>
        <tr>
          <th scope="col">${say({ en: 'model, format', zh: '模型、格式' })}</th>
          <th scope="col" class="text">${say({ en: 'blames', zh: '责任方' })}</th>
          <th scope="col" class="text">${say({ en: 'cause', zh: '原因' })}</th>
          <th scope="col">${say({ en: 'turns', zh: '回复' })}</th>
          <th scope="col">${say({ en: 'episodes', zh: '运行' })}</th>
          <th scope="col" class="text">${say({ en: 'evidence', zh: '证据' })}</th>
        </tr>
      </thead>
      <tbody>
        ${failing.flatMap((row) =>
          row.blame.causes.map(
            ({ blames, rule, detail, example, turns, episodes }) =>
              html`<tr>
                <th scope="row">${rowName(row)}</th>
                <td class="text">${say(CULPRITS[blames])}</td>
                <td class="text"><code>${rule}</code>${detail !== null && html` ${detail}`}</td>
                <td>${turns}</td>
                <td>${episodes}</td>
                <td class="text evidence">${example}</td>
              </tr> `,
          ),
        )}
      </tbody>
    </table>
  </section>`
}
