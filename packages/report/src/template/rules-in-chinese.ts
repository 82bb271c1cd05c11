/** What a rule says, and what to do; code is between backticks. */
export interface RuleWords {
  readonly about: string
  readonly remedy: string
}

const AS_OBJECT = '把 arguments 作为对象传入：服务端须在渲染前解析 API 中的 JSON 文本。'
const EMPTY_TEXT = "API 中 content 为 null 时传入 content ''：服务端须在渲染前转换。"
const NO_CALLS = '该模板不支持调用：改用支持的模板，或由服务端把调用写成文本。'
const ONE_CALL = '发送 parallel_tool_calls: false，并把并行调用拆成每条消息一个。'
const JOIN_PARTS = '渲染前合并 type 为 text 的各部分，多数服务端都这样做。'
const IN_RESULTS =
  '用 `| tojson` 把结果输出为 JSON，或在渲染前编码。提示词会因此改变，而模型按旧提示词训练：请重新评测。'
const OF_USERS =
  '模板无法解决：应让服务端的 tokenizer 不把文本变成控制 token。`callspec doctor` 可检查（text-tokens）。'
const NO_TOKENS = '如果标记不需要引号，则只有不把文本变成控制 token 的 tokenizer 有效。'
const OF_TOOLS = `只提供可信的工具，或把工具声明输出为 JSON。${NO_TOKENS}`
const AS_IT_IS = '原样进入提示词，或其中的特殊 token 生效。'

type Row = readonly [about: string, remedy: string]

