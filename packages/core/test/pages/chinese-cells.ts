/** The cells of the tables in READMEs of formats, in Chinese. A test asks for every cell that is a phrase. */
export const CELLS: Readonly<Record<string, string>> = {
  // Heads
  piece: '部分',
  meaning: '含义',
  reply: '回复',
  outcome: '结果',
  calls: '调用',
  'between them': '调用之间',
  words: '字面量',
  'text around': '周围的正文',
  // First cells
  block: '调用块',
  call: '调用',
  argument: '参数',
  'a turn': '一轮消息',
  'on both sides of a string': '字符串两侧',
  'a result, and what hands over to the tools': '工具结果，以及交给工具的标记',
  // Meanings
  'a thought': '思考内容',
  'a thought, at the front': '思考内容，位于开头',
  'a thought, at the front; the prompt opens it': '思考内容，位于开头，由提示词打开',
  'a thought, and the text for the user': '思考内容，以及给用户的正文',
  'a thought; calls in it are drafts': '思考内容；其中的调用只是草稿',
  'a thought. Text before the last `</think>` is never searched for calls':
    '思考内容。最后一个 `</think>` 之前的文本不解析调用',
  'the calls; the id may be missing': '调用，可以没有 id',
  'prose; `START_TEXT`, `END_TEXT` in newer models': '正文；较新的模型用 `START_TEXT`、`END_TEXT`',
  'the same': '相同',
  'all calls of a reply': '一个回复的全部调用',
  'all calls of a reply (v3); the id may be missing': '一个回复的全部调用（v3），可以没有 id',
  'one call of V3 and R1; `⏎` between two': 'V3、R1 的一个调用，两个调用之间是 `⏎`',
  'one call of V3.1; nothing between two': 'V3.1 的一个调用，两个调用之间没有内容',
  'a result; V3 and R1 have a pair around all': '一个结果；V3、R1 在全部结果外还有一对标记',
  turns: '消息的轮次',
  '`<start_function_response>` (the prompt at hand writes results as text)':
    '`<start_function_response>`（所用的提示词以文本写结果）',
  none: '无',
  'begins a prompt': '提示词的开头',
  'each begins a turn; a turn has no end token': '各自开始一轮；一轮没有结束 token',
  'one call': '一个调用',
  'one argument': '一个参数',
  'a result, in a turn of `<\\|observation\\|>`': '一个结果，位于 `<\\|observation\\|>` 轮中',
  'the calls; the first is a token, the second plain text': '调用；第一种是 token，第二种是普通文本',
  'thought and answer of 3.3, where thinking was asked for': '3.3 的思考内容和回答（要求思考时）',
  'the same in 3.2': '3.2 中的对应写法',
  'a turn; a line feed follows it': '一轮，之后是一个换行',
  'a message begins, with its head': '一条消息开始，先是消息头',
  '`analysis` is a thought, `commentary` a preamble, `final` the answer':
    '`analysis` 是思考内容，`commentary` 是调用前的说明，`final` 是回答',
  'before or after the channel; `functions.NAME` is the call NAME':
    '位于 channel 之前或之后；`functions.NAME` 是对 NAME 的调用',
  'the type of the content: JSON, as without one, or a text of any kind': '内容的类型：JSON（省略时也是），或任意文本',
  'the content begins': '内容开始',
  'a message ends, and another one follows': '一条消息结束，之后还有下一条',
  'a call ends, a reply ends; both are stop tokens, seldom shown': '调用结束、回复结束；都是停止 token，很少可见',
  'a section': '一个段',
  'a call; the index is a position and no id': '一个调用；index 是位置，不是 id',
  'an argument: a text, or JSON for all other types': '一个参数：文本，其他类型为 JSON',
  'arguments that are no object of keys': '不是对象的参数',
  'around the reply; its end may be missing': '包围整个回复，可以没有结束标记',
  'a call; other members are passed over, their order is free': '一个调用；其他成员忽略，顺序不限',
  'may precede it; a token that many servers strip': '可以位于调用之前；许多服务端会去掉这个 token',
  'a turn; results have the role `ipython`': '一轮；结果的角色是 `ipython`',
  'ends a call where the prompt lists built-in tools': '提示词列出内置工具时，结束一个调用',
  'a turn; the roles are system, developer, user, ai, tool': '一轮；角色有 system、developer、user、ai、tool',
  'a result, in a turn of the role tool; plain text': '一个结果，位于角色 tool 的一轮中；普通文本',
  'a turn; the roles are system, user, ai and tool': '一轮；角色有 system、user、ai、tool',
  'around all calls of a reply; one token each': '包围一个回复的全部调用；各是一个 token',
  'one call; plain text': '一个调用；普通文本',
  'one argument; plain text': '一个参数；普通文本',
  'a result, in a turn of the role tool': '一个结果，位于 tool 角色的轮中',
  'a turn; the roles are system, user and assistant': '一轮；角色有 system、user、assistant',
  'one call; parts of the tags are tokens': '一个调用；标签的一部分是 token',
  'around a text that contains `<`, `&` or a line feed': '包围含有 `<`、`&` 或换行的文本',
  'a thought, at the front; the model or the prompt opens it': '思考内容，位于开头，由模型或提示词打开',
  'a result, in a turn of the role user': '一个结果，位于 user 角色的轮中',
  'a call (v13)': '一个调用（v13）',
  'a call (v11); the id may be missing': '一个调用（v11），可以没有 id',
  'the tools: before the last user message (v3, v11), the first (v13)':
    '工具：位于最后一条用户消息之前（v3、v11），或第一条之前（v13）',
  'a result; v11 has id and `[TOOL_CONTENT]` before it; in v3 it is `{"content", "call_id"}`':
    '一个结果；v11 之前还有 id 和 `[TOOL_CONTENT]`；v3 为 `{"content", "call_id"}`',
  'a call: `{"name": …, "arguments": …}`': '一个调用：`{"name": …, "arguments": …}`',
  'a tool result, in a user message': '一个工具结果，位于用户消息中',
  'code that follows the JSON of a call (code mode)': '调用的 JSON 之后的代码（代码模式）',
  'code after the JSON of a call (code mode)': '调用的 JSON 之后的代码（代码模式）',
  'the calls; `parameters` replaces a missing `arguments`': '调用；没有 `arguments` 时用 `parameters`',
  'each begins a message, which ends with `<\\|end\\|>`': '各自开始一条消息，以 `<\\|end\\|>` 结束',
  'the tools, inside the system message': '工具，位于系统消息中',
  'the whole reply is `[f(a="x"), g()]`': '整个回复是 `[f(a="x"), g()]`',
  'the same, or `<\\|python_start\\|>[…]<\\|python_end\\|>`': '相同，或 `<\\|python_start\\|>[…]<\\|python_end\\|>`',
  'a line feed': '换行',
  "Python's": 'Python 的',
  "JSON's, Python's": 'JSON 的、Python 的',
  before: '调用之前',
  'both sides': '前后都可以',
  'starts a call. The colon must be half-width and follow at once': '开始一个调用。冒号必须是半角，且紧跟其后',
  'its arguments: JSON, or a Markdown block where the tool takes code': '参数：JSON；工具接收代码时为 Markdown 代码块',
  'a tool result. Written by the framework only: a stop word': '一个工具结果，只由框架写入：它是停止词',
  'the reply that uses the results. A stop word too': '使用结果的回复，也是停止词',
  'around one call; one token each': '包围一个调用；各是一个 token',
  'the call; plain text': '调用；普通文本',
  'one argument; one line feed at each end belongs to the tags, not the value':
    '一个参数；两端各一个换行属于标签，不属于值',
  'one argument; one line feed at each end belongs to the tags': '一个参数；两端各一个换行属于标签',
  'a result, in a user turn': '一个结果，位于用户轮中',
  'ends the prompt; the model goes on with its thought': '位于提示词末尾，模型接着写思考内容',
  'ends the prompt; the model continues with its thought': '位于提示词末尾，模型接着写思考内容',
  'the name of the tool. Counts at the start of a line that is not the first': '工具的名字。只在非首行的行首有效',
  'the arguments: JSON, or a Markdown block where the tool takes code': '参数：JSON；工具接收代码时为 Markdown 代码块',
  'a tool result. Written by the framework only: `Observation:` is a stop word':
    '一个工具结果，只由框架写入：`Observation:` 是停止词',
  'ends the work for a reader; the parser does not look for it: no action means finished':
    '对读者表示结束；解析器不检查它：没有 Action 即结束',
  'a turn; no line feed follows it': '一轮，之后没有换行',
  'around one call': '包围一个调用',
  'around all calls of a reply': '包围一个回复的全部调用',
  'an argument, or a member of an object': '一个参数，或对象的一个成员',
  'an element of a list': '列表的一个元素',
  'a message begins, with its head: role and recipient': '一条消息开始，先是消息头：角色和接收者',
  'a thought, a text, calls; the name of a call is in its invoke': '思考内容、正文、调用；调用的名字在 invoke 中',
  'a message ends, and another one follows; the turn ends': '一条消息结束，之后还有下一条；一轮结束',
  'around the calls of a message; plain text': '包围一条消息的调用；普通文本',
  'a message': '一条消息',
  'the call, in the message of the model (3.1)': '调用，位于模型的消息中（3.1）',
  'the call of GigaChat 3, a message of its own': 'GigaChat 3 的调用，是单独的一条消息',
  'precedes a reply without calls': '位于没有调用的回复之前',
  'the text for the user, after a thought': '给用户的正文，位于思考内容之后',
  'end the system message, a question or result, a reply': '分别结束系统消息、问题或结果、回复',
  'a result': '一个结果',
  'the calls': '调用',
  'the results, in a turn of the user': '结果，位于用户的一轮中',
  'the results, in the turn of the model': '结果，位于模型的一轮中',
  'a turn; the roles are SYSTEM, USER and CHATBOT': '一轮；角色有 SYSTEM、USER、CHATBOT',
  'a thought; the prompt opens it': '思考内容，由提示词打开',
  'a text, in every turn': '正文，每一轮都有',
  'the results, in a SYSTEM turn': '工具结果，位于 SYSTEM 轮中',
  'each begins a turn': '各自开始一轮',
  'ends a turn of the model': '结束模型的一轮',
  'the key of an argument': '参数的名字',
  'its value': '参数的值',
  'a result; `<tool_responses:opensource>` is around all of them':
    '一个结果；`<tool_responses:opensource>` 包围全部结果',
  'a look at the budget, a part of the thought': '对思考预算的检查，属于思考内容',
}

/** A table of a README with its phrases in Chinese; code stays. */
export function tableInChinese(table: string): string {
  return table
    .trimEnd()
    .split('\n')
    .map((row) => row.replaceAll(/(?:\\\||[^|])+/g, (cell) => ` ${CELLS[cell.trim()] ?? cell.trim()} `))
    .join('\n')
}

/** Cells of a table that hold English phrases without a translation: outside of code, two words or more. */
export function untranslated(table: string): readonly string[] {
  const cells = table.split('\n').flatMap((row) => row.match(/(?:\\\||[^|])+/g) ?? [])
  return cells
    .map((cell) => cell.trim())
    .filter((cell) => CELLS[cell] === undefined && /[a-z]{2,} [a-z]{2,}/.test(cell.replaceAll(/`[^`]*`/g, '')))
}
