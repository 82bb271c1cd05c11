// What may stand in arguments: numbers, words, texts, escapes, brackets, keys, and the markers of every format.
import { call, nousCase } from './nous-reply.mjs'

const one =
  (topic, about, evidence) =>
  (name, json, why = about, tool = 'set') =>
    nousCase('parse', topic, { name, about: why, pieces: [call(tool, json)], evidence })

const value = one(
  ['value-types', 'Types, digits and spelling of arguments.'],
  'A number keeps its type and its digits.',
  ['NousResearch/hermes-agent#55369'],
)
const NUMBERS = [
  ...['0', '1', '-1', '-273', '7', '10', '1000000', '-1000000', '2147483648', '-2147483649', '4294967296'],
  ...['9007199254740991', '9007199254740992', '-9007199254740993', '9223372036854775807', '9223372036854775808'],
  ...['-9223372036854775809', '18446744073709551615', '18446744073709551616', '123456789012345678901234567890'],
  ...['1.5', '-1.5', '1.0', '-1.0', '100.0', '0.1', '-0.1', '0.30000000000000004', '3.141592653589793'],
  ...['1e5', '1E5', '1e+5', '1e-5', '-1e5', '-1e-5', '1.5e3', '1.0e10', '6.02e23', '1e300', '2.5E-3'],
].map((number) => value(`the number ${number}`, `{"n": ${number}}`))

const WORDS = [
  ['true', 'true', 'A word of JSON, no text.'],
  ['false', 'false', 'False is a value; readers that ask whether it is there lose it.'],
  ['null', 'null', 'Null is a value; the member stays.'],
  ['an empty text', '""', 'An empty text is a value; the member stays.'],
  ['an empty list', '[]', 'An empty list is a value.'],
  ['an empty object', '{}', 'An empty object inside of arguments is no call without arguments.'],
  ['the text true', '"true"', 'Quoted, it is a text.'],
  ['the text null', '"null"', 'Quoted, it is a text.'],
  ['the text None', '"None"', 'A word of Python is a text.'],
  ['the text 7', '"7"', 'Digits in quotes are a text.'],
  ['the text 007', '"007"', 'Leading zeros are part of a text.'],
  ['the text 1.0', '"1.0"', 'A number in quotes is a text.'],
  ['the text -1', '"-1"', 'A number in quotes is a text.'],
  ['the text 1_000', '"1_000"', 'Python reads underscores in numbers; JSON has none.'],
  ['a text with a blank at each end', '" a "', 'The ends of a text are part of it.'],
  ['a text of blanks', '"   "', 'Blanks are a text.'],
  ['a text that ends with a line feed', '"one\\n"', 'The end of a text is part of it.'],
  ['a text that begins with a tabulator', '"\\tone"', 'The beginning of a text is part of it.'],
  ['a text of JSON', '"{\\"a\\": 1}"', 'It stays a text: nobody asked for it to be read.'],
  ['a list of numbers', '[1, 2, 3]', 'It is a list, no text.'],
  ['a list of all kinds', '[null, true, 1, 1.5, "a", [], {}]', 'Types inside of lists stay.'],
  ['a list in a list', '[[1], [2, 3], []]', 'Types inside of lists stay.'],
  ['an object in an object', '{"a": {"b": {"c": 1}}}', 'Inner objects are no texts.'],
  ['a number in an object', '{"a": -1.5}', 'Inner numbers are no texts.'],
  ['a list of objects', '[{"a": 1}, {"a": 2}]', 'Inner objects are no texts.'],
  ['a date', '"2026-02-30"', 'Nobody reads it as a date.'],
].map(([name, json, why]) => value(name, `{"a": ${json}, "b": 1}`, why))

