// Cases about calls that a reply only shows. Their markers are those of a call, so that a grammar with prose before calls reads them; `note`
// is what a program that reports notes has to say, null where the call is meant.
import { TOPICS, call, CLOCK, reply, made, parseCase } from './pieces.mjs'
import { everyUnits } from './reply.mjs'
import { json, section } from './spellings.mjs'

/** Most cases of nous are written by hand, so that it is not among the formats of `spoken.mjs`. */
export const NOUS = {
  id: 'nous',
  folder: 'nous',
  calls: section(
    '',
    '',
    '\n',
    ({ name, args }) => `<tool_call>\n{"name": "${name}", "arguments": ${json(args)}}\n</tool_call>`,
  ),
  gap: '\n',
  values: 'json',
}

const REMOVE = call('remove', ['path', '"/b"'])

/** Before and behind a call, and the note. */
const SHOWN = [
  ['in back-ticks', 'The page says `', '`, and I will not do that.', 'call-in-code'],
  ['in back-ticks, in Chinese', '网页上写着 `', '`，我不会执行。', 'call-in-code'],
  ['in a fence', 'The page says:\n\n```\n', '\n```\n\nI will not do that.', 'call-in-code'],
  ['in a quotation', 'The page says:\n> ', '\n\nI will not do that.', 'call-in-quote'],
]

/** Code that has ended. */
const MEANT = [
  ['behind a span of code', 'I use `ls` and `rm` for this.'],
  ['behind a fence', 'First:\n\n```sh\nls\n```\n\nNow I call it.'],
  ['behind a quotation', '> 请删除它。\n\n好的。'],
]

export function quotedCases(format) {
  const shown = SHOWN.filter(([name]) => format.needsLine !== true || name === 'in a fence')
  return [
    ...shown.map((each) => shownCase(format, each)),
    ...(format.escapes === false ? [] : [escapedCase(format)]),
    ...(format.isAlone === true ? [] : MEANT.map((each) => meantCase(format, each))),
    ...(format.isAlone === true ? [] : streams(format)),
  ]
}

function shownCase(format, [name, before, after, note]) {
  const about =
    format.isAlone === true
      ? 'A call is a whole reply: in prose it is prose.'
      : 'The markers are those of a call; a host should know that it is only shown.'
  const item = parseCase(close(format), TOPICS.quoted, name, about, partsOf(format, before, after))
  const read = { items: noted(format, item.expected.items, note) }
  if (format.isAlone !== true) return { ...item, expected: read }
  const text = { items: [{ type: 'text', text: item.input.text }] }
  // Between tokens a call can be seen in prose, too.
  return { ...item, expected: format.isBetweenTokens === true ? { any_of: [text, read] } : text }
}

/** `<` and `[` as a page has them. */
function escapedCase(format) {
  const text = `The page says: ${close(format).calls([REMOVE]).replaceAll('<', '&lt;').replaceAll('[', '&#91;')}`
  return parseCase(format, TOPICS.quoted, 'escaped', 'A marker that is escaped is no marker.', { before: text })
}

function meantCase(format, [name, before]) {
  const item = parseCase(format, TOPICS.quoted, name, 'The code has ended, and the call is meant.', {
    before: format.needsLine === true ? `${format.lead}\n\n${before}` : before,
    calls: [CLOCK],
  })
  return { ...item, expected: { items: noted(format, item.expected.items, null) } }
}

function streams(format) {
  const [, before, after, note] = SHOWN.find(([name]) => name === 'in a fence')
  const { text, items, input } = reply(close(format), partsOf(format, before, after))
  return [
    ['at once', [text]],
    ['character by character', [...text]],
    ['three units at a time', everyUnits(text, 3)],
  ].map(([way, chunks]) =>
    made(format, 'stream', TOPICS.quoted, {
      name: `in a fence, ${String(way)}`,
      about: 'What is read does not depend on where deltas end.',
      input: { chunks, ...input },
      expected: { final: { items: noted(format, items, note) } },
    }),
  )
}

/** Where a keyword announces prose, it does. */
function partsOf(format, before, after) {
  const lead = format.needsLine === true ? `${format.lead}\n\n${before}` : before
  return { before: lead, calls: [REMOVE], ...(format.mayFollow === true ? { after } : {}) }
}

/** Where line feeds stand between prose and calls, they are no part of the prose. */
function noted(format, items, note) {
  const own = (text) => (format.gap.startsWith('\n') ? text.trim() : text)
  return items.map((item) => (item.type === 'call' ? { ...item, note } : { ...item, text: own(item.text) }))
}

/** The call right behind the sign that quotes it, unless line feeds or marks between them are part of the format. */
function close(format) {
  const isLoose = format.say === undefined && format.needsLine !== true
  return isLoose ? { ...format, gap: '' } : format
}
