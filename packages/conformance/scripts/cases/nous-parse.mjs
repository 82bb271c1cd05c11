// Replies of nous as wholes: prose, several calls, thoughts, layouts, names, what the request says, and cuts.
import { CLOSE, NOW, nousCase, OPEN, call, tagged, thought, TOKYO, UTC } from './nous-reply.mjs'
import { callItem, itemsOf, piece, say, textOf } from './reply.mjs'

const under =
  (topic, topicAbout, evidence) =>
  (name, about, pieces, more = {}) =>
    nousCase('parse', [topic, topicAbout], { name, about, pieces, evidence, ...more })

const prose = under('prose-around-calls', 'What stands before, between and behind calls.', ['sgl-project/sglang#40739'])
const REMARKS = [
  ['a word', 'Done.'],
  ['Chinese', '我已经查到了。'],
  ['two paragraphs', 'First.\n\nSecond.'],
  ['a list', '- one\n- two'],
  ['a question', 'Shall I go on?'],
  ['an emoji', 'Done 😀'],
  ['a table', '| a | b |\n|---|---|\n| 1 | 2 |'],
  ['a heading', '# Result\nNoon.'],
  ['a URL', 'See https://example.org/?a=1&b=2'],
  ['inline code', 'I called `clock`.'],
  ['HTML', '<b>Noon</b> it is.'],
  ['a comparison', '1 < 2 and 3 > 2'],
  ['a fence of code', '```js\nf({})\n```'],
  ['a fence of JSON', '```json\n{"name": "now", "arguments": {}}\n```'],
  ['JSON', '{"answer": 42}'],
]
const PROSE = REMARKS.flatMap(([name, text]) => [
  prose(`${name} before a call`, 'Prose before a call is content.', [say(text), '\n', UTC()]),
  prose(`${name} between calls`, 'Prose between calls is content.', [UTC(), '\n', say(text), '\n', NOW()]),
  prose(`${name} behind the last call`, 'Prose behind the last call is content.', [UTC(), '\n', say(text)]),
  prose(`${name} and no call`, 'Prose is content, whatever it looks like.', [say(text)]),
])
const PROSE_MORE = [
  prose('before, between and behind', 'Every piece stays where it was.', [
    say('One.'),
    '\n',
    UTC(),
    '\n',
    say('Two.'),
    '\n',
    NOW(),
    '\n',
    say('Three.'),
  ]),
  prose('on the same line as the tags', 'Tags need no line of their own.', [say('Now:'), ' ', NOW(), ' ', say('ok')]),
  prose('no white space at all', 'Tags end words.', [say('Now:'), NOW(), say('ok')]),
  prose('a list of JSON and no call', 'JSON outside of the tags is prose.', [
    say('[{"name": "now", "arguments": {}}]'),
  ]),
  prose('a bare call without tags', 'Without tags it is prose.', [say('{"name": "now", "arguments": {}}')]),
  prose('the name of the tag without brackets', 'A word is no tag.', [say('A tool_call is written in tags.')]),
  prose('a tag with a blank in it', 'This is no tag.', [say('Write < tool_call > around it.')]),
  prose('a tag in capitals', 'Tags are told apart by every character.', [say('Write <TOOL_CALL> around it.')]),
  prose('a longer tag', 'Another tag is prose.', [say('Write <tool_calls> around it.')]),
  prose('the beginning of a tag in the middle', 'It never became a tag.', [say('Write <tool_ and stop.')]),
  prose('an angle bracket at the end', 'Nothing followed: it is prose.', [say('1 <')]),
  prose('a bracket before the tag', 'The first bracket is prose.', [say('a <'), NOW()]),
]

