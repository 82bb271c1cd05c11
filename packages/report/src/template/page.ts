import type { Finding, LintReport, Severity, Message, Spot } from '@callspec/template/lint'
import type { Html, PageLanguage, Words } from '../html.ts'
import { html, joined, say, withCode } from '../html.ts'
import { renderPage } from '../shell.ts'
import { ruleInChinese } from './rules-in-chinese.ts'

/** What the lint says of some templates. */
export interface TemplateLintPage {
  readonly templates: readonly LintedTemplateRow[]
  /** The language in which the page opens. Default: that of the browser. */
  readonly language?: PageLanguage | undefined
}

export interface LintedTemplateRow {
  readonly name: string
  /** Of its text; null if the text is unknown. */
  readonly sha256: string | null
  readonly report: LintReport
}

/**
 * Templates with the rules that they break, then each with its findings, folded, the first open; a finding shows the conversation,
 * with the spot marked in its prompt. One HTML file.
 */
export function renderTemplateLint({ templates: given, language }: TemplateLintPage): string {
  const shared = sharedFolder(given.map(({ name }) => name))
  const templates = given.map((each) => ({ ...each, label: each.name.slice(shared.length) }))
  const body = html`<h1>${say({ en: 'Chat templates', zh: '聊天模板' })}</h1>
    <p class="quiet">
      ${say({ en: '✗ error, ! warning, i for information. A rule opens the conversation that shows it, with the spot in the prompt.', zh: '✗ 错误，! 警告，i 提示。点击规则可展开出现问题的对话及其在提示词中的位置。' })}
    </p>
    ${templates.length > 1 && totals(templates)} ${overview(templates)}
    ${templates.map((each, index) => templateSection(each, index))}`
  return renderPage({ title: 'callspec: chat templates', language, body })
}

type LabelledRow = LintedTemplateRow & {
  /** The name without the folder that all templates are in. */
  readonly label: string
}

/** The longest beginning of all paths that ends with a slash. */
function sharedFolder(paths: readonly string[]): string {
  const [first = '', ...others] = paths
  let length = first.lastIndexOf('/') + 1
  while (length > 0 && !others.every((path) => path.startsWith(first.slice(0, length))))
    length = first.lastIndexOf('/', length - 2) + 1
  return first.slice(0, length)
}

interface SeverityWords {
  readonly sign: string
  /** A class of the page's style. */
  readonly look: string
  readonly one: Words
  readonly many: Words
}

const SEVERITY_SIGNS: Readonly<Record<Severity, SeverityWords>> = {
  error: {
    sign: '✗',
    look: 'bad',
    one: { en: '{n} error', zh: '{n} 个错误' },
    many: { en: '{n} errors', zh: '{n} 个错误' },
  },
  warning: {
    ...{ sign: '!', look: 'warn' },
    one: { en: '{n} warning', zh: '{n} 个警告' },
    many: { en: '{n} warnings', zh: '{n} 个警告' },
  },
  info: {
    sign: 'i',
    look: 'quiet',
    one: { en: '{n} for information', zh: '{n} 个提示' },
    many: { en: '{n} for information', zh: '{n} 个提示' },
  },
}

const SEVERITIES = ['error', 'warning', 'info'] as const

/** `5 templates: ✗ 17 errors, ! 33 warnings`. */
function totals(templates: readonly LabelledRow[]): Html {
  const findings = templates.flatMap(({ report }) => report.findings)
  return html`<p class="verdict">
    ${say({ en: '{n} templates:', zh: '{n} 个模板：' }, { n: templates.length })} ${counts(findings)}
  </p>`
}

/** How many findings of each severity there are. */
function counts(findings: readonly Finding[]): Html {
  if (findings.length === 0)
    return html`<span class="good">✓ ${say({ en: 'nothing found', zh: '没有发现问题' })}</span>`
  const shown = SEVERITIES.flatMap((severity) => {
    const count = findings.filter((each) => each.severity === severity).length
    const { sign, look, one, many } = SEVERITY_SIGNS[severity]
    return count === 0
      ? []
      : [html`<span class="whole ${look}">${sign} ${say(count === 1 ? one : many, { n: count })}</span>`]
  })
  return joined(shown, ' ')
}

/** A row per template with what is found in it, and the same by rule. */
function overview(templates: readonly LabelledRow[]): Html {
  const found = templates.flatMap(({ report }) => report.findings)
  const rules = [...new Map(found.map(({ rule, about }) => [rule, about]))]
  return html`<table class="lists">
      <thead>
        <tr>
          <th scope="col">${say({ en: 'template', zh: '模板' })}</th>
          <th scope="col" class="text">${say({ en: 'what is found', zh: '发现的问题' })}</th>
        </tr>
      </thead>
      <tbody>
        ${templates.map((each, index) => templateRow(each, index))}
      </tbody>
    </table>
    ${templates.length > 1 && rules.length > 0 && byRule(rules, templates)}`
}

function templateRow({ name, label, report }: LabelledRow, index: number): Html {
  const { findings } = report
  return html`<tr>
    <th scope="row"><a href="#t${index}" title="${name}">${label}</a></th>
    <td class="text">
      ${
        findings.length === 0
          ? html`<span class="good">✓ ${say({ en: 'nothing', zh: '无' })}</span>`
          : joined(
              findings.map((finding) => findingLink(finding, { index, label: finding.rule })),
              ' ',
            )
      }
    </td>
  </tr> `
}

