// Replies of nous in pieces: the same answer, wherever they end.
import { CLOSE, NOW, nousCase, OPEN, call, tagged, thought, TOKYO, UTC } from './nous-reply.mjs'
import { cutCase } from './nous-parse.mjs'
import { cutAt, everyUnits, piece, placesOf, say, textOf } from './reply.mjs'

const MARKERS = [OPEN, CLOSE, '<think>', '</think>']
const WORLD = ['Whether a marker is found may depend on where a server ends its deltas.', ['vllm-project/vllm#55079']]

/** The ways in which a reply is cut, each with what is special about it. */
const WAYS = [
  ['at once', (text) => [text], 'A server may send everything in one delta.'],
  ['character by character', (text) => [...text], 'Every marker comes in pieces.'],
  ['two units at a time', (text) => everyUnits(text, 2), 'Every marker comes in pieces.'],
  ['three units at a time', (text) => everyUnits(text, 3), 'Every marker comes in pieces.'],
  ['seven units at a time', (text) => everyUnits(text, 7), 'Ends of markers share their deltas with what follows.'],
  ['sixteen units at a time', (text) => everyUnits(text, 16), 'Deltas hold several tokens.'],
  [
    'before each marker',
    (text) =>
      cutAt(
        text,
        placesOf(text, MARKERS).map(({ start }) => start),
      ),
    'Each marker begins a delta.',
  ],
  [
    'behind each marker',
    (text) =>
      cutAt(
        text,
        placesOf(text, MARKERS).map(({ end }) => end),
      ),
    'Each marker ends a delta.',
  ],
  [
    'one character before the end of each marker',
    (text) =>
      cutAt(
        text,
        placesOf(text, MARKERS).map(({ end }) => end - 1),
      ),
    'What is held back must be long enough.',
  ],
  [
    'in the middle of each marker',
    (text) =>
      cutAt(
        text,
        placesOf(text, MARKERS).map(({ start, end }) => (start + end) >> 1),
      ),
    'Half a marker is no prose.',
  ],
  ['with empty pieces between', (text) => everyUnits(text, 9).flatMap((chunk) => [chunk, '']), 'A delta may be empty.'],
  ['line by line', (text) => text.split(/(?<=\n)/), 'Line feeds end deltas.'],
]

