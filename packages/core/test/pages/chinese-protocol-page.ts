import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'

const PAGES = resolve(import.meta.dirname, '../../../../docs/formats')

/** A format of the evaluation without a folder in core: its page is written by hand, and so is the table of its Chinese page. */
interface ProtocolFrame {
  readonly about: string
  readonly anatomy: readonly (readonly string[])[]
  /** The captions of the code blocks of the English page, in their order; of a session the first. */
  readonly captions: readonly string[]
}

const FRAMES = {
  native: {
    about:
      '工具经 API 的 `tools` 发出，调用以 `tool_calls` 返回；格式由服务端决定。只用于 `callspec eval` 和 `callspec score`。',
    anatomy: [
      ['部分', '含义'],
      ['请求的 `tools`', '`{"type": "function", "function": {"name", "description", "parameters"}}`'],
      [
        '回复的 `tool_calls`',
        '`{"id", "type": "function", "function": {"name", "arguments"}}`；`arguments` 是 JSON 字符串',
      ],
      ['角色为 `tool` 的消息', '一个结果；`tool_call_id` 指明属于哪个调用'],
      ['`finish_reason: "tool_calls"`', '回复以调用结束'],
      ['留在 `content` 中的调用', '服务端没有解析：计为 `wrong_protocol`，不算最终回答'],
    ],
    captions: [
      '请求：',
      '发给客户端的内容：',
      '服务端已解析的调用：',
      '留在正文中的调用：',
      '参数被截断：不是 JSON；补全括号只是推测缺少的内容，因此不算解析成功：',
    ],
  },
  'role-react': {
    about: 'MetaGPT 的角色按编号选择下一步；本格式用它来调用工具。只用于 `callspec eval`。',
    anatomy: [
      ['请求', '模型的输入', '模型的回复'],
      ['状态', '对话，以及带编号的工具名', '一个编号，或表示“完成”的 -1。MetaGPT 的提示词'],
      ['参数', '对话，以及该工具的说明和 JSON Schema', '一个 JSON 对象。callspec 的提示词'],
      ['回答', '-1 之后的对话', '给用户的回答。callspec 的提示词'],
    ],
    captions: ['状态提示词：', '一个编号：', '正文中的编号：', '写了名字而不是编号：没有数字时为 -1：'],
  },
} as const satisfies Readonly<Record<string, ProtocolFrame>>

/** The formats that have such a page. */
export const PROTOCOL_PAGES = Object.keys(FRAMES) as readonly (keyof typeof FRAMES)[]

const SECTIONS: Readonly<Record<string, string>> = {
  'The prompt': '提示词示例',
  'Three answers': '回复示例',
}

/** The Chinese page: headings and code of the English page, and the table of the frame. */
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
  const english = `详细说明见[英文页](../../formats/${name}.md)。`
  return `${[`# ${name}`, about, english, '## 构造', table, ...sections].join('\n\n')}\n`
}
