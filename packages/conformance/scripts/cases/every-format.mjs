// The same questions about every format that callspec reads by a grammar: an even table of formats and topics.
import { cutCases, cutMarkers, refusalOf, streamCases } from './cut-cases.mjs'
import {
  TOPICS,
  call,
  NOW,
  CLOCK,
  toolsFor,
  reply,
  made,
  parseCase,
  withPlain,
  withPlainDraft,
  VALUES,
  TEXTS,
  SCRIPTS,
  KEYS,
  NAMES,
  FOREIGN,
  mayBeSeveral,
  leadOf,
} from './pieces.mjs'
import { NOUS, quotedCases } from './quoted-calls.mjs'
import { list } from './spellings.mjs'
import { SPOKEN } from './spoken.mjs'

function parseCases(format) {
  const one = (topic, name, about, given) =>
    parseCase(format, topic, name, about, { ...leadOf(format), calls: [given] })
  const text = (value) => JSON.stringify(value)
  return [
    unannounced(
      format,
      parseCase(format, TOPICS.basic, 'prose only', 'No markers, no call.', { before: 'It is noon.' }),
    ),
    one(TOPICS.basic, 'a call with one argument', 'The smallest reply with a call.', CLOCK),
    one(TOPICS.basic, 'two arguments', 'Both are there, whatever their order.', call('set', ['a', '1'], ['b', '"x"'])),
    one(TOPICS.empty, 'no arguments', 'A call without arguments is a call.', NOW),
    ...VALUES.map(([name, value]) =>
      one(TOPICS.values, name, 'A value keeps its type and its spelling.', call('set', ['v', value], ['w', '1'])),
    ),
    ...TEXTS.map(([name, value]) =>
      one(TOPICS.braces, name, 'In a text it is a character.', call('note', ['q', text(value)])),
    ),
    ...SCRIPTS.map(([name, value]) =>
      one(TOPICS.escapes, name, 'A text stays as it is.', call('note', ['q', text(value)])),
    ),
    ...markersIn(format).map((marker) =>
      withPlain(
        format,
        marker,
        one(
          TOPICS.markers,
          `the text ${marker}`,
          'Inside a text it is no marker.',
          call('note', ['q', text(`a ${marker} b`)]),
        ),
      ),
    ),
    ...spellable(format, KEYS, KEY).map((key) =>
      one(TOPICS.keys, `the key ${key}`, 'A key is a key.', call('set', [key, '"x"'])),
    ),
    ...spellable(format, NAMES, NAME).map((name) =>
      one(TOPICS.names, `the name ${name}`, 'Every character of a name counts.', call(name, ['a', '"x"'])),
    ),
    withOtherTools(
      one(
        TOPICS.unknown,
        'a tool that nobody offered',
        'A reader says what was written; who runs tools says which there are.',
        call('nope'),
      ),
    ),
    ...(mayBeSeveral(format) ? severalCases(format) : []),
    ...proseCases(format),
    ...(format.thought === undefined ? [] : thoughtCases(format)),
    ...(format.isNeverClosed === true ? cutMarkers(format) : cutCases(format)),
    ...(format.isBySchema === true ? underscores(format) : []),
  ]
}

/** With a tool that its text does not call: readers without tools read no calls at all, and one that is offered is known. */
const withOtherTools = (item) => ({ ...item, input: { ...item.input, tools: toolsFor([CLOCK]) } })

/** The case of a reply without any keyword: prose, or refused where a keyword has to announce it. */
function unannounced(format, item) {
  if (format.isAnnounced !== true) return item
  return {
    ...item,
    about: `${item.about} Readers that ask for a keyword before every answer refuse it.`,
    expected: { any_of: [item.expected, ...refusalOf(format)] },
  }
}

/** Where names and keys are identifiers, others cannot be written; names may have dots. */
const spellable = ({ isIdentifier }, names, form) =>
  isIdentifier === true ? names.filter((name) => form.test(name)) : names
const KEY = /^[\p{L}_][\p{L}\p{N}_]*$/u
const NAME = /^[\p{L}_][\p{L}\p{N}_]*(?:\.[\p{L}_][\p{L}\p{N}_]*)*$/u

/** Python reads underscores in numbers, JSON does not: what is no number stays a text. */
function underscores(format) {
  const text = reply(format, { calls: [call('set', ['v', '"1_000"'], ['w', '1'])] }).text
  const tools = toolsFor([call('set', ['v', '1'], ['w', '1'])])
  const items = [{ type: 'call', name: 'set', arguments: '{"v": "1_000", "w": 1}' }]
  return [
    made(format, 'parse', TOPICS.values, {
      name: 'underscores where a number is asked for',
      about: 'Python reads underscores in numbers, JSON does not: it stays a text.',
      input: { text, tools },
      expected: { items },
    }),
  ]
}

