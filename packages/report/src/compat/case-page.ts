import type { CompatVerdict } from '@callspec/compat-data'
import type { Case } from '@callspec/conformance'
import { askedFormat, printJson, visible } from '@callspec/conformance'
import { foldingTable, sameWords } from '../folding-table.ts'
import type { Html, HtmlPart, Words } from '../html.ts'
import { elementText, html, joined, say, trusted } from '../html.ts'
import { engineAddress, linkFrom } from './addresses.ts'
import type { CaseEntry } from './collect.ts'
import type { SiteFile } from './shell.ts'
import { section, sitePage } from './shell.ts'
import { SYMPTOMS, symptomOf } from './symptoms.ts'

/** The verdicts in both languages. */
export const VERDICT_WORDS: Readonly<Record<CompatVerdict, Words>> = {
  passed: { en: 'right', zh: '正确' },
  whitespace: { en: 'right but for white space', zh: '仅空白不同' },
  id: { en: 'right but for ids', zh: '仅 id 不同' },
  number: { en: 'right but for the spelling of a number', zh: '仅数字写法不同' },
  cut: { en: 'cut by policy', zh: '按策略截断' },
  refused: { en: 'refused', zh: '拒绝' },
  failed: { en: 'wrong', zh: '错误' },
  contested: { en: 'contested', zh: '有争议' },
  errored: { en: 'no answer', zh: '无回答' },
  synthetic: { en: 'not counted', zh: '不计' },
  skipped: { en: 'not asked', zh: '未测试' },
}

const WAYS: Readonly<Record<string, Words>> = {
  parse: { en: 'whole', zh: '整段' },
  stream: { en: 'streamed', zh: '流式' },
  render: { en: 'prompt', zh: '提示词' },
  tokens: { en: 'token by token', zh: '逐 token' },
  'groups-1': { en: 'groups of tokens', zh: '成组 token' },
}

/** What the page of a case says besides the case. */
export interface CaseContext {
  readonly path: string
  readonly entries: readonly CaseEntry[]
  /** Why the case may be wrong; null where nobody says so. */
  readonly contested: string | null
  /** The address of the repository; empty where it is not known. */
  readonly repository: string
}

/** The symptom of an entry; null where it is right, or was not asked. */
export function entrySymptom({ verdict, gave, ways }: CaseEntry, { op }: Case, expected: unknown): string | null {
  if (['passed', 'whitespace', 'skipped', 'synthetic'].includes(verdict)) return null
  return symptomOf(verdict, gave, { operation: op === 'parse' && !ways.includes('parse') ? 'stream' : op, expected })
}

/** The right answer of a case as plain data; numbers lose their spelling. */
export function plainExpected({ expected }: Case): unknown {
  return expected.kind === 'returned' ? (JSON.parse(printJson(expected.value)) as unknown) : null
}

/** The page of a case: text, tools, the right answer, what engines gave by version, and the command that repeats it. */
export function casePage(item: Case, context: CaseContext): SiteFile {
  const { path, entries, contested } = context
  const body = html`<h1>${item.id}</h1>
    <p>${item.about ?? null}</p>
    ${contested !== null && html`<div class="notice"><p>${say({ en: 'Contested: {why}', zh: '有争议：{why}' }, { why: contested })}</p></div>`}
    ${inputSection(item)} ${expectedSection(item)}
    ${section('engines', { en: 'What engines gave', zh: '各引擎的回答' }, entriesTable(item, context))}
    ${section('repeat', { en: 'Repeat it', zh: '复现' }, commandsOf(item, entries))}
    ${section('links', { en: 'Reports, changes, objections', zh: '报告、修改与异议' }, linksOf(item, context))} `
  return sitePage({ path, title: `${item.id} - callspec`, body })
}

function inputSection({ input, op }: Case): Html {
  const [text, chunks, tools] = [input.get('text'), input.get('chunks'), input.get('tools')]
  const rest = new Map([...input].filter(([key]) => !['text', 'chunks', 'tools'].includes(key)))
  const reply =
    typeof text === 'string'
      ? html`<pre>${signs(text)}</pre>`
      : Array.isArray(chunks)
        ? html`<p class="quiet">${say({ en: 'In {n} pieces:', zh: '分 {n} 段：' }, { n: chunks.length })}</p>
            <pre>
${joined(
                chunks.map((chunk) => signs(String(chunk))),
                trusted('<b>│</b>'),
              )}</pre>`
        : null
  const title = op === 'render' ? { en: 'Conversation', zh: '对话' } : { en: 'What the model wrote', zh: '模型的输出' }
  return section(
    'text',
    title,
    html`${reply} ${rest.size > 0 && html`<pre>${elementText(printJson(rest))}</pre>`}
    ${
      tools !== undefined &&
      html`<details>
        <summary>${say({ en: 'Tools', zh: '工具' })}</summary>
        <pre>${elementText(printJson(tools))}</pre>
      </details>`
    }`,
  )
}

/** Spaces stay spaces inside of a line, and are drawn at its ends; ends of lines and everything hidden is drawn. */
function signs(text: string): Html {
  const drawn = text
    .split('\n')
    .map((line) =>
      elementText(visible(line).replaceAll('␣', () => ' ')).markup.replace(
        /^ +| +$/g,
        (blank) => `<i>${'␣'.repeat(blank.length)}</i>`,
      ),
    )
  return trusted(`<span class="signs">${drawn.join('<i>⏎</i>\n')}</span>`)
}

