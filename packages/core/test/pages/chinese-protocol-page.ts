import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'

const PAGES = resolve(import.meta.dirname, '../../../../docs/formats')

/** A protocol of the evaluation that is no format: its page is written by hand, and so is the table of its Chinese frame. */
interface ProtocolFrame {
  readonly about: string
  readonly anatomy: readonly (readonly string[])[]
  /** What stands above the blocks of code in the English page, in their order; of a session the first. */
  readonly captions: readonly string[]
}

const FRAMES = {
  native: {
    about:
      '工具经 API 的 `tools` 发出，调用以 `tool_calls` 返回；格式是服务器的事。只用于 `callspec eval` 和 `callspec score`。',
    anatomy: [
      ['部分', '含义'],
      ['请求的 `tools`', '`{"type": "function", "function": {"name", "description", "parameters"}}`'],
      [
        '回复的 `tool_calls`',
        '`{"id", "type": "function", "function": {"name", "arguments"}}`；`arguments` 是一段 JSON 文本',
      ],
      ['角色为 `tool` 的消息', '一个结果；`tool_call_id` 指明属于哪个调用'],
      ['`finish_reason: "tool_calls"`', '回复以调用结束'],
      ['留在 `content` 里的调用', '服务器没有读出它：`wrong_protocol`，绝不算回答'],
    ],
    captions: [
      '请求：',
      '交给客户端的内容：',
      '服务器已经读出的调用：',
      '留在文本里的调用：',
      '参数被截断：它不是 JSON，补上括号只是猜测缺少的内容，所以不算解析成功：',
    ],
  },
  'role-react': {
    about: 'MetaGPT 的角色按编号选择下一步；这里由它做成一个调用工具的协议。只用于 `callspec eval`。',
    anatomy: [
      ['请求', '给模型看的', '模型回答的'],
      ['状态', '对话，以及带编号的工具名', '一个编号，或表示“完成”的 -1。MetaGPT 的提示'],
      ['参数', '对话，以及该工具的说明和 JSON Schema', '一个 JSON 对象。我们的提示'],
      ['回答', '-1 之后的对话', '给用户看的回答。我们的提示'],
    ],
    captions: ['状态提示：', '一个编号：', '正文中的编号：', '写了名字而不是编号：没有数字就是 -1：'],
  },
} as const satisfies Readonly<Record<string, ProtocolFrame>>

/** The protocols that have such a page. */
export const PROTOCOL_PAGES = Object.keys(FRAMES) as readonly (keyof typeof FRAMES)[]

const SECTIONS: Readonly<Record<string, string>> = {
  'The prompt': '提示',
  'Three answers': '三个回复',
}

/** The Chinese frame of a protocol's page: its headings and code as the English page has them now, and its table. */
export function chineseProtocolPage(name: keyof typeof FRAMES): string {
  const { about, anatomy, captions }: ProtocolFrame = FRAMES[name]
  const [head = [], ...rows] = anatomy
  const table = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
  const left = [...captions]
  const sections = readFileSync(`${PAGES}/${name}.md`, 'utf8')
    .split(/^## /m)
    .flatMap((section) => {
      const heading = SECTIONS[section.split('\n', 1)[0] ?? '']
      const blocks = section.match(/^```[^]*?^```$/gm) ?? []
      return heading === undefined ? [] : [`## ${heading}`, ...blocks.flatMap((block) => [left.shift() ?? '', block])]
    })
  const english = `说明文字见[英文页](../../formats/${name}.md)。`
  return `${[`# ${name}`, about, english, '## 构造', table, ...sections].join('\n\n')}\n`
}