/** Where values are written as text, what ends one ends it: only the markers of others are text there. */
function markersIn(format) {
  if (format.foreign !== undefined) return format.foreign
  return format.values === 'text'
    ? FOREIGN
    : [...FOREIGN.filter((each) => each !== format.thought?.close), ...format.markers]
}

function severalCases(format) {
  const many = (name, about, calls) => parseCase(format, TOPICS.several, name, about, { ...leadOf(format), calls })
  return [
    many('two tools', 'Both count, in their order.', [CLOCK, NOW]),
    many('two calls of one tool', 'Calls of one tool are not made one.', [
      CLOCK,
      call('clock', ['zone', '"Asia/Tokyo"']),
    ]),
    many('the same call twice', 'Two equal calls are two calls.', [CLOCK, CLOCK]),
    many('the first without arguments', 'It counts like the others.', [NOW, CLOCK]),
    many(
      'five calls',
      'All of them count.',
      [1, 2, 3, 4, 5].map((at) => call('set', ['n', String(at)])),
    ),
  ]
}

function proseCases(format) {
  const prose = (name, about, parts) => parseCase(format, TOPICS.prose, name, about, parts)
  return [
    unannounced(format, prose('JSON and no call', 'An answer in JSON is prose.', { before: '{"answer": 42}' })),
    unannounced(format, prose('a list and no call', 'An answer in JSON is prose.', { before: '[1, 2]' })),
    ...(format.isAlone === true
      ? []
      : [
          prose('before a call', 'Prose before a call is content.', { before: 'Let me look.', calls: [CLOCK] }),
          prose('two paragraphs before a call', 'Prose before a call is content.', {
            before: 'First.\n\nSecond: 1 < 2.',
            calls: [CLOCK],
          }),
          prose('Chinese before a call', 'Prose before a call is content.', { before: '我查一下。', calls: [CLOCK] }),
        ]),
    ...(format.words ?? []).map((word) =>
      prose(`the words ${word}`, 'No call follows: it is prose.', { before: word }),
    ),
    ...(format.mayFollow === true
      ? [prose('behind a call', 'Prose behind the last call is content.', { calls: [CLOCK], after: 'Done.' })]
      : []),
  ]
}

function thoughtCases(format) {
  const think = (name, about, parts) => {
    const item = parseCase(format, TOPICS.thoughts, name, about, parts)
    return parts.thought === draft ? withPlainDraft(format, draft, item) : item
  }
  const draft = `Maybe ${format.calls([CLOCK]).trim()}?`
  const opened = [
    think('opened by the prompt', 'With thought_in_content a reply begins inside a thought.', {
      thought: 'Hm.',
      calls: [NOW],
      isOpened: true,
    }),
    think('a draft, opened by the prompt', 'The draft stays in the thought.', {
      thought: draft,
      before: 'Noon.',
      isOpened: true,
    }),
  ]
  return [
    think('before a call', 'A thought is neither prose nor part of the call.', { thought: 'Hm.', calls: [NOW] }),
    think('before prose', 'A thought is no prose.', { thought: 'Hm.', before: 'Noon.' }),
    think('a draft', 'Only the call behind the thought counts.', { thought: draft, calls: [NOW] }),
    think('a draft and no call', 'The draft stays in the thought.', { thought: draft, before: 'Noon.' }),
    // Where every prompt opens a thought, those above are opened; where none does, nothing is.
    ...(format.thoughts === undefined ? opened : []),
  ]
}

/** Spellings of other tokenizers of a family: SentencePiece writes a blank behind `[TOOL_CALLS]`, Tekken none. */
const SPELLED_AGAIN = [{ id: 'mistral-v3', name: 'SentencePiece', calls: list('[TOOL_CALLS] [', ']', { id: 'last' }) }]

const casesOf = (format) => [...parseCases(format), ...streamCases(format), ...quotedCases(format)]

/** The cases that a tokenizer of the same family spells otherwise, each with its name. */
function spelledAgain({ id, name, ...spelling }) {
  const format = SPOKEN.find((each) => each.id === id)
  const known = new Set(casesOf(format).map(({ input }) => JSON.stringify(input)))
  const again = casesOf({ ...format, ...spelling }).filter(({ input }) => !known.has(JSON.stringify(input)))
  return again.map((item) => ({ ...item, name: `${item.name}, ${name}` }))
}

export const FORMAT_CASES = [
  ...SPOKEN.flatMap((format) => [...parseCases(format), ...streamCases(format)]),
  ...[NOUS, ...SPOKEN].flatMap(quotedCases),
  ...SPELLED_AGAIN.flatMap(spelledAgain),
]