const several = under('several-calls', 'Several calls in one reply.', [
  'ai-dynamo/dynamo#4723',
  'huggingface/smolagents#1569',
])
const zone = (at) => call('clock', `{"zone": "Etc/GMT+${at}"}`)
const joined = (pieces, between) => pieces.flatMap((each, at) => (at === 0 ? [each] : [between, each]))
const SEVERAL = [
  ...[3, 4, 5, 8, 20, 50].map((count) =>
    several(
      `${count} calls of one tool`,
      'All of them count, each by itself.',
      joined(
        Array.from({ length: count }, (_, at) => zone(at)),
        '\n',
      ),
    ),
  ),
  ...[
    ['nothing', ''],
    ['a blank', ' '],
    ['an empty line', '\n\n'],
    ['CRLF', '\r\n'],
    ['a tabulator', '\t'],
    ['three empty lines', '\n\n\n\n'],
  ].map(([name, between]) =>
    several(`${name} between two calls`, 'White space between calls is none of the answer.', [UTC(), between, NOW()]),
  ),
  several('the same call twice', 'Two equal calls are two calls.', [UTC(), '\n', UTC()]),
  several('the same call three times', 'Equal calls are not made one.', [NOW(), '\n', NOW(), '\n', NOW()]),
  several('two tools in turn', 'The order is that of the reply.', [UTC(), '\n', NOW(), '\n', TOKYO(), '\n', NOW()]),
  several('the first has no arguments', 'It counts like the others.', [NOW(), '\n', UTC()]),
  several('the last has no arguments', 'It counts like the others.', [UTC(), '\n', NOW()]),
  several('a closing tag in a string of the first', 'The second one begins behind the first one, not inside of it.', [
    call('note', '{"q": "</tool_call>"}'),
    '\n',
    NOW(),
  ]),
]

const think = under('thoughts', 'A call that is drafted in a thought is no call.', [
  'PrimeIntellect-ai/renderers#80',
  'lmstudio-ai/lmstudio-bug-tracker#1592',
])
const DRAFT = UTC().text
const THOUGHTS = [
  ...[
    ['a word', 'Hm.'],
    ['two lines', 'First.\nSecond.'],
    ['Chinese', '先查时间。'],
    ['JSON', '{"name": "now"}'],
    ['a fence', '```\nx\n```'],
    ['an opening tag', 'I write <tool_call> next.'],
    ['a closing tag', 'It ends with </tool_call>.'],
    ['a draft', `Maybe ${DRAFT}`],
    ['two drafts', `${DRAFT}\n${DRAFT}`],
    ['an unclosed draft', '<tool_call>\n{"name": "clock"'],
    ['angle brackets', 'a < b > c'],
  ].flatMap(([name, text]) => [
    think(`${name} in a thought before a call`, 'Nothing in a thought is a call.', [thought(text), '\n', NOW()]),
    think(`${name} in a thought before prose`, 'Nothing in a thought is a call.', [
      thought(text),
      '\n\n',
      say('Noon.'),
    ]),
    think(
      `${name} in a thought that the prompt has opened`,
      'With thought_in_content a reply begins inside a thought.',
      [piece(`${text}</think>`, { type: 'reasoning', text }), '\n', NOW()],
      { input: { thought_in_content: true }, evidence: ['ShishirPatil/gorilla#1230'] },
    ),
  ]),
  think(
    'the prompt has opened a thought, prose follows',
    'The answer begins behind the closing tag.',
    [piece('Hm.</think>', { type: 'reasoning', text: 'Hm.' }), '\n\n', say('Noon.')],
    { input: { thought_in_content: true } },
  ),
  think('line feeds at both ends of a thought', 'They are no part of it.', [thought('\nHm.\n'), '\n\n', NOW()]),
  think('a thought, two calls and prose', 'Calls count behind a thought, and so does prose.', [
    thought('Hm.'),
    '\n',
    UTC(),
    '\n',
    NOW(),
    '\n',
    say('Done.'),
  ]),
]

