import { ARGS, FUNCTION, RESULT, RETURN } from './tokens.ts'

/** The key of a template: the language, and whether several calls are invited. */
export type TemplateKey = 'zh' | 'en' | 'zh_parallel' | 'en_parallel'

const INFO_ZH = `# 工具

## 你拥有如下工具：

{tool_descs}`

const INFO_EN = `# Tools

## You have access to the following tools:

{tool_descs}`

const CALLS_ZH = `## 你可以在回复中插入零次、一次或多次以下命令以调用工具：

${FUNCTION}: 工具名称，必须是[{tool_names}]之一。
${ARGS}: 工具输入
${RESULT}: 工具结果
${RETURN}: 根据工具结果进行回复，需将图片用![](url)渲染出来`

const CALLS_EN = `## When you need to call a tool, please insert the following command in your reply, which can be called zero or multiple times according to your needs:

${FUNCTION}: The tool to use, should be one of [{tool_names}]
${ARGS}: The input of the tool
${RESULT}: Tool results
${RETURN}: Reply based on tool results. Images need to be rendered as ![](url)`

const CALLS_ZH_PARALLEL = `## 你可以在回复中插入以下命令以并行调用N个工具：

${FUNCTION}: 工具1的名称，必须是[{tool_names}]之一
${ARGS}: 工具1的输入
${FUNCTION}: 工具2的名称
${ARGS}: 工具2的输入
...
${FUNCTION}: 工具N的名称
${ARGS}: 工具N的输入
${RESULT}: 工具1的结果
${RESULT}: 工具2的结果
...
${RESULT}: 工具N的结果
${RETURN}: 根据工具结果进行回复，需将图片用![](url)渲染出来`

const CALLS_EN_PARALLEL = `## Insert the following command in your reply when you need to call N tools in parallel:

${FUNCTION}: The name of tool 1, should be one of [{tool_names}]
${ARGS}: The input of tool 1
${FUNCTION}: The name of tool 2
${ARGS}: The input of tool 2
...
${FUNCTION}: The name of tool N
${ARGS}: The input of tool N
${RESULT}: The result of tool 1
${RESULT}: The result of tool 2
...
${RESULT}: The result of tool N
${RETURN}: Reply based on tool results. Images need to be rendered as ![](url)`

/** The tool sections, with the fields `tool_descs` and `tool_names` (spec §6.1). Mind the punctuation of the Chinese. */
const TEMPLATES: { readonly [K in TemplateKey]: string } = {
  zh: `${INFO_ZH}\n\n${CALLS_ZH}`,
  en: `${INFO_EN}\n\n${CALLS_EN}`,
  zh_parallel: `${INFO_ZH}\n\n${CALLS_ZH_PARALLEL}`,
  en_parallel: `${INFO_EN}\n\n${CALLS_EN_PARALLEL}`,
}

/** The template of a language, for one call or for several at once. */
export function qwenTemplate({ lang, parallel }: { readonly lang: 'en' | 'zh'; readonly parallel: boolean }): string {
  const key: TemplateKey = parallel ? `${lang}_parallel` : lang
  return TEMPLATES[key]
}
