import type { GrammarCheck, GrammarFinding } from '@callspec/grammar'
import type { Html, PageLanguage } from '../html.ts'
import { html, say } from '../html.ts'
import { renderPage } from '../shell.ts'

/** A grammar compared with a format. */
export interface GrammarCheckPage {
  /** The name of the grammar. */
  readonly grammar: string
  readonly format: string
  readonly check: GrammarCheck
  /** The language in which the page opens. Default: that of the browser. */
  readonly language?: PageLanguage | undefined
}

/** The findings of a check, each with its smallest text. One HTML file. */
export function renderGrammarCheck({ grammar, format, check, language }: GrammarCheckPage): string {
  const body = html`<h1>${say({ en: 'Grammar check', zh: '语法检查' })}</h1>
    <p>${grammar}, ${format}</p>
    <p class="quiet">
      ${say({
        en: 'Refused: the template or the writer writes it, the grammar does not accept it. Unread: the grammar accepts it, the reader does not read it as requested.',
        zh: '被拒绝：模板或写入器会写出，但语法不接受。无法读取：语法接受，但解析器不能按要求读出。',
      })}
    </p>
    <p>
      ${say({ en: 'Texts written', zh: '写出的文本' })}: ${check.written}.
      ${say({ en: 'Random texts', zh: '随机文本' })}: ${check.walked}.
    </p>
    ${check.findings.length === 0 ? html`<p class="good">${say({ en: 'No finding.', zh: '没有发现问题。' })}</p>` : table(check.findings)}`
  return renderPage({ title: 'callspec: grammar check', language, body })
}

function table(findings: readonly GrammarFinding[]): Html {
  return html`<table>
    <thead>
      <tr>
        <th scope="col">${say({ en: 'finding', zh: '问题' })}</th>
        <th scope="col">${say({ en: 'about', zh: '说明' })}</th>
        <th scope="col">${say({ en: 'texts', zh: '数量' })}</th>
        <th scope="col">${say({ en: 'smallest text', zh: '最小文本' })}</th>
      </tr>
    </thead>
    <tbody>
      ${findings.map(
        ({ kind, about, count, text, at, expected }) =>
          html`<tr>
            <td>
              ${kind === 'refused' ? say({ en: 'refused', zh: '被拒绝' }) : say({ en: 'unread', zh: '无法读取' })}
            </td>
            <td>${about}${at === null ? '' : `; ${at}: ${expected.slice(0, 4).join(', ')}`}</td>
            <td>${count}</td>
            <td><pre>${text}</pre></td>
          </tr> `,
      )}
    </tbody>
  </table>`
}