const TOOLS = ['now', 'clock', 'set'].map((name) => ({
  name,
  description: 'A tool.',
  parameters: { type: 'object', properties: {} },
}))
const REPLIES = [
  ['prose only', [say('It is noon in London, and 1 < 2.')], 'same-as-whole'],
  ['one call', [UTC()], 'split-anywhere'],
  ['prose and a call', [say('Let me look.'), '\n', UTC()], 'split-anywhere'],
  ['a call and prose', [UTC(), '\n', say('Done.')], 'split-anywhere'],
  ['prose, a call, prose', [say('One.'), '\n', NOW(), '\n', say('Two.')], 'same-as-whole'],
  ['two calls', [UTC(), '\n', NOW()], 'several-calls'],
  ['two calls of one tool', [UTC(), '\n', TOKYO()], 'several-calls'],
  ['three calls without white space', [UTC(), NOW(), TOKYO()], 'several-calls'],
  ['the tools in another order than the calls', [UTC(), '\n', NOW()], 'several-calls', { tools: TOOLS }],
  ['one call of the last tool', [call('set', '{"a": 1}')], 'several-calls', { tools: TOOLS }],
  ['a thought and a call', [thought('Hm.'), '\n', UTC()], 'thoughts'],
  ['a draft in a thought', [thought(`Maybe ${UTC().text}`), '\n', NOW()], 'thoughts'],
  [
    'a thought that the prompt has opened',
    [piece(`Maybe ${UTC().text}</think>`, { type: 'reasoning', text: `Maybe ${UTC().text}` }), '\n', NOW()],
    'thoughts',
    { thought_in_content: true },
  ],
  ['a closing tag in a string', [call('note', '{"q": "a </tool_call> b"}')], 'markers-in-values'],
  ['an opening tag in a string', [call('note', '{"q": "a <tool_call> b"}'), '\n', NOW()], 'markers-in-values'],
  ['braces in a string', [call('note', '{"q": "}} ] {\\"a\\": [\\\\\\"}"}')], 'braces-in-strings'],
  ['no arguments', [say('Now.'), '\n', NOW()], 'empty-arguments'],
  [
    'Chinese, emoji and escapes',
    [say('好的 😀'), '\n', call('note', '{"q": "上海 😀 \\u4e2d \\ud83d\\ude00 \\n"}')],
    'split-unicode',
  ],
  ['numbers', [call('set', '{"n": [-1.5, 1e5, 9007199254740993, 1.0, -273]}')], 'value-types'],
  ['arguments before the name', [tagged('\n{"arguments": {"a": 1}, "name": "set"}\n', 'set', '{"a": 1}')], 'layout'],
  [
    'a call over several lines',
    [tagged('\n{\n  "name": "set",\n  "arguments": {\n    "a": 1\n  }\n}\n', 'set', '{"a": 1}')],
    'layout',
  ],
  [
    'CRLF',
    [tagged('\r\n{"name": "set", "arguments": {"a": 1}}\r\n', 'set', '{"a": 1}'), '\r\n', say('Done.')],
    'layout',
  ],
  ['JSON as prose', [say('{"answer": 42}')], 'prose-around-calls'],
  ['a fence of JSON before a call', [say('```json\n{"name": "now"}\n```'), '\n', NOW()], 'prose-around-calls'],
]
const ABOUT = {
  'same-as-whole': 'A stream ends as the reply read at once.',
  'split-anywhere': 'The same reply, cut in different places.',
  'several-calls': 'Several calls in one reply.',
  thoughts: 'Thoughts in tags, with and without drafts of calls.',
  'markers-in-values': 'Markers of a format inside of argument strings.',
  'braces-in-strings': 'Brackets, quotes and backslashes inside of argument strings.',
  'empty-arguments': 'Calls of tools that take no arguments, and arguments that are missing.',
  'split-unicode': 'Characters and escapes that come in two pieces.',
  'value-types': 'Types, digits and spelling of arguments.',
  layout: 'White space, line ends and the order of members inside a call.',
  'prose-around-calls': 'What stands before, between and behind calls.',
}

const [ABOUT_CUTS, REPORTS] = WORLD
const streamed = (topic, name, about, pieces, chunks, input, evidence = REPORTS) =>
  nousCase('stream', [topic, ABOUT[topic]], { name, about, pieces, chunks, input, evidence })

const EVERY_WAY = REPLIES.flatMap(([name, pieces, topic, input]) => {
  const text = textOf(pieces)
  const seen = new Set()
  return WAYS.flatMap(([way, cut, about]) => {
    const chunks = cut(text)
    const key = JSON.stringify(chunks)
    if (seen.has(key)) return []
    seen.add(key)
    return [streamed(topic, `${String(name)}, ${String(way)}`, about, pieces, chunks, input)]
  })
})

/** Two pieces, the cut after so many characters of a marker. */
const EVERY_PLACE = [
  [OPEN, 0],
  [CLOSE, 0],
  ['<think>', 1],
  ['</think>', 1],
].flatMap(([marker, which]) => {
  const pieces = which === 0 ? [say('Now.'), '\n', UTC(), '\n', say('Done.')] : [thought('Hm.'), '\n', NOW()]
  const text = textOf(pieces)
  const start = text.indexOf(marker)
  return Array.from({ length: marker.length - 1 }, (_, at) => at + 1).map((at) =>
    streamed(
      which === 0 ? 'split-anywhere' : 'thoughts',
      `${at} characters of ${marker} in the first piece`,
      ABOUT_CUTS,
      pieces,
      cutAt(text, [start + at]),
    ),
  )
})

const groups = (name, pieces, chunks) =>
  streamed('several-calls', name, 'A delta may hold the end of one call and the beginning of the next.', pieces, chunks)