function byRule(rules: readonly (readonly [rule: string, about: string])[], templates: readonly LabelledRow[]): Html {
  return html`<details>
    <summary>${say({ en: 'By rule: {n}', zh: '按规则：{n}' }, { n: rules.length })}</summary>
    <table class="lists">
      <thead>
        <tr>
          <th scope="col">${say({ en: 'rule', zh: '规则' })}</th>
          <th scope="col" class="text">${say({ en: 'templates', zh: '模板' })}</th>
        </tr>
      </thead>
      <tbody>
        ${rules.map(([rule, about]) => {
          const links = templates.flatMap(({ label, report }, index) => {
            const finding = report.findings.find((each) => each.rule === rule)
            return finding === undefined ? [] : [findingLink(finding, { index, label })]
          })
          return html`<tr>
            <th scope="row"><span title="${about}">${rule}</span></th>
            <td class="text">${joined(links, ' ')}</td>
          </tr> `
        })}
      </tbody>
    </table>
  </details>`
}

function findingLink(
  { rule, severity, about }: Finding,
  { index, label }: { readonly index: number; readonly label: string },
): Html {
  const { sign, look } = SEVERITY_SIGNS[severity]
  return html`<a class="chip" href="#${anchorOf(rule, index)}" title="${about}"
    ><span class="${look}">${sign}</span> ${label}</a
  >`
}

function anchorOf(rule: string, index: number): string {
  return `t${index}-${rule}`
}

/** A link to what is in a folded part opens it: the anchor is inside of it. */
function templateSection({ name, label, sha256, report }: LabelledRow, index: number): Html {
  const { findings, standIns, form, conversations } = report
  const missing = standIns.map((each) => html`${each.kind} <code>${each.name}</code>`)
  return html`<details class="folded" ${index === 0 && OPEN}>
    <summary>
      <h2 title="${name}">${label}</h2>
      ${counts(findings)}
    </summary>
    <div id="t${index}">
      <p class="quiet facts">
        ${sha256 !== null && html`sha256 <code>${sha256}</code> · `}${say(
          { en: '{n} conversations; arguments as {form}', zh: '{n} 段对话；参数形式：{form}' },
          { n: conversations, form: form.arguments },
        )}
        ${missing.length > 0 && html` · ${say({ en: 'missing', zh: '缺少' })}: ${joined(missing, ', ')}`}
      </p>
      ${findings.map((finding) => findingSection(finding, anchorOf(finding.rule, index)))}
    </div>
  </details> `
}

const OPEN = html`open`

/** A finding with its conversation and the prompt that it became. */
function findingSection(finding: Finding, id: string): Html {
  const { rule, severity, about, detail, remedy, reports, probe, rendered, spot } = finding
  const { sign, look } = SEVERITY_SIGNS[severity]
  const chinese = ruleInChinese(rule)
  return html`<details class="folded finding">
    <summary>
      <h3><span class="${look}">${sign} ${rule}</span></h3>
      ${inBoth(about, chinese?.about)}
    </summary>
    <div id="${id}">
      <p>${say({ en: 'What to do', zh: '处理办法' })}: ${inBoth(remedy, chinese?.remedy)}</p>
      ${reports.map((address) => html`<p class="quiet"><a href="${address}">${address}</a></p>`)}
      <div class="sides">
        <div>
          <p class="quiet">${say({ en: 'conversation', zh: '对话' })}: ${probe.id}</p>
          ${probe.messages.map(lintMessage)} ${probe.tools !== null && toolNames(probe.tools)}
        </div>
        <div>
          ${
            rendered === null
              ? html`<p class="quiet">${say({ en: 'The template raises', zh: '模板报错' })}</p>
                  <pre>${detail}</pre>`
              : html`<p class="quiet">${say({ en: 'prompt', zh: '提示词' })}</p>
                  <p lang="en-GB">${detail}</p>
                  ${renderedPrompt(rendered, spot)}`
          }
        </div>
      </div>
    </div>
  </details> `
}

/** A sentence with code in it; in English where there is no Chinese one. */
function inBoth(english: string, chinese: string | undefined): Html {
  if (chinese === undefined) return html`<span lang="en-GB">${withCode(english)}</span>`
  return say({ en: '{words}', zh: '{chinese}' }, { words: withCode(english), chinese: withCode(chinese) })
}

function lintMessage(message: Message): Html {
  const { role, content, ...further } = message
  const rest = Object.keys(further).length === 0 ? null : JSON.stringify(further, null, 1)
  return html`<div class="message old">
    <p class="role">${role}</p>
    <pre>${typeof content === 'string' ? content : content === undefined ? '—' : JSON.stringify(content)}</pre>
    ${rest !== null && html`<pre>${rest}</pre>`}
  </div>`
}

function toolNames(tools: readonly unknown[]): Html {
  return html`<details>
    <summary>${say({ en: '{n} tools', zh: '{n} 个工具' }, { n: tools.length })}</summary>
    <pre>${JSON.stringify(tools, null, 1)}</pre>
  </details>`
}

/** Prompts of hostile templates may be as long as they like. */
const AROUND = 6_000

/** The prompt with its spot marked; where something is missing, the place is marked by a sign. */
function renderedPrompt(rendered: string, spot: Spot | null): Html {
  const { start, end } = spot ?? { start: rendered.length, end: rendered.length }
  const from = Math.max(0, start - AROUND)
  const to = Math.min(rendered.length, end + AROUND)
  const marked = rendered.slice(start, Math.min(end, start + AROUND))
  return html`<pre class="bytes" tabindex="0">
${from > 0 && '…'}${rendered.slice(from, start)}<mark>${marked === '' ? '▮' : marked}</mark>${rendered.slice(end, to)}${to < rendered.length && '…'}</pre>`
}