const layout = under('layout', 'White space, line ends and the order of members inside a call.')
const LAYOUTS = [
  ['no line feeds', '{"name": "f", "arguments": {"a": 1}}'],
  ['blanks at both ends', ' {"name": "f", "arguments": {"a": 1}} '],
  ['CRLF', '\r\n{"name": "f", "arguments": {"a": 1}}\r\n'],
  ['two line feeds', '\n\n{"name": "f", "arguments": {"a": 1}}\n\n'],
  ['no blanks', '\n{"name":"f","arguments":{"a":1}}\n'],
  ['blanks before colons', '\n{"name" : "f" , "arguments" : {"a" : 1}}\n'],
  ['two blanks behind colons', '\n{"name":  "f",  "arguments":  {"a":  1}}\n'],
  ['a line per member', '\n{\n"name": "f",\n"arguments": {"a": 1}\n}\n'],
  ['two blanks of indent', '\n{\n  "name": "f",\n  "arguments": {\n    "a": 1\n  }\n}\n'],
  ['four blanks of indent', '\n{\n    "name": "f",\n    "arguments": {\n        "a": 1\n    }\n}\n'],
  ['tabulators of indent', '\n{\n\t"name": "f",\n\t"arguments": {\n\t\t"a": 1\n\t}\n}\n'],
  ['CRLF and indent', '\r\n{\r\n  "name": "f",\r\n  "arguments": {\r\n    "a": 1\r\n  }\r\n}\r\n'],
  ['arguments before the name', '\n{"arguments": {"a": 1}, "name": "f"}\n'],
  ['arguments before the name over lines', '\n{\n  "arguments": {"a": 1},\n  "name": "f"\n}\n'],
  ['arguments before the name without blanks', '{"arguments":{"a":1},"name":"f"}'],
  ['the name over a line', '\n{"name":\n"f", "arguments": {"a": 1}}\n'],
  ['a tabulator at each end', '\t{"name": "f", "arguments": {"a": 1}}\t'],
  ['braces apart', '\n{ "name": "f", "arguments": { "a": 1 } }\n'],
  ['names of members by numbers', '\n{"\\u006eame": "f", "arguments": {"a": 1}}\n'],
  ['the name of the tool by numbers', '\n{"name": "\\u0066", "arguments": {"a": 1}}\n'],
].flatMap(([name, inside]) => [
  layout(name, 'JSON may be laid out in any way.', [tagged(inside, 'f', '{"a": 1}')]),
  layout(`${name}, before a second call`, 'The second call begins behind the first one.', [
    tagged(inside, 'f', '{"a": 1}'),
    '\n',
    NOW(),
  ]),
])

const named = under('tool-names', 'Names of tools.', ['sgl-project/sglang#33902'])
const NAMES = [
  ...[
    'get-weather',
    'get.weather',
    'get_weather',
    'getWeather',
    'GET',
    'f',
    'x1',
    '1x',
    'get-weather.v2',
    'mcp__files__read_file',
  ],
  ...[
    'files/read',
    'ns:tool',
    'functions.now',
    'name',
    'arguments',
    'tool_call',
    '查天气',
    'constructor',
    '__proto__',
    'a b',
    'get@weather',
    'x'.repeat(64),
  ],
].map((name) => named(`the name ${name.slice(0, 40)}`, 'Every character of a name counts.', [call(name, '{"a": 1}')]))

const empty = under('empty-arguments', 'Calls of tools that take no arguments.', [
  'vllm-project/vllm#28806',
  'vercel/ai#2103',
])
const EMPTY = [
  ...[
    ['with a blank in the braces', '{ }'],
    ['with a line feed in the braces', '{\n}'],
  ].map(([name, json]) => empty(name, 'It is an empty object all the same.', [call('now', json)])),
  empty('before its name', 'The order of members does not matter.', [
    tagged('\n{"arguments": {}, "name": "now"}\n', 'now', '{}'),
  ]),
  empty('behind prose', 'The call is there.', [say('Now.'), '\n', NOW()]),
  empty('before prose', 'The call is there.', [NOW(), '\n', say('Now.')]),
  empty('behind a thought', 'The call is there.', [thought('Hm.'), '\n', NOW()]),
]

