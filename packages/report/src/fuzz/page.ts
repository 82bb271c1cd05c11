import { isLawId } from '@callspec/fuzz'
import type { Finding } from '@callspec/fuzz'
import { foldingTable } from '../folding-table.ts'
import { html } from '../html.ts'
import type { Html } from '../html.ts'
import { renderPage } from '../shell.ts'
import { say } from '../words.ts'
import type { PageLanguage } from '../words.ts'
import { LAWS_IN_CHINESE } from './laws-in-chinese.ts'
import { visibleText } from './visible-text.ts'

/** What a campaign found. */
export interface FuzzReport {
  /** Who was searched. */
  readonly subject: string
  readonly texts: number
  readonly withCall: number
  readonly seed: number
  readonly violations: readonly FuzzViolation[]
  readonly language: PageLanguage
}

/** One way in which a law was broken. */
export interface FuzzViolation extends Finding {
  readonly times: number
  /** The command that shows it again. */
  readonly replay: string
  /** The case as `fuzz --replay` reads it: JSON data. */
  readonly kept: unknown
}

/** The findings of a campaign: law, shrunk case, replay command. One HTML file. */
export function renderFuzz({ subject, texts, withCall, seed, violations, language }: FuzzReport): string {
  const body = html`<h1>${say({ en: 'Laws that were broken', zh: '被违反的规则' })}</h1>
    <p class="quiet">${subject}</p>
    <section class="headline">
      <p class="verdict">
        ${
          violations.length === 0
            ? html`<span class="good">✓ ${say({ en: 'No violation was found', zh: '没有发现违反规则的情况' })}</span>`
            : html`<span class="bad"
                >✗
                ${say({ en: 'Violations found: {n}', zh: '发现 {n} 种违反规则的情况' }, { n: violations.length })}</span
              >`
        }
      </p>
      <p>
        ${say(
          {
            en: '{texts} texts, {calls} of them with a call, seed {seed}.',
            zh: '{texts} 个文本，其中 {calls} 个含调用，种子 {seed}。',
          },
          { texts, calls: withCall, seed },
        )}
      </p>
    </section>
    ${violations.length > 1 && overview(violations)} ${violations.map(findingSection)}`
  return renderPage({ title: `callspec fuzz: ${subject}`, language, body })
}

function overview(violations: readonly FuzzViolation[]): Html {
  return foldingTable({
    corner: { en: 'law', zh: '规则' },
    heads: [{ words: { en: 'breach', zh: '违反方式' }, isText: true }, { words: { en: 'times', zh: '次数' } }],
    groups: [
      {
        rows: violations.map(({ law, breach, times }, at) => ({
          head: html`<a href="#finding-${at}">${law}</a>`,
          cells: [breach, times],
        })),
      },
    ],
  })
}

function findingSection(violation: FuzzViolation, at: number): Html {
  const { law, statement, pains, breach, text, chunks, expected, got, times, replay, kept } = violation
  return html`<section id="finding-${at}">
    <h2>${law} <span class="bad">${breach}</span></h2>
    <p>${statementOf(law, statement)} <span class="quiet">${problems(pains)}${times}×</span></p>
    <h3>
      ${say({ en: 'The text', zh: '文本' })}
      <small class="quiet">${say({ en: '{n} characters', zh: '{n} 个字符' }, { n: text.length })}</small>
    </h3>
    ${visibleText(text)}
    ${
      chunks.length > 1 &&
      html`<h3>${say({ en: 'It came in {n} pieces', zh: '分 {n} 块到达' }, { n: chunks.length })}</h3>
        <ol class="pieces">
          ${chunks.slice(0, MOST_PIECES).map((chunk) => html`<li>${visibleText(chunk)}</li>`)}
        </ol>`
    }
    <div class="sides">
      <div>
        <h3>${say({ en: 'expected', zh: '期望' })}</h3>
        <pre>${expected}</pre>
      </div>
      <div>
        <h3>${say({ en: 'got', zh: '实际' })}</h3>
        <pre>${got}</pre>
      </div>
    </div>
    <h3>${say({ en: 'See it again', zh: '重现' })}</h3>
    <pre>${replay}</pre>
    <p>
      <button type="button" data-copy="case-${at}">${say({ en: 'Copy as a case', zh: '复制为用例' })}</button>
      <span class="quiet"
        >${say({ en: 'a file for callspec fuzz --replay', zh: '可存为文件，供 callspec fuzz --replay 使用' })}</span
      >
    </p>
    <details>
      <summary>${say({ en: 'The case', zh: '用例' })}</summary>
      <pre id="case-${at}">${asciiJson(kept)}</pre>
    </details>
  </section> `
}

/** A law of somebody's own is said in their words. */
function statementOf(law: string, statement: string): Html {
  return isLawId(law) ? say({ en: statement, zh: LAWS_IN_CHINESE[law] }) : html`${statement}`
}

/** The rows of the problems that a law guards against; none has one of your own. */
function problems(rows: readonly number[]): Html | null {
  if (rows.length === 0) return null
  return html`${say({ en: 'problems in docs/laws.md: {rows} · ', zh: '见 docs/zh/laws.md 的问题 {rows} · ' }, { rows: rows.join(', ') })}`
}

const MOST_PIECES = 200

/** JSON in ASCII: what is copied is the same to the last unit, whatever hides in the text. */
function asciiJson(data: unknown): string {
  return JSON.stringify(data, null, 2).replace(
    /[^\n -~]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