const [first, second] = [UTC().text, NOW().text]
const GROUPS = [
  groups('both in one piece', [UTC(), '\n', NOW()], [`${first}\n${second}`]),
  groups(
    'the end of the first and all of the second in one piece',
    [UTC(), '\n', NOW()],
    [first.slice(0, -12), `${first.slice(-12)}\n${second}`],
  ),
  groups(
    'the end of the first and the tag of the second in one piece',
    [UTC(), '\n', NOW()],
    [first.slice(0, -12), `${first.slice(-12)}\n${OPEN}`, second.slice(OPEN.length)],
  ),
  groups(
    'all of the first and the tag of the second in one piece',
    [UTC(), '\n', NOW()],
    [`${first}\n${OPEN}`, second.slice(OPEN.length)],
  ),
  groups(
    'prose and a call in one piece, prose in the next',
    [say('Now.'), '\n', NOW(), '\n', say('Done.')],
    [`Now.\n${second}`, '\nDone.'],
  ),
  groups(
    'the end of a call and prose in one piece',
    [NOW(), '\n', say('Done.')],
    [second.slice(0, -12), `${second.slice(-12)}\nDone.`],
  ),
  groups(
    'a call and the beginning of prose in one piece',
    [NOW(), '\n', say('Done and gone.')],
    [`${second}\nDone`, ' and gone.'],
  ),
]

const UNICODE = (() => {
  const pieces = [say('晴 😀 ok'), '\n', call('note', '{"q": "a😀b \\ud83d\\ude00 \\u4e2d \\\\ \\" \\n"}')]
  const text = textOf(pieces)
  const places = [
    ['the halves of an emoji in prose', text.indexOf('😀') + 1],
    ['the halves of an emoji in a string', text.lastIndexOf('😀') + 1],
    ['the two numbers of an emoji', text.indexOf('\\ude00')],
    ['a backslash and its letter', text.indexOf('\\u4e2d') + 1],
    ['the digits of a number', text.indexOf('\\u4e2d') + 4],
    ['two backslashes', text.indexOf('\\\\ ') + 1],
    ['a backslash and a quote', text.indexOf('\\"') + 1],
    ['a backslash and an n', text.lastIndexOf('\\n') + 1],
  ]
  return places.map(([name, at]) =>
    streamed(
      'split-unicode',
      `cut between ${name}`,
      'No delta may hold half a character, and none may lose one.',
      pieces,
      cutAt(text, [at]),
      undefined,
      ['vllm-project/vllm#55079'],
    ),
  )
})()

const BLANKS = [
  streamed(
    'prose-around-calls',
    'white space in pieces of its own',
    'A blank is prose too.',
    [say('It is noon.')],
    ['It', ' ', 'is', ' ', 'noon', '.'],
  ),
  streamed(
    'prose-around-calls',
    'an empty line in a piece of its own',
    'A line feed is prose too.',
    [say('One.\n\nTwo.')],
    ['One.', '\n\n', 'Two.'],
  ),
  streamed(
    'braces-in-strings',
    'a blank in a string as a piece of its own',
    'A blank in a string counts.',
    [call('note', '{"q": "a b"}')],
    ['<tool_call>\n{"name": "note", "arguments": {"q": "a', ' ', 'b"}}\n</tool_call>'],
  ),
]

const LAST = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo", "days": 12, "l": [1]}}\n</tool_call>'
const CUTS = [4, 10, 11, 13, 20, 26, 34, 46, 53, 56, 62, 66, 72, 75, 80, 84, 86].map((at) => {
  const rest = LAST.slice(0, at)
  const before = [say('Let me look.'), '\n', NOW(), '\n']
  return cutCase('stream', `behind a call, ${at} characters of another one`, {
    before,
    rest,
    chunks: everyUnits(textOf(before) + rest, 5),
  })
})

export const STREAM_CASES = [...EVERY_WAY, ...EVERY_PLACE, ...GROUPS, ...UNICODE, ...BLANKS, ...CUTS]
