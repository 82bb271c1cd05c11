import type { Finding, LintReport, Severity } from '@callspec/template/lint'
import { html, joined } from '../html.ts'
import type { Html } from '../html.ts'
import { renderPage } from '../shell.ts'
import { say } from '../words.ts'
import type { PageLanguage } from '../words.ts'
import { findingSection } from './finding.ts'

/** What the lint says of some templates. */
export interface TemplateLintPage {
  readonly templates: readonly LintedTemplateRow[]
  readonly language: PageLanguage
}

/** One template of the page. */
export interface LintedTemplateRow {
  readonly name: string
  /** Of its text; null where nobody has seen the text. */
  readonly sha256: string | null
  readonly report: LintReport
}

/** Templates by rules; a cell leads to the conversation, with the spot marked in its prompt. One HTML file. */
export function renderTemplateLint({ templates, language }: TemplateLintPage): string {
  const body = html`<h1>${say({ en: 'Chat templates', zh: '聊天模板' })}</h1>
    <p class="quiet">
      ${say({ en: '✗ error, ! warning, i for information. A cell leads to the conversation that shows it, with the spot in the prompt.', zh: '✗ 错误，! 警告，i 提示。点击单元格可查看出现问题的对话及其在提示词中的位置。' })}
    </p>
    ${overview(templates)} ${templates.map((each, index) => templateSection(each, index))}`
  return renderPage({ title: 'callspec: chat templates', language, body })
}

const SIGNS: Readonly<Record<Severity, { readonly sign: string; readonly look: string }>> = {
  error: { sign: '✗', look: 'bad' },
  warning: { sign: '!', look: 'warn' },
  info: { sign: 'i', look: 'quiet' },
}

function overview(templates: readonly LintedTemplateRow[]): Html {
  const found = templates.flatMap(({ report }) => report.findings)
  const rules = [...new Map(found.map(({ rule, about }) => [rule, about]))]
  return html`<table>
    <thead>
      <tr>
        <th scope="col">${say({ en: 'rule', zh: '规则' })}</th>
        ${templates.map((each, index) => html`<th scope="col"><a href="#t${index}" title="${each.name}">${index + 1}</a></th>`)}
      </tr>
    </thead>
    <tbody>
      ${rules.map(
        ([rule, about]) =>
          html`<tr>
            <th scope="row"><span title="${about}">${rule}</span></th>
            ${templates.map(({ report }, index) => cell(report, { rule, index }))}
          </tr> `,
      )}
    </tbody>
  </table>`
}

function cell({ findings }: LintReport, { rule, index }: { readonly rule: string; readonly index: number }): Html {
  const finding = findings.find((each) => each.rule === rule)
  if (finding === undefined) return html`<td></td>`
  const { sign, look } = SIGNS[finding.severity]
  return html`<td>
    <a href="#${anchorOf(rule, index)}" title="${finding.about}"><span class="${look}">${sign}</span></a>
  </td>`
}

function anchorOf(rule: string, index: number): string {
  return `t${index}-${rule}`
}

function templateSection({ name, sha256, report }: LintedTemplateRow, index: number): Html {
  const { findings, standIns, form, conversations } = report
  const stood = standIns.map((each) => html`${each.kind} <code>${each.name}</code>`)
  return html`<section id="t${index}">
    <h2>${index + 1}. ${name}</h2>
    <p class="quiet">
      ${sha256 !== null && html`sha256 <code>${sha256}</code> · `}${say(
        { en: '{n} conversations; arguments as {form}', zh: '{n} 段对话；参数形式：{form}' },
        { n: conversations, form: form.arguments },
      )}
      ${stood.length > 0 && html` · ${say({ en: 'missing', zh: '缺少' })}: ${joined(stood, ', ')}`}
    </p>
    ${findings.length === 0 && html`<p class="good">✓ ${say({ en: 'Nothing was found.', zh: '没有发现问题。' })}</p>`}
    ${findings.map((finding: Finding) => findingSection(finding, { id: anchorOf(finding.rule, index), ...SIGNS[finding.severity] }))}
  </section> `
}