const TOOL = (name) => ({
  name,
  description: 'A tool.',
  parameters: { type: 'object', properties: { zone: { type: 'string' } } },
})
const TOOLS = [TOOL('clock'), TOOL('now')]
const unknown = under('unknown-tools', 'Calls of tools that were not offered.', [
  'sgl-project/sglang#33902',
  'ollama/ollama#17742',
])
const forced = under('forced-tools', 'Prompts that force or forbid a call, and the replies to them.', [
  'ggml-org/llama.cpp#29240',
])
const UNKNOWN = [
  unknown(
    'only unknown ones',
    'A reader says what was written; who runs tools says which there are.',
    [call('nope', '{"a": 1}')],
    { input: { tools: TOOLS } },
  ),
  unknown('an unknown one behind a known one', 'Both are calls.', [NOW(), '\n', call('nope', '{}')], {
    input: { tools: TOOLS },
  }),
  unknown('an unknown one before a known one', 'Both are calls.', [call('nope', '{}'), '\n', NOW()], {
    input: { tools: TOOLS },
  }),
  unknown('a name in other letters', 'It is another name.', [call('Clock', '{}')], { input: { tools: TOOLS } }),
  unknown('an argument that no schema has', 'A reader checks no schema.', [call('clock', '{"nope": 1}')], {
    input: { tools: TOOLS },
  }),
  unknown(
    'an argument of another type',
    'JSON says its type itself; a schema changes nothing.',
    [call('clock', '{"zone": 5}')],
    { input: { tools: TOOLS } },
  ),
]
const FORCED = [
  ...[
    ['known tools', [UTC()]],
    ['two known tools', [NOW(), '\n', UTC()]],
    ['prose and a call', [say('Now.'), '\n', NOW()]],
    ['prose only', [say('Noon.')]],
  ].flatMap(([name, pieces]) => [
    forced(`${String(name)}, offered`, 'Tools in the request change nothing in the reply.', pieces, {
      input: { tools: TOOLS },
    }),
    forced(`${String(name)}, choice auto`, 'The choice changes nothing in the reply.', pieces, {
      input: { tools: TOOLS, tool_choice: 'auto' },
    }),
    forced(`${String(name)}, several calls allowed`, 'The reply says how many there are.', pieces, {
      input: { tools: TOOLS, parallel_calls: true },
    }),
  ]),
  forced('prose, choice none', 'Nothing was asked for and nothing came.', [say('Noon.')], {
    input: { tools: TOOLS, tool_choice: 'none' },
  }),
]

const basic = under('basic', 'A reply with and without calls.')
const BASIC = [
  basic('an empty reply', 'There is nothing in it.', []),
  basic('white space only', 'White space alone is no prose.', [' \n\n']),
  basic('a call and a line feed', 'White space at the end of a reply is none of the answer.', [UTC(), '\n']),
  basic('a line feed and a call', 'White space at the beginning of a reply is none of the answer.', ['\n', UTC()]),
]

const long = under('large', 'Long arguments, many members, deep nesting.', ['vllm-project/vllm#51141'])
const nested = (depth) => `${'{"a": '.repeat(depth)}1${'}'.repeat(depth)}`
const LARGE = [
  long('a text of 100 kB', 'Nothing is cut off.', [call('note', `{"q": "${'0123456789abcdef'.repeat(6400)}"}`)]),
  long('a text of 2000 line feeds', 'Escapes add up.', [call('note', `{"q": "${'\\n'.repeat(2000)}"}`)]),
  long('200 members', 'All of them are there.', [
    call('set', `{${Array.from({ length: 200 }, (_, at) => `"k${at}": ${at}`).join(', ')}}`),
  ]),
  long('a list of 1000 numbers', 'All of them are there.', [
    call('set', `{"l": [${Array.from({ length: 1000 }, (_, at) => at).join(', ')}]}`),
  ]),
  long('40 levels of objects', 'Every level counts.', [call('set', nested(40))]),
  long('a paragraph of 5 kB before a call', 'Prose of any length is content.', [
    say('All is well. '.repeat(400).trim()),
    '\n',
    NOW(),
  ]),
]