function expectedSection({ expected }: Case): Html {
  const answer =
    expected.kind === 'returned'
      ? html`<pre>${elementText(printJson(expected.value))}</pre>`
      : html`<p>${say({ en: 'The input must be refused.', zh: '必须拒绝该输入。' })}</p>`
  return section('answer', { en: 'The right answer', zh: '正确答案' }, answer)
}

function entriesTable(item: Case, { entries, path }: CaseContext): Html {
  const expected = plainExpected(item)
  const groups = [...new Set(entries.map(({ engine }) => engine))].map((engine) => ({
    head: html`<a href="${linkFrom(path, engineAddress(engine.name))}">${engine.title}</a>`,
    rows: entries
      .filter((entry) => entry.engine === engine)
      .map((entry) => ({
        head: entry.versions.join(', '),
        cells: [
          entry.parser,
          joined(
            entry.ways.map((way) => say(WAYS[way] ?? sameWords(way))),
            ', ',
          ),
          verdictCell(entry, item, expected),
          gaveCell(entry),
        ],
      })),
  }))
  const heads = [
    { words: { en: 'parser', zh: '解析器' }, isText: true },
    { words: { en: 'asked', zh: '方式' }, isText: true },
    { words: { en: 'verdict', zh: '判定' }, isText: true },
    { words: { en: 'gave', zh: '回答' }, isText: true },
  ]
  return foldingTable({ corner: { en: 'version', zh: '版本' }, heads, groups })
}

function verdictCell(entry: CaseEntry, item: Case, expected: unknown): Html {
  const symptom = entrySymptom(entry, item, expected)
  const isGood = entry.verdict === 'passed' || entry.verdict === 'whitespace'
  const tone = isGood
    ? 'good'
    : entry.verdict === 'skipped'
      ? 'quiet'
      : ['id', 'number', 'cut', 'contested'].includes(entry.verdict)
        ? 'warn'
        : 'bad'
  const words = symptom === null ? null : SYMPTOMS[symptom]
  const same = symptom === entry.verdict || symptom === 'refused' || symptom === 'no-answer' || words === undefined
  return html`<span class="${tone}"
      >${isGood ? '✓ ' : entry.verdict === 'skipped' ? '' : '✗ '}${say(VERDICT_WORDS[entry.verdict])}</span
    >${words !== null && words !== undefined && !same && html`: ${say(words)}`}`
}

/** Reports keep so many characters of an answer. */
const KEPT = 400

function gaveCell({ gave }: CaseEntry): HtmlPart {
  return gave === ''
    ? null
    : html`<code>${elementText(visible(gave).replaceAll('␣', () => ' '))}</code>${gave.length >= KEPT && ' …'}`
}

function commandsOf(item: Case, entries: readonly CaseEntry[]): Html {
  const { id } = item
  const wrong = entries.filter(
    ({ verdict, isNewest }) => isNewest && !['passed', 'whitespace', 'skipped'].includes(verdict),
  )
  const seen = new Set<string>()
  const commands = wrong.flatMap(({ row, parser, ways }) => {
    const way = ways.find((each) => ['parse', 'stream', 'render'].includes(each)) ?? ways[0] ?? ''
    const key = `${row.engine} ${parser}`
    if (seen.has(key)) return []
    seen.add(key)
    return [
      repeatCommand(row.commands.repeat, {
        parser,
        format: askedFormat(item) ?? '',
        id: ['parse', 'stream', 'render'].includes(way) ? id : `${id} ~${way}`,
      }),
    ]
  })
  return html`<p>
      ${say({ en: 'In a clone of callspec; the first command installs the engine.', zh: '在 callspec 的克隆中运行；第一次会安装引擎。' })}
    </p>
    ${commands.map(
      (command, at) =>
        html`<pre id="command-${at}">${command}</pre>
          <button type="button" data-copy="command-${at}">${say({ en: 'Copy', zh: '复制' })}</button>`,
    )}
    <pre>${`callspec conformance show ${shellQuotedId(id)}`}</pre>`
}

/** The command of a row for one case. */
export function repeatCommand(
  template: string,
  { parser, format, id }: { readonly parser: string; readonly format: string; readonly id: string },
): string {
  const inQuotes = (text: string): string => text.replaceAll("'", () => `'\\''`)
  const values: Readonly<Record<string, string>> = { parser, format, case: id }
  return template.replaceAll(/\{(parser|format|case)\}/g, (_, name: string) => inQuotes(values[name] ?? ''))
}

function shellQuotedId(text: string): string {
  return `'${text.replaceAll("'", () => `'\\''`)}'`
}

function linksOf({ id, evidence = [] }: Case, { repository }: CaseContext): Html {
  const [format = '', operation = '', rest = ''] = id.split('/', 3)
  const file = `fixtures/${format}/${operation}/${rest.split('#')[0] ?? ''}.json`
  const edit =
    repository === '' ? html`<code>${file}</code>` : html`<a href="${`${repository}/edit/HEAD/${file}`}">${file}</a>`
  return html`<ul>
    ${evidence.map((address) => html`<li>${/^https?:\/\//.test(address) ? html`<a href="${address}" rel="noreferrer">${address}</a>` : address}</li> `)}
    <li>
      ${say({ en: 'Edit this case: {file}, and the answer at the same path in golden/.', zh: '修改此用例：{file}，答案在 golden/ 的同一路径下。' }, { file: edit })}
    </li>
    <li>
      ${say({
        en: "Contest it: open an issue with this id and what the model's maker writes or reads. It is then marked, and counted apart.",
        zh: '提出异议：新建 issue，写明此 id 以及模型厂商的写法或读法。该用例会被标记并单独计数。',
      })}
    </li>
  </ul>`
}
