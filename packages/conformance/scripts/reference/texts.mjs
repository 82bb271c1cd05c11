// Random texts, conversations and tools, of what the reference reacts to: markers and their pieces, JSON and its ruins, other scripts.
import fc from 'fast-check'

// prettier-ignore
const MARKERS = [
  '✿FUNCTION✿', '✿FUNCTION✿:', '✿ARGS✿', '✿ARGS✿:', '✿RESULT✿', '✿RESULT✿:', '✿RETURN✿', '✿RETURN✿:', '✿FUNC', '✿',
  '<tool_call>', '</tool_call>', '<tool_call>\n', '\n</tool_call>', '<tool_response>', '</tool_response>', '<tool_cal', '<code>', '</code>',
  '<think>', '</think>', '\n</think>\n\n', 'Thought:', '\nAction:', '\nAction Input:', '\nObservation:', '\nFinal Answer:', 'Observation', '<|im_end|>',
]
// prettier-ignore
const JSONS = [
  '{}', '{"a": 1}', '{"name": "add", "arguments": {"a": 1}}', '{"name": "add", "arguments": {}}', '{"name": "f"}', '{"arguments": {}}', "{'name': 'g', 'arguments': {'x': [1, 2.0]}}",
  '{"name": "add", "arguments": "{\\"a\\": 1}"}', '{name: "add", arguments: {a: 1,},}', '{"name": "add", "arguments": {"a": "</tool_call>"}}', '{"name": 1, "arguments": 2}',
  '{"name": "code_interpreter", "arguments": {"code": ""}}\n<code>\nprint(1)\n</code>', '{"name": "add", "arguments": ', '{"a": "\\ud83d\\ude00"}', '{"a": 1e999, "b": NaN}',
  '9007199254740993', '[1, 1.0]', '5', '"text"', 'null', '{"zone": "UTC"', '"a": 1}', '```py\nx = 1\n```', '```json\n{"a": 1}\n```', '// c\n{"a": 1}', '/* c */', '\\', '"', '{', '}', ':', ',', ': ',
]
// prettier-ignore
const WORDS = [
  'hi', ' add', 'f', 'add', '你好', '天气怎么样？', '：', '，', '😀', '👩‍👩‍👧', 'é', 'e\u0301', '\u3000', '\u00a0', '\u2028', '\u0085', '\u001c', '\ufeff', ' ', '  ', '\n', '\n\n', '\r\n', '\t', '%s', '{x}', '{', '1.0', '...', 'null', '\0',
]

/** A soup of pieces. */
export const text = fc
  .array(
    fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom(...MARKERS) },
      { weight: 3, arbitrary: fc.constantFrom(...JSONS) },
      { weight: 4, arbitrary: fc.constantFrom(...WORDS) },
      { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 4 }) },
    ),
    { maxLength: 9 },
  )
  .map((pieces) => pieces.join(''))

/** Calls as the formats write them, perhaps with something around them. */
const call = fc
  .record({
    name: fc.constantFrom('add', 'f', 'clock', 'nope', ''),
    args: fc.constantFrom(...JSONS),
    before: text,
    after: text,
    way: fc.nat(2),
  })
  .map(({ name, args, before, after, way }) => {
    if (way === 0) return `${before}✿FUNCTION✿: ${name}\n✿ARGS✿: ${args}\n${after}`
    if (way === 1) return `${before}<tool_call>\n{"name": "${name}", "arguments": ${args}}\n</tool_call>${after}`
    return `${before}\nAction: ${name}\nAction Input: ${args}\n${after}`
  })

/** What a model might say. */
export const reply = fc.oneof({ weight: 2, arbitrary: call }, { weight: 1, arbitrary: text })

const schema = fc.constantFrom(
  { type: 'object', properties: { a: { type: 'integer', description: '整数' } }, required: ['a'] },
  { type: 'object', properties: {}, required: [] },
  { type: 'object', properties: { zone: { type: 'string', enum: ['UTC', '北京'] } }, required: ['zone'] },
)

/** A tool without results. */
export const tool = fc.record(
  {
    name: fc.constantFrom('add', 'f', 'clock', 'code_interpreter'),
    description: fc.constantFrom('d', '两个整数相加', 'a "b" {c}\n'),
    parameters: schema,
    args_format: fc.constantFrom('此工具的输入应为JSON对象。', 'x'),
    name_for_human: fc.constantFrom('人', 'h'),
  },
  { requiredKeys: ['name', 'description', 'parameters'] },
)
export const tools = fc.uniqueArray(tool, { maxLength: 3, selector: ({ name }) => name })

const result = fc.oneof(text, fc.record({ json: fc.constantFrom(null, 1, 1.5, [], { a: '你' }) }))
/** Tools with what they give back. */
export const scriptedTools = tools.chain((given) =>
  fc
    .tuple(...given.map(() => fc.array(result, { minLength: 1, maxLength: 2 })))
    .map((results) => given.map((each, at) => ({ ...each, results: results[at] }))),
)

const item = fc.oneof(
  { weight: 4, arbitrary: fc.record({ text }) },
  { weight: 1, arbitrary: fc.constantFrom({ file: 'a/表.pdf' }, { image: 'i.png' }) },
)
/** A text or items. */
const content = (form) =>
  form === 'items'
    ? fc.array(item, { maxLength: 3 })
    : form === 'texts'
      ? fc.array(fc.record({ text }), { maxLength: 2 })
      : text
const functionCall = fc.record({ name: fc.constantFrom('add', 'f', ''), arguments: fc.constantFrom(...JSONS, '') })

/** A conversation whose messages have content of a form: `text`, `texts` or `items`. */
export function messages(form) {
  const user = fc.record({ role: fc.constant('user'), content: content(form) })
  const assistant = fc.record(
    {
      role: fc.constant('assistant'),
      content: content(form === 'items' ? 'texts' : form),
      function_call: functionCall,
      reasoning_content: text,
    },
    { requiredKeys: ['role', 'content'] },
  )
  const called = fc
    .tuple(functionCall, content(form === 'items' ? 'texts' : form), content(form === 'items' ? 'texts' : form))
    .map(([made, said, got]) => [
      { role: 'assistant', content: said, function_call: made },
      { role: 'function', name: made.name, content: got },
    ])
  const turn = fc.oneof(
    user.map((one) => [one]),
    assistant.map((one) => [one]),
    called,
  )
  return fc
    .tuple(fc.option(content(form === 'items' ? 'texts' : form), { freq: 2 }), user, fc.array(turn, { maxLength: 4 }))
    .map(([system, first, turns]) => [
      ...(system === null ? [] : [{ role: 'system', content: system }]),
      first,
      ...turns.flat(),
    ])
}
