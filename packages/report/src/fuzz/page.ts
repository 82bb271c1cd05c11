import type { Finding, LawId } from '@callspec/fuzz'
import { isLawId } from '@callspec/fuzz'
import { foldingTable } from '../folding-table.ts'
import type { Html, PageLanguage } from '../html.ts'
import { html, say, trusted } from '../html.ts'
import { renderPage } from '../shell.ts'

/** What a campaign found. */
export interface FuzzReport {
  /** Who was searched. */
  readonly subject: string
  readonly texts: number
  readonly withCall: number
  readonly seed: number
  readonly violations: readonly FuzzViolation[]
  /** The language in which the page opens. Default: that of the browser. */
  readonly language?: PageLanguage | undefined
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
  const body = html`<h1>${say({ en: 'Laws that were broken', zh: '被违反的不变式' })}</h1>
    <p class="quiet">${subject}</p>
    <section class="headline">
      <p class="verdict">
        ${
          violations.length === 0
            ? html`<span class="good">✓ ${say({ en: 'No violation was found', zh: '没有发现违反不变式的情况' })}</span>`
            : html`<span class="bad"
                >✗
                ${say({ en: 'Violations found: {n}', zh: '发现 {n} 种违反不变式的情况' }, { n: violations.length })}</span
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
    corner: { en: 'law', zh: '不变式' },
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

/** A law of a user's own keeps its own text. */
function statementOf(law: string, statement: string): Html {
  return isLawId(law) ? say({ en: statement, zh: LAWS_IN_CHINESE[law] }) : html`${statement}`
}

/** The rows of the problems that a law guards against; none has one of your own. */
function problems(rows: readonly number[]): Html | null {
  if (rows.length === 0) return null
  return html`${say({ en: 'problems in docs/laws.md: {rows} · ', zh: '见 docs/zh/laws.md 的问题 {rows} · ' }, { rows: rows.join(', ') })}`
}

const MOST_PIECES = 200

/** JSON in ASCII, so that copying keeps every code unit, also invisible ones. */
function asciiJson(data: unknown): string {
  return JSON.stringify(data, null, 2).replace(
    /[^\n -~]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** What each law says, as docs/zh/laws.md has it. */
export const LAWS_IN_CHINESE: Readonly<Record<LawId, string>> = {
  totality: '任何文本，无论整段还是分块，都有结果：解析器不抛异常，解析问题的位置都在文本之内。',
  deterministic: '同一文本的结果始终相同，与之前解析过的文本无关；后到的分块不改变已返回的结果。',
  'mode-parity': '流式解析的最终结果与整段解析相同；支持精确快照时，每个快照等于解析已收到文本的结果。',
  'split-invariance': '最终结果与分块方式无关：不分块、在任意位置分成两块、逐个单元，或任意分块。',
  'content-conservation': '每个字符都属于某条消息、某个标记或某个解析问题的范围，或者是片段边缘的空白。',
  'no-marker-leak': '解析出调用时，思考内容之外的正文不含调用标记，除非解析问题报告了该位置。',
  'think-isolation': '思考内容中的调用一律不算调用，包括只有结束标签的情况；其后的调用正常解析；思考内容不得混入正文。',
  'truncation-honesty':
    '对任意前缀：调用被截断或参数不是合法 JSON 时，必须报告问题、拒绝输入或不返回该调用，不得当作完整调用返回。',
  'json-closure': '增量拼接后与整段解析的结果逐字节相同；格式正确的调用，参数是合法 JSON。',
  'index-identity':
    '每个调用都在正确的位置解析出来，无论是否有结束标记；流式输出时序号从 0 开始，每个调用各有一个序号、id 和名字，最后恰好有一个结束原因。',
  'empty-arguments':
    '参数为 {} 的调用，无论整段还是逐个单元，都解析为一个参数为 {} 的调用；没有参数或参数为 null 时，解析为一个调用，或报告问题。',
  'value-typing':
    '无论 JSON 的写法如何，每个参数都保持 JSON 类型、数字和位置：1 不是 1.0，"007" 不是 7，2^53 + 1 不是 2^53。',
  'schema-typing': '提供工具时，参数按 schema 的类型解析；不符合该类型的值保持为字符串。',
  'utf-integrity': '在字节、编码单元或码点之间切分的文本，与整段解析的结果相同；增量不含半个字符，也不含 U+FFFD。',
  'stop-residue': '输出在第一个停止词处截断，末尾不完整的停止词也要去掉；去掉的内容会报告。',
  'round-trip': '格式的渲染器写出的调用，解析后得到相同的调用和相同的 id，与之前的用户消息无关。',
  agreement: '已记录参考实现结果的文本，无论整段还是分块，都得到该结果。',
  'linear-work': '无论如何分块，每输入或输出一个字符，流式解析检查的字符数不超过固定值。',
}

/** So much of a text is shown; the case that can be copied has all of it. */
const LONGEST_SHOWN = 4000

/** A text with its white space drawn: `·` for a blank, `→` for a tab, `⏎` where a line ends. Copying it copies the text. */
export function visibleText(text: string): Html {
  const shown = text.slice(0, LONGEST_SHOWN)
  const pieces = shown.split(/( +|\t|\r?\n)/).map((piece) => drawnPiece(piece))
  return html`<pre class="bytes show-space" tabindex="0">
${pieces}${text.length > LONGEST_SHOWN && html`<span class="quiet">… ${text.length}</span>`}</pre>`
}

function drawnPiece(piece: string): Html | string {
  if (/^ +$/.test(piece)) return html`<span class="ws" data-sign="${'·'.repeat(piece.length)}">${piece}</span>`
  if (piece === '\t') return html`<span class="ws" data-sign="→">${piece}</span>`
  if (piece === '\n') return html`<span class="ws-end"></span>${LINE}`
  if (piece === '\r\n') return html`<span class="ws-end ws-cr"></span>${LINE}`
  return piece
}

const LINE = trusted('\n')
