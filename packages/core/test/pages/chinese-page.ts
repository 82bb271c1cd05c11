import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'

import type { Format } from '../../src/index.ts'
import { GRAMMAR_ISSUES } from '../../src/grammar/issues.ts'
import type { GrammarIssueCode } from '../../src/grammar/issues.ts'
import { formatsOf, formatTable, stateTables, textsOf } from './format-page.ts'
import type { StateWords } from './state-table.ts'

const FORMATS_FOLDER = resolve(import.meta.dirname, '../../src/formats')

/** Sections of a format's README. One that is not here stays out: its text says more than its code. */
const SECTIONS: Readonly<Record<string, string>> = {
  Anatomy: '构造',
  'One prompt': '一个提示',
  'Three replies': '三个回复',
  'Three answers': '三个回复',
}

/** Heads of its tables. */
const HEADS: Readonly<Record<string, string>> = { piece: '部分', meaning: '含义', reply: '回复', outcome: '结果' }

const ROWS = {
  models: '模型',
  source: '来源',
  licence: '许可',
  prompt: '提示',
  versions: '版本',
  ends: '结束一轮',
  hands: '交给工具',
  several: '一个回复多个调用',
  ids: '回复中带 id',
  thoughts: '思考',
  typed: '值的类型由 schema 决定',
  yes: '是',
  no: '否',
  none: '无',
  noPrompt: '无：只读写回复',
} as const

/** What the codes of issues say, in Chinese. */
const ISSUES: Readonly<Record<GrammarIssueCode, string>> = {
  'argument-in-value': '值里含有该工具另一个参数的开始标记：前面可能缺少结束标记。',
  'arguments-not-json': '参数不是 JSON；按原样交出。',
  'arguments-not-object': '参数是 JSON，但不是对象。',
  'body-not-readable': '这里读不出调用；文本被丢弃。',
  'call-after-stop': '结束一轮的标记后面还有一个调用：前面的结果是模型自己写的；调用被丢弃。',
  'call-in-code': 'JSON 代码块里有一个调用，没有格式的标记：留作文本。',
  'call-in-text': '这里写着一个调用的名字，但不是调用：留作文本。',
  'call-in-thought': '思考没有结束标记，里面有一个调用：留在思考中。',
  'call-without-arguments': '调用没有参数；按没有参数处理。',
  'call-without-name': '调用没有可读的名字；被丢弃。',
  'call-not-closed': '调用没有结束标记就结束了。',
  'calls-empty': '这里是调用的列表，但里面没有调用。',
  'calls-not-closed': '一组调用没有结束标记；可能还有调用被截断。',
  'calls-not-readable': '这里读不出调用；文本按原样保留。',
  cut: '回复没有写完就在这里结束。',
  'head-not-readable': '消息的头读不出来；全部当作文本。',
  'key-twice': '同一个参数写了两次；以最后的值为准。',
  'key-without-value': '一个参数没有值；被丢弃。',
  'line-feeds-missing': '格式在这个标记之前写两个换行，这里缺少；可能被服务器去掉。调用照常读出。',
  'marker-in-text': '调用的标记出现在正文中，在那里没有意义。',
  'markers-missing': '回复中没有该格式的任何标记；全部当作文本。',
  'stop-token-left': '回复里留着停止 token；回复到此为止。',
  'text-after-stop': '停止 token 之后的文本被丢弃。',
  'text-dropped': '不属于这里的文本被丢弃。',
  'thought-not-closed': '思考在这些调用之前没有结束标记；思考到调用为止。',
  'value-ends-in-marker': '值的末尾是它自己的结束标记：这个标记可能写了两次。',
  'value-not-closed': '值没有结束标记；读到调用结束为止。',
  'value-not-json': '值应当是 JSON，但不是；按文本读取。',
}

/** The Chinese frame of a family's page: headings, tables and code. What its sentences say stands in the English page. */
export async function chineseFormatPage(folder: string): Promise<string> {
  const formats = await formatsOf(folder)
  const readme = readFileSync(`${FORMATS_FOLDER}/${folder}/README.md`, 'utf8')
  return `${[
    `# ${formats.map(({ id }) => id).join('、')}`,
    `说明文字见[英文页](../../formats/${folder}.md)；问题代码的含义见[问题代码](issues.md)。`,
    ...sections(readme),
    '## 概览',
    formatTable(formats, ROWS),
    '## 标记',
    markers(formats),
    ...states(formats),
  ].join('\n\n')}\n`
}

/** What every code of an issue says, for formats that are read by a grammar. */
export function chineseIssuesPage(): string {
  const rows = Object.entries(ISSUES).map(
    ([code, says]) => `| \`${code}\` | ${GRAMMAR_ISSUES[code as GrammarIssueCode].weight} | ${says} |`,
  )
  return `${[
    '# 问题代码',
    '由语法表读取的格式会报告的问题。harm 表示有东西没有按原意读出来，note 表示没有影响调用。nous、qwen、react 另有自己的代码，见它们的英文页。',
    ['| 代码 | 轻重 | 含义 |', '| --- | --- | --- |', ...rows].join('\n'),
  ].join('\n\n')}\n`
}

/** The known sections of a README: its tables and fenced blocks. A fence ends at as many backticks as it began with. */
function sections(readme: string): readonly string[] {
  const made: string[] = []
  let heading: string | undefined
  for (const [part] of readme.matchAll(/^(`{3,})[^`\n]*\n[^]*?^\1$|^## .*$|^(?:\|.*\n)+/gm)) {
    if (part.startsWith('## ')) heading = SECTIONS[part.slice('## '.length)]
    else if (heading !== undefined) {
      const title = `## ${heading}`
      if (!made.includes(title)) made.push(title)
      made.push(part.startsWith('|') ? tableInChinese(part) : part)
    }
  }
  return made
}

function tableInChinese(table: string): string {
  const [head = '', ...rows] = table.trimEnd().split('\n')
  return [head.replaceAll(/[^|]+/g, (cell) => ` ${HEADS[cell.trim()] ?? cell.trim()} `), ...rows].join('\n')
}

function markers(formats: readonly Format[]): string {
  const cell = (texts: readonly string[]): string =>
    textsOf(texts, ROWS.none).replaceAll('|', '\\|').replaceAll('\n', '⏎')
  const rows = formats.map(({ id, markers: { callStart, callInner, callEnd, thought } }) => {
    const thoughts = thought === null ? [] : [thought.open, thought.close]
    return `| \`${id}\` | ${[callStart, callInner, callEnd, thoughts].map(cell).join(' | ')} |`
  })
  return ['| 格式 | 调用开始 | 调用内部 | 调用结束 | 思考 |', '| --- | --- | --- | --- | --- |', ...rows].join('\n')
}

const STATE_WORDS: StateWords = {
  head: ['位置', '那里的文本是', '结束它的标记，通向'],
  start: '回复从这里开始',
  thought: '提示词已打开思考时从这里开始',
  thinking: '要求思考时从这里开始',
  end: '到头',
  fallback: '其他任何文本',
}

function states(formats: readonly Format[]): readonly string[] {
  const tables = stateTables(formats, STATE_WORDS)
  if (tables.length === 0) return []
  return ['## 回复的状态', '每一行是回复中的一个位置：那里的文本是什么，哪个标记结束它、通向哪里。', ...tables]
}