/** What may be meant by a call as a JSON text, and by a call that lacks something: readers differ, and each may. */
const DIFFERING = [
  several_answers(
    'arguments-as-text',
    'Arguments that stand as a JSON text.',
    'an object in a text',
    `\n{"name": "clock", "arguments": "{\\"zone\\": \\"UTC\\"}"}\n`,
    [[callItem('clock', '{"zone": "UTC"}')], [callItem('clock', '"{\\"zone\\": \\"UTC\\"}"')]],
    'The object that the text holds, or the text: never a text in a text.',
    ['MoonshotAI/kimi-cli#2513', 'OpenManus/OpenManus#989'],
  ),
  several_answers(
    'arguments-as-text',
    'Arguments that stand as a JSON text.',
    'no arguments in a text',
    `\n{"name": "now", "arguments": "{}"}\n`,
    [[callItem('now', '{}')], [callItem('now', '"{}"')]],
    'The object that the text holds, or the text: never a text in a text.',
    ['MoonshotAI/kimi-cli#2513'],
  ),
  several_answers(
    'arguments-as-text',
    'Arguments that stand as a JSON text.',
    'a list in a text',
    `\n{"name": "set", "arguments": "[1, 2]"}\n`,
    [[callItem('set', '[1, 2]')], [callItem('set', '"[1, 2]"')]],
    'The list that the text holds, or the text: never a text in a text.',
    ['MoonshotAI/kimi-cli#2572'],
  ),
]

function several_answers(topic, topicAbout, name, inside, answers, about, evidence) {
  const made = nousCase('parse', [topic, topicAbout], {
    name,
    about,
    pieces: [piece(`${OPEN}${inside}${CLOSE}`)],
    evidence,
  })
  return { ...made, expected: { any_of: answers.map((items) => ({ items })) } }
}

/** Everything before a cut stays; of the open call nothing is a call. Its beginning is dropped, or stands as prose. */
const BASES = [
  [
    'behind prose',
    [say('Let me look.'), '\n'],
    '<tool_call>\n{"name": "get_weather", "arguments": {"city": "上\\u6d77", "days": -12.5, "on": true, "l": [1, {"a": null}]}}\n</tool_call>',
  ],
  [
    'behind a call',
    [UTC(), '\n'],
    '<tool_call>\n{"arguments": {"q": "a \\"b\\" }", "n": 100}, "name": "note"}\n</tool_call>',
  ],
]
const CUTS = BASES.flatMap(([where, before, last]) => {
  const whole = last.lastIndexOf('}')
  const places = [
    3, 10, 11, 12, 13, 15, 18, 20, 22, 24, 26, 30, 34, 38, 40, 44, 48, 50, 52, 54, 56, 58, 60, 62, 64, 66, 68, 71, 74,
    78, 82, 86, 90, 94, 98, 102,
  ].filter((at) => at <= whole)
  return places.map((at) =>
    cutCase('parse', `${String(where)}, ${at} characters of a call`, { before, rest: last.slice(0, at) }),
  )
})

export function cutCase(op, name, { before, rest, chunks }) {
  const topic = ['cut', 'Replies that end where their calls are open.']
  const about =
    'Finished calls and prose stay, and the open call is none; what there is of it is dropped or stands as prose.'
  const made = nousCase(op, topic, {
    name,
    about,
    pieces: [...before, rest],
    evidence: ['pydantic/pydantic-ai#3118'],
    chunks,
  })
  const items = itemsOf(before)
  const answers = [{ items }, { items: [...items, { type: 'text', text: `\n${rest}` }] }].map(merged)
  return { ...made, expected: op === 'stream' ? { any_of: answers.map((final) => ({ final })) } : { any_of: answers } }
}

/** Neighbouring texts are one. */
function merged({ items }) {
  const out = []
  for (const item of items) {
    const last = out.at(-1)
    if (last?.type === 'text' && item.type === 'text') out[out.length - 1] = { ...last, text: last.text + item.text }
    else out.push(item)
  }
  return { items: out }
}

export const PARSE_CASES = [
  ...[...BASIC, ...PROSE, ...PROSE_MORE, ...SEVERAL, ...THOUGHTS, ...LAYOUTS, ...NAMES, ...EMPTY],
  ...[...UNKNOWN, ...FORCED, ...LARGE, ...DIFFERING, ...CUTS],
]
export { joined, textOf, zone }
