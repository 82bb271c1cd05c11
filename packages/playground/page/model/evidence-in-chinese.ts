import type { Evidence } from '@callspec/inspect'
import { fill } from '@callspec/python'

/** What evidence says, as `inspect/src/evidence.ts` has it in English. */
const SENTENCES: Readonly<Record<Evidence['sentence'], string>> = {
  prompts: '全部 {count} 段对话的提示词都与 {formats} 相同',
  tekken: '其 tekken.json 的版本为 {version}',
  chat: '其聊天模板按 {formats} 格式写出调用',
  response: '其响应模板可解析 {formats} 格式的调用',
  'response-unknown': '其响应模板不能解析任何已知格式的调用',
  vocabulary: '其词表中有 {count} 个标记是 token',
  name: '模型名为“{name}”（{source}）',
  'name-unread': '模型名为“{name}”，callspec 尚不能解析 {title}（{source}）',
  member: '其 config.json 的“{member}”为“{name}”（{source}）',
  'member-unread': '其 config.json 的“{member}”为“{name}”，callspec 尚不能解析 {title}（{source}）',
}

/** Evidence in Chinese. */
export function evidenceInChinese({ sentence, values }: Evidence): string {
  const { formats = '', source = '' } = values
  const named = formats.replaceAll(' or ', ' 或 ').replaceAll(' and ', ' 和 ')
  return fill(SENTENCES[sentence], { ...values, formats: named, source: sourceInChinese(source) ?? source })
}

type Phrase = readonly [english: string, chinese: string]

/** What says which format a model speaks, as `core/src/formats/known-models.ts` has it. A test asks for each. */
const SOURCES: readonly Phrase[] = [
  ['its chat template, named in the README of the format', '其聊天模板，见该格式的 README'],
  [
    'its chat template in models/templates of llama.cpp or a fork',
    '其聊天模板，见 llama.cpp 或其分支的 models/templates',
  ],
  [
    'its chat template is that of {model}, sha256 {sha256} ({place})',
    '其聊天模板与 {model} 相同，sha256 {sha256}（{place}）',
  ],
  ['its tags have no suffix (tests of vLLM)', '其标签没有后缀（vLLM 的测试）'],
  [
    '{engine} and {other} read it by {parser}, which keeps the line feeds of values',
    '{engine} 和 {other} 用 {parser} 解析，保留值中的换行',
  ],
  ['{engine} and {other} read it by {parser}', '{engine} 和 {other} 用 {parser} 解析'],
  [
    '{engine} reads it by {parser}, {other} by {second} ({source})',
    '{engine} 用 {parser} 解析，{other} 用 {second} 解析（{source}）',
  ],
  ['{engine} reads it by {parser}, the parser of {format}', '{engine} 用 {parser} 解析，即 {format} 的解析器'],
  ['{engine} reads it by {parser} ({source})', '{engine} 用 {parser} 解析（{source}）'],
  ['{engine} reads it by {parser}', '{engine} 用 {parser} 解析'],
  ['the model card of {model} serves it by {parser} of {engine}', '{model} 的模型卡在 {engine} 中使用 {parser}'],
  ['the model card of {model} serves it by {parser}', '{model} 的模型卡使用 {parser}'],
  ['the calls are those of {model} ({source})', '其调用与 {model} 相同（{source}）'],
  ['{model}: its chat template writes calls as {other}', '{model}：其聊天模板按 {other} 写出调用'],
  ['{library}, and the vocabularies of the models', '{library} 及各模型的词表'],
  ['{engine} has {one} and {other} for the family', '{engine} 为该系列提供 {one} 和 {other}'],
  ['{program} at {commit} prompts them so', '{program}（{commit}）如此写其提示词'],
  ['{file} of {project}: a JSON list in the same tags', '{project} 的 {file}：相同标签中的 JSON 列表'],
  ['{file} of {project} at {commit}', '{project}（{commit}）的 {file}'],
  ['{file} of {project}, {commit}', '{project}（{commit}）的 {file}'],
  ['{file} of {project}', '{project} 的 {file}'],
]

/** A source in Chinese; null for one that has no translation. Links are the same in each language. */
export function sourceInChinese(source: string): string | null {
  const parts = source.split('; ').map((part) => (/^[\w.-]+\/[\w.-]+#\d+$/.test(part) ? part : translated(part)))
  return parts.includes(null) ? null : parts.join('；')
}

function translated(part: string): string | null {
  for (const [english, chinese] of SOURCES) {
    const values = valuesIn(part, english)
    if (values === null) continue
    const { source } = values
    return fill(chinese, source === undefined ? values : { ...values, source: sourceInChinese(source) ?? source })
  }
  return null
}

/** What a sentence has in the places of a phrase; null if it is another sentence. */
function valuesIn(sentence: string, phrase: string): Readonly<Record<string, string>> | null {
  const [first = '', ...rest] = phrase.split('{')
  if (!sentence.startsWith(first)) return null
  const values: Record<string, string> = {}
  let at = first.length
  for (const [index, piece] of rest.entries()) {
    const [name = '', literal = ''] = piece.split('}')
    const end =
      literal === '' || index === rest.length - 1 ? sentence.length - literal.length : sentence.indexOf(literal, at)
    if (end <= at || !sentence.startsWith(literal, end)) return null
    values[name] = sentence.slice(at, end)
    at = end + literal.length
  }
  return at === sentence.length ? values : null
}

/** What of a prompt is not covered, by the sentence of `core/src/formats/known-models.ts`. A test asks for each. */
const LACKS: Readonly<Record<string, string>> = {
  'Its prompt is that of the template in llama.cpp, which llama.cpp has edited.':
    '提示词取自 llama.cpp 中的模板，llama.cpp 对其做过修改。',
  'Its prompt is not covered.': '未覆盖其提示词。',
  'Its prompt shows a call as a message of its own; that is not covered.': '其提示词把调用写成单独的消息，未覆盖。',
  'Its prompt is not that of the format, and its final answer is marked in the text; that is not covered.':
    '其提示词与该格式不同，最终回答在文本中另有标记，未覆盖。',
  'Replies only: its prompt was not checked.': '仅覆盖回复：未检查其提示词。',
  'Its prompt prints true and null where that of Qwen3.5 prints True and None, and is not covered.':
    '其提示词输出 true 和 null，而 Qwen3.5 输出 True 和 None，未覆盖。',
  'Its prompt always opens a thought and names a reasoning effort; that is not covered.':
    '其提示词总是打开思考内容，并写明 reasoning effort，未覆盖。',
  'Its prompt opens a thought; that is not covered.': '其提示词打开思考内容，未覆盖。',
  'The version in its tekken.json decides which of the two, and the system prompt of Magistral is not covered.':
    '由 tekken.json 的版本决定是两者中的哪一个；未覆盖 Magistral 的系统提示词。',
  'Its prompt is not that of the format, and is not covered.': '其提示词与该格式不同，未覆盖。',
  'Its prompt shows no earlier calls; that is not covered.': '其提示词不显示之前的调用，未覆盖。',
  'The vocabulary decides which of the two: command4 if it has <|START_TEXT|>.':
    '由词表决定是两者中的哪一个：含有 <|START_TEXT|> 则为 command4。',
}

/** What is not covered in Chinese; null for a sentence that has no translation. */
export function lacksInChinese(sentence: string): string | null {
  return Object.hasOwn(LACKS, sentence) ? (LACKS[sentence] ?? null) : null
}