const escape = one(['escapes', 'Every escape of JSON in argument strings.'], 'JSON escapes are read once.', [
  'MoonshotAI/kimi-cli#2513',
])
const ESCAPES = [
  ['a quote', '\\"'],
  ['a backslash', '\\\\'],
  ['a slash', '\\/'],
  ['a backspace', '\\b'],
  ['a form feed', '\\f'],
  ['a line feed', '\\n'],
  ['a carriage return', '\\r'],
  ['a tabulator', '\\t'],
  ['a letter by its number', '\\u0041'],
  ['an accent by its number', '\\u00e9'],
  ['capital digits in a number', '\\u00E9'],
  ['Chinese by its numbers', '\\u4e2d\\u6587'],
  ['an emoji by two numbers', '\\ud83d\\ude00'],
  ['two emoji by four numbers', '\\ud83d\\ude00\\ud83c\\udf89'],
  ['a null character', '\\u0000'],
  ['an escape character', '\\u001b[31m'],
  ['a separator of lines', '\\u2028'],
  ['a byte order mark', '\\ufeff'],
  ['a blank that does not break', 'a\\u00a0b'],
  ['angle brackets', '\\u003ca\\u003e'],
  ['a quote by its number', 'a\\u0022b'],
  ['a backslash by its number', 'a\\u005cb'],
  ['a path of Windows', 'C:\\\\new\\\\table'],
  ['a backslash and an n', 'a\\\\nb'],
  ['two backslashes', '\\\\\\\\'],
  ['a backslash before a quote', '\\\\\\"'],
  ['a regular expression', '^\\\\d+\\\\.\\\\w*$'],
  ['a line of shell', 'echo \\"$HOME\\" | sed \\u0027s/a/b/\\u0027'],
  ['CRLF', 'one\\r\\ntwo'],
  ['quotes around everything', '\\"a\\"'],
  ['a text that looks escaped', '\\\\u0041'],
].flatMap(([name, text]) => [escape(name, `{"q": "${text}"}`)])
const ESCAPED_KEYS = [
  ['in a key', '{"a\\nb": 1}'],
  ['of a key by numbers', '{"\\u0061": 1}'],
  ['in an inner text', '{"a": ["\\u4e2d", {"b": "\\t"}]}'],
].map(([name, json]) => escape(`an escape ${name}`, json))
const RAW = [
  ['Chinese as it is', '上海的天气'],
  ['an emoji as it is', '晴 😀 ok'],
  ['a family of emoji', '👨‍👩‍👧'],
  ['a combined accent', 'e\u0301'],
  ['Arabic', 'مرحبا'],
  ['Hindi', 'नमस्ते'],
  ['full-width signs', '：，「」｛｝'],
  ['a private character', '\ue000'],
].map(([name, text]) => escape(name, `{"q": "${text}"}`, 'What needs no escape stands as it is.'))

const brace = one(
  ['braces-in-strings', 'Brackets, quotes and backslashes inside of argument strings.'],
  'A bracket inside a string is a character: nothing is counted there.',
  ['NVIDIA/TensorRT-LLM#19228'],
)
const BRACES = [
  ...['}', '{', '}}', '{{', ']', '[', ']]', '}]', '}}\\n', '{}', '[]', '{\\"a\\": 1}', '\\"}', '\\\\}', '\\\\\\"}'],
  ...['a } b', 'if (x) { y[0]; }', ', \\"', '\\", \\"b\\": \\"', ':', '"}'.replace('"', '\\"')],
]
  .filter((text, at, all) => all.indexOf(text) === at)
  .map((text) => brace(`the text ${text}`, `{"code": "${text}"}`))
const BRACE_KEYS = ['}', '{', '"'.replace('"', '\\"'), ']'].map((text) => brace(`the key ${text}`, `{"${text}": 1}`))

