import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'

import type { Format } from '../../src/index.ts'
import { GRAMMAR_ISSUES } from '../../src/grammar/issues.ts'
import type { GrammarIssueCode } from '../../src/grammar/issues.ts'
import { tableInChinese } from './chinese-cells.ts'
import { formatsOf, formatTable, stateTables, textsOf } from './format-page.ts'
import type { StateWords } from './state-table.ts'

const FORMATS_FOLDER = resolve(import.meta.dirname, '../../src/formats')

/** Sections of a format's README that the page contains; of others the text matters more than the code. */
const SECTIONS: Readonly<Record<string, string>> = {
  Anatomy: '构造',
  'One prompt': '提示词示例',
  'Three replies': '回复示例',
  'Three answers': '回复示例',
}

const ROWS = {
  models: '模型',
  source: '来源',
  licence: '许可',
  prompt: '提示词',
  versions: '版本',
  ends: '结束一轮的标记',
  hands: '交给工具的标记',
  several: '一个回复多个调用',
  ids: '回复中带 id',
  thoughts: '思考内容',
  typed: '值的类型由 schema 决定',
  yes: '是',
  no: '否',
  none: '无',
  noPrompt: '无：只解析和生成回复',
} as const

/** The meaning of each kind of issue. */
const ISSUES: Readonly<Record<GrammarIssueCode, string>> = {
  'argument-in-value': '值中包含该工具另一个参数的开始标记：前面可能缺少结束标记。',
  'arguments-not-json': '参数不是 JSON；原样返回。',
  'arguments-not-object': '参数是 JSON，但不是对象。',
  'body-not-readable': '此处的调用无法解析；文本被丢弃。',
  'call-after-stop': '结束一轮的标记之后还有调用：前面的结果是模型编造的；调用被丢弃。',
  'call-in-code': '调用位于代码中，模型可能只是展示它。',
  'call-in-quote': '调用位于引用中，模型可能只是复述它。',
  'call-in-text': '此处有调用的名字，但不是调用：保留为正文。',
  'call-in-thought': '思考内容没有结束标记，其中有一个调用：留在思考内容中。',
  'call-without-arguments': '调用没有参数；按没有参数处理。',
  'call-without-name': '调用没有有效的名字；被丢弃。',
  'call-not-closed': '调用没有结束标记就结束了。',
  'calls-empty': '调用列表为空。',
  'calls-not-closed': '一组调用没有结束标记；可能还有调用被截断。',
  'calls-not-readable': '此处的调用无法解析；文本原样保留。',
  cut: '回复在此处被截断。',
  'head-not-readable': '消息头无法解析；全部作为正文。',
  'key-twice': '同一个参数写了两次；以最后的值为准。',
  'key-without-value': '一个参数没有值；被丢弃。',
  'line-feeds-missing': '格式在此标记之前应有两个换行，此处缺少，可能被服务端去掉。调用照常解析。',
  'marker-in-text': '调用的标记出现在正文中，在那里没有意义。',
  'markers-missing': '回复中没有该格式的任何标记；全部作为正文。',
  'stop-token-left': '回复中残留停止 token；回复在此结束。',
  'text-after-stop': '停止 token 之后的文本被丢弃。',
  'text-dropped': '此处不应出现的文本被丢弃。',
  'thought-not-closed': '思考内容在这些调用之前没有结束标记；思考内容到调用为止。',
  'value-ends-in-marker': '值的末尾是它自己的结束标记：这个标记可能写了两次。',
  'value-not-closed': '值没有结束标记；解析到调用结束为止。',
  'value-not-json': '值应为 JSON，但不是；按文本解析。',
}

/** The Chinese page of a family: headings, tables and code. Its sentences are in the English page only. */
export async function chineseFormatPage(folder: string): Promise<string> {
  const formats = await formatsOf(folder)
  const readme = readFileSync(`${FORMATS_FOLDER}/${folder}/README.md`, 'utf8')
  return `${[
    `# ${formats.map(({ id }) => id).join('、')}`,
    `详细说明见[英文页](../../formats/${folder}.md)；解析问题的含义见[解析问题](issues.md)。`,
    ...sections(readme),
    '## 概览',
    formatTable(formats, ROWS),
    '## 标记',
    markers(formats),
    ...states(formats),
  ].join('\n\n')}\n`
}

/** The page of issues, for formats that are read by a grammar. */
export function chineseIssuesPage(): string {
  const rows = Object.entries(ISSUES).map(
    ([code, says]) =>
      `| \`${code}\` | ${GRAMMAR_ISSUES[code as GrammarIssueCode].weight === 'harm' ? 'error' : 'note'} | ${says} |`,
  )
  return `${[
    '# 解析问题',
    '解析器报告的问题。error（数据中为 `harm`）：内容未按原意解析；note：不影响调用。nous、qwen、react 的参考实现版本另有代码，见它们的英文页。',
    ['| 代码 | 级别 | 含义 |', '| --- | --- | --- |', ...rows].join('\n'),
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

function markers(formats: readonly Format[]): string {
  const cell = (texts: readonly string[]): string =>
    textsOf(texts, ROWS.none).replaceAll('|', '\\|').replaceAll('\n', '⏎')
  const rows = formats.map(({ id, markers: { callStart, callInner, callEnd, thought } }) => {
    const thoughts = thought === null ? [] : [thought.open, thought.close]
    return `| \`${id}\` | ${[callStart, callInner, callEnd, thoughts].map(cell).join(' | ')} |`
  })
  return ['| 格式 | 调用开始 | 调用内部 | 调用结束 | 思考内容 |', '| --- | --- | --- | --- | --- |', ...rows].join('\n')
}

const STATE_WORDS: StateWords = {
  head: ['状态', '文本是', '结束标记 → 下一状态'],
  start: '初始状态',
  thought: '提示词已打开思考时的初始状态',
  thinking: '要求思考时的初始状态',
  end: '结束',
  fallback: '其他文本',
}

function states(formats: readonly Format[]): readonly string[] {
  const tables = stateTables(formats, STATE_WORDS)
  if (tables.length === 0) return []
  return ['## 解析状态', '每一行是一个解析状态：其中的文本是什么，哪个标记结束该状态、进入哪个状态。', ...tables]
}