const ROWS: Readonly<Record<string, Row>> = {
  unrenderable: [
    '模板需要 transformers 不提供的内容、拒绝所有对话，或不是模板。',
    '在模板中定义缺少的内容，或在每个请求中发送该变量。',
  ],
  'sandbox-refused': [
    '模板使用了 transformers、vLLM 和 SGLang 的沙箱禁止的方法或属性，例如 list.append。',
    '不要修改已有的值，而是用 namespace 构造新值：{% set ns.items = ns.items + [item] %}；不要使用以下划线开头的属性。',
  ],
  'tools-ignored': [
    '工具没有写入提示词：模型看不到工具。',
    '该模板不支持工具：改用支持的模板，或把工具写入 system 消息。',
  ],
  'tools-refused': [
    'API 格式的工具 {"type": "function", "function": {…}} 被拒绝。',
    '见报错：模板可能只接受 function 部分，也可能完全不支持工具。',
  ],
  'union-type-refused': [
    '有多种类型的参数（{"type": ["string", "null"]} 或 anyOf）被拒绝。',
    '只声明一种类型，或在渲染前去掉类型。',
  ],
  'optional-schema-refused': [
    'API 允许工具没有参数或描述，但模板拒绝。',
    '为每个工具添加描述和参数：{"type": "object", "properties": {}}。',
  ],
  'empty-tools-preamble': [
    '空的工具列表会改变提示词：要求模型使用不存在的工具。',
    '不要发送空列表，而是省略 tools 或发送 null。',
  ],
  'system-dropped': ['system 消息没有写入提示词。', '把指令放进第一条 user 消息，或改用会写出 system 消息的模板。'],
  'system-refused': ['开头的 system 消息被拒绝。', '把指令放进第一条 user 消息。'],
  'late-system-lost': ['第一条消息之后的 system 消息丢失，且不报错。', '把后来的指令放进 user 消息。'],
  'developer-lost': ['developer 消息丢失，且不报错。', '使用 system 角色。'],
  'two-users-refused': ['连续两条 user 消息被拒绝。', '在渲染前合并。'],
  'call-refused': ['含有调用及其结果的对话，无论以哪种形式都被拒绝。', NO_CALLS],
  'call-dropped': ['assistant 的调用没有写入提示词：模型看不到自己的调用。', NO_CALLS],
  'result-dropped': [
    '工具结果没有写入提示词。',
    '该模板不支持 tool 消息：改用支持的模板，或把结果作为 user 消息发送。',
  ],
  'parallel-refused': ['一条消息中有两个调用时被拒绝，一个则不会。', ONE_CALL],
  'parallel-lost': ['一条消息中的两个调用或其结果，有一个丢失。', ONE_CALL],
  'results-unbound': ['提示词不体现结果与调用的对应关系：结果次序改变后会错位。', '按调用的次序发送结果。'],
  'result-id-required': ['没有 id 的调用和结果被拒绝。', '按模板要求的形式发送 id。'],
  'history-needs-tools': ['请求没有工具时，之前的调用被拒绝或丢失。', '每个请求都发送工具，包括生成摘要的请求。'],
  'string-arguments-quoted': [
    'API 中以 JSON 文本表示的 arguments 被再次写成 JSON 字符串，充满反斜杠。',
    `${AS_OBJECT}模板中：\`arguments if arguments is string else arguments | tojson\`。`,
  ],
  'string-arguments-refused': ['arguments 为 JSON 文本（与 API 相同）的调用被拒绝。', AS_OBJECT],
  'string-arguments-altered': ['arguments 为 JSON 文本（与 API 相同）时，写法与同样内容的对象不同。', AS_OBJECT],
  'object-arguments-refused': [
    'arguments 为对象的调用被拒绝，而多数引擎都以对象传给模板。',
    '把 arguments 作为 JSON 文本传入。模板中：`arguments if arguments is string else arguments | tojson`。',
  ],
  'python-literals': [
    '参数中的 true、false、null 写成 Python 的 True、False、None，而调用并不是 Python。',
    '文本以外的值用 `| tojson` 输出。',
  ],
  'python-repr': [
    '列表和对象写成 Python 的 repr（单引号），而此处应为 JSON。',
    '用 `| tojson` 输出，不用 `| string`、`~` 或直接输出。',
  ],
  'null-content-refused': [
    'content 为 null 的调用（与 API 相同）被拒绝。',
    `${EMPTY_TEXT}模板中：\`message.content or ''\`。`,
  ],
  'absent-content-refused': [
    '没有 content 的消息中的调用被拒绝，而 content 为 null 时不会。',
    "每条消息都传入 content '' 或 null。模板中：`message.content is defined`。",
  ],
  'null-content-printed': ['调用旁的 content null 被写成一个单词。', EMPTY_TEXT],
  'text-lost-with-call': [
    'assistant 在调用旁的文本丢失。',
    '含有调用的消息也要输出 content。在此之前，把文本放进单独的消息。',
  ],
  'parts-refused': ['content 为分段列表时被拒绝。', JOIN_PARTS],
  'parts-printed-raw': ['content 为分段列表时，原样写成列表。', JOIN_PARTS],
  'escaped-text': [
    '字符被写成消息中没有的转义，例如 &lt; 或 \\u5317。',
    '去掉 `| escape`、`| e` 和仅 ASCII 的 JSON；使用不做 HTML 转义的 `tojson`。',
  ],
  'user-text-altered': ['user 文本首尾的空白被去掉。', '无需处理，除非空白有意义，例如代码。'],
  'prefix-turn': ['一轮在下一轮中的写法不同：从此处起缓存失效。', '预期每轮都要重新计算缓存，并用每一轮的提示词训练。'],
  'prefix-tool-loop': [
    '调用循环中的一轮在之后的写法不同：从此处起缓存失效。',
    '预期要重新计算缓存，并用每一步的提示词训练。',
  ],
  'generation-not-prefix': [
    '生成提示与历史中 assistant 轮次的开头不同。',
    '预期每轮都要重新计算缓存，并用实际部署的生成提示训练。',
  ],
  'generation-prompt-ignored': [
    'add_generation_prompt 不起作用。',
    '如果 user 轮次的最后一个 token 即是模型轮次的开始，则无需处理。',
  ],
  'reasoning-lost-in-loop': [
    '推理模型的模板在工具结果之后不写出思考内容。',
    '按模板要求的形式发送思考内容，必要时放进 content；否则模型每一步都会重新思考。',
  ],
  clock: ['提示词含有日期或时间：会随时间改变，缓存失效。', '把日期作为变量发送，或放进 system 消息。'],
  'result-forges-call': ['结果中的文本变成另一个调用及其结果，逐字节相同。', IN_RESULTS],
  'result-forges-turn': ['结果中的文本变成模型和用户的轮次，逐字节相同。', IN_RESULTS],
  'result-forges-system': ['结果中的文本变成 system 消息，逐字节相同。', IN_RESULTS],
  'user-forges-call': ['用户的文本变成调用及其结果，逐字节相同。', OF_USERS],
  'user-forges-system': ['用户的文本变成 system 消息，逐字节相同。', OF_USERS],
  'user-forges-turn': ['用户的文本变成模型和用户的轮次，逐字节相同。', OF_USERS],
  'description-forges-turn': [`工具或属性的描述中若写有一个轮次，会${AS_IT_IS}`, OF_TOOLS],
  'name-forges-turn': [`工具或属性的名称中若写有一个轮次，会${AS_IT_IS}`, OF_TOOLS],
  'argument-forges-turn': [
    `之前调用的参数中若写有一个轮次，会${AS_IT_IS}`,
    `用 \`| tojson\` 把参数输出为 JSON，或拒绝其中的标记。${NO_TOKENS}`,
  ],
}

/** A rule of the lint of chat templates in Chinese; null for one that has no translation, such as one of response templates. */
export function ruleInChinese(rule: string): RuleWords | null {
  const row = Object.hasOwn(ROWS, rule) ? ROWS[rule] : undefined
  return row === undefined ? null : { about: row[0], remedy: row[1] }
}