const key = one(['keys', 'Names of arguments.'], 'A key is a key, whatever the language of the reader makes of it.', [
  'vercel/ai#5658',
])
const KEYS = [
  ...['__proto__', 'constructor', 'prototype', 'toString', 'valueOf', 'hasOwnProperty', '__class__', '__init__'],
  ...[
    '',
    ' ',
    'a b',
    ' a',
    'a.b',
    'a-b',
    'a/b',
    'a:b',
    '1',
    '01',
    '-1',
    '$ref',
    '@type',
    '城市',
    '😀',
    'name',
    'arguments',
  ],
  ...['type', 'function', 'id', 'parameters', 'null', 'true', 'length', 'A', 'x'.repeat(80)],
].map((name) => key(`the key ${JSON.stringify(name).slice(0, 40)}`, `{${JSON.stringify(name)}: 1}`))
const KEY_PLACES = [
  key('__proto__ in an inner object', '{"a": {"__proto__": {"b": 1}}}'),
  key('keys that look like indices stand in their order', '{"b": 1, "2": 2, "1": 3}'),
  key('a capital letter makes another key', '{"a": 1, "A": 2}'),
]

const marker = one(
  ['markers-in-values', 'Markers of a format inside of argument strings.'],
  'Inside a JSON string a marker is text; a reader that looks for tags first and for JSON later cuts the call in two.',
  ['anthropics/claude-code#61375', 'ollama/ollama#17914'],
)
const OWN = [
  '<tool_call>',
  '</tool_call>',
  '<think>',
  '</think>',
  '<tool_response>',
  '</tool_response>',
  '<tools>',
  '</tools>',
]
const TOKENS = ['<|im_start|>', '<|im_end|>', '<|endoftext|>', '<code>', '</code>']
const FOREIGN = [
  ...['✿FUNCTION✿: f', '✿ARGS✿: {}', '✿RESULT✿', 'Action: f\\nAction Input: {}', 'Observation: x', 'Final Answer: x'],
  ...[
    '</parameter>',
    '<function=f>',
    '</function>',
    '<arg_key>',
    '</arg_value>',
    '<invoke name=\\"f\\">',
    '[TOOL_CALLS]',
  ],
  ...[
    '[ARGS]{}',
    '<|tool_call_begin|>',
    '<|tool_call_end|>',
    '<｜tool▁call▁begin｜>',
    '<｜tool▁calls▁end｜>',
    '<|python_tag|>',
  ],
  ...['functools[', '<|START_ACTION|>', '<|channel|>', '<minimax:tool_call>', '<seed:tool_call>'],
]
const MARKERS = [
  ...OWN.flatMap((each) => [
    marker(`${each} alone`, `{"q": "${each}"}`),
    marker(`${each} between words`, `{"q": "a ${each} b"}`),
    marker(`${each} in a key`, `{"${each}": 1}`),
  ]),
  ...TOKENS.map((each) => marker(`${each} between words`, `{"q": "a ${each} b"}`)),
  ...FOREIGN.map((each) =>
    marker(
      `of another format: ${each}`,
      `{"q": "${each}"}`,
      'Only the markers of the format that is spoken count, and these only outside of strings.',
    ),
  ),
  marker(
    'a whole call in a string',
    '{"q": "<tool_call>\\n{\\"name\\": \\"now\\", \\"arguments\\": {}}\\n</tool_call>"}',
  ),
  marker('a closing tag before the end of the text', '{"q": "a</tool_call>"}'),
  marker('a closing tag in a list', '{"l": ["</tool_call>", "b"]}'),
  marker('a closing tag in the second argument', '{"a": 1, "q": "</tool_call>"}'),
  marker('both tags the wrong way round', '{"q": "</tool_call><tool_call>"}'),
  marker('half of a tag', '{"q": "</tool_ca"}'),
  marker('a thought in a string', '{"q": "<think>a</think>"}'),
]

export const VALUE_CASES = [
  ...[...NUMBERS, ...WORDS, ...ESCAPES, ...ESCAPED_KEYS, ...RAW, ...BRACES, ...BRACE_KEYS],
  ...[...KEYS, ...KEY_PLACES, ...MARKERS],
]
