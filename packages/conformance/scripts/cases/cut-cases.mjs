// Cases about replies that are cut off, and about replies that arrive in pieces.
import { TOPICS, call, NOW, CLOCK, reply, made, mayBeSeveral, leadOf } from './pieces.mjs'
import { cutAt, everyUnits, placesOf } from './reply.mjs'

const ABOUT_CUT = 'Prose stays, and the open call is none; what there is of it is dropped or stands as prose.'
const OPEN_CALL = call('get_weather', ['city', '"Oslo"'], ['days', '12'], ['on', 'true'])

/** Places inside of a call: at every marker, and inside of its name, a key, a text, a number and a word. */
function openPlaces(format, whole) {
  const small = whole.toLowerCase()
  const inside = ['get_wea', 'cit', 'osl', '1', 'tru'].map((word) => small.indexOf(word) + word.length)
  const ends = placesOf(whole, format.markers).flatMap(({ start, end }) => [start, end - 1, end])
  const last = Math.max(small.lastIndexOf('true') + 4, small.lastIndexOf('12') + 2)
  return [...new Set([...inside, ...ends])].filter((at) => at > 0 && at < last).sort((a, b) => a - b)
}

/** Where nothing ends a call, its end cannot be seen; before its name it is never a call. */
export function cutMarkers(format) {
  const [marker] = format.markers
  return [1, marker.length - 2].map((count) => {
    const text = `${format.lead}\n${marker.slice(0, count)}`
    const items = (said) => ({ items: [{ type: 'text', text: said }] })
    return made(format, 'parse', TOPICS.cut, {
      name: `${count} characters of a marker`,
      about: ABOUT_CUT,
      input: { text },
      expected: { any_of: [items(format.lead), items(text), ...refusalOf(format)] },
    })
  })
}

/** Where a keyword announces every answer, some readers refuse a reply without one: that is no call either. */
export function refusalOf({ isAnnounced }) {
  return isAnnounced === true ? [{ error: {} }] : []
}

/** Streams that end inside of the first marker, and where nothing ends a call, nothing more can be asked of one. */
function cutMarkerStreams(format) {
  const [marker] = format.markers
  return [1, marker.length - 2].flatMap((count) => {
    const text = `${format.lead}\n${marker.slice(0, count)}`
    const final = (said) => ({ final: { items: [{ type: 'text', text: said }] } })
    return [
      ['at once', [text]],
      ['character by character', [...text]],
    ].map(([way, chunks]) =>
      made(format, 'stream', TOPICS.cut, {
        name: `${count} characters of a marker, ${String(way)}`,
        about: ABOUT_CUT,
        input: { chunks },
        expected: { any_of: [final(format.lead), final(text), ...refusalOf(format)] },
      }),
    )
  })
}

export function cutCases(format) {
  const before = format.isAlone === true ? undefined : 'Let me look.'
  const { text, items, input } = reply(format, { before, calls: [OPEN_CALL] })
  const start = text.indexOf(format.calls([OPEN_CALL]).trim())
  return openPlaces(format, text.slice(start)).map((at) => {
    const cut = text.slice(0, start + at)
    const kept = items.filter(({ type }) => type !== 'call')
    // Where prose is between marks, the rest of a call follows them.
    const from = format.say === undefined ? (before ?? '').length : start
    const raw = [{ type: 'text', text: `${before ?? ''}${text.slice(from, start + at)}` }]
    const expected = { any_of: [{ items: kept }, { items: raw }] }
    return made(format, 'parse', TOPICS.cut, {
      name: `${at} characters of a call`,
      about: ABOUT_CUT,
      input: { ...input, text: cut },
      expected,
    })
  })
}

const WAYS = [
  ['at once', (text) => [text]],
  ['character by character', (text) => [...text]],
  ['three units at a time', (text) => everyUnits(text, 3)],
  ['sixteen units at a time', (text) => everyUnits(text, 16)],
  [
    'one character before the end of each marker',
    (text, markers) =>
      cutAt(
        text,
        placesOf(text, markers).map(({ end }) => end - 1),
      ),
  ],
  [
    'behind each marker',
    (text, markers) =>
      cutAt(
        text,
        placesOf(text, markers).map(({ end }) => end),
      ),
  ],
]

export function streamCases(format) {
  const every = (topic, name, parts) => {
    const { text, items, input } = reply(format, parts)
    const seen = new Set()
    return WAYS.flatMap(([way, cut]) => {
      const chunks = cut(text, format.markers)
      if (seen.has(chunks.join('\u0001'))) return []
      seen.add(chunks.join('\u0001'))
      return [
        made(format, 'stream', topic, {
          name: `${name}, ${String(way)}`,
          about: 'What is read does not depend on where deltas end.',
          input: { chunks, ...input },
          expected: { final: { items } },
        }),
      ]
    })
  }
  const before = format.isAlone === true ? {} : { before: format.lead ?? 'Let me look.' }
  const { text, items, input } = reply(format, { ...before, calls: [OPEN_CALL] })
  const cut = text.slice(0, text.indexOf('Osl') + 2)
  const kept = items.filter(({ type }) => type !== 'call')
  const raw = [{ type: 'text', text: cut }]
  return [
    ...every(TOPICS.split, 'a call', { ...before, calls: [CLOCK] }),
    ...every(TOPICS.empty, 'no arguments', { ...before, calls: [NOW] }),
    ...every(TOPICS.braces, 'brackets in a text', {
      ...leadOf(format),
      calls: [call('note', ['q', JSON.stringify('a } ] { [ "b"')])],
    }),
    ...every(TOPICS.unicode, 'an emoji in a text', {
      ...leadOf(format),
      calls: [call('note', ['q', JSON.stringify('晴 😀 好')])],
    }),
    ...(mayBeSeveral(format) ? every(TOPICS.several, 'two calls', { ...before, calls: [CLOCK, NOW] }) : []),
    ...(format.thought === undefined
      ? []
      : every(TOPICS.thoughts, 'a thought and a call', { thought: 'Hm, 1 < 2.', calls: [NOW] })),
    ...every(TOPICS.whole, 'prose', { before: 'It is noon, and 1 < 2.' }),
    ...(format.isNeverClosed === true
      ? cutMarkerStreams(format)
      : [
          made(format, 'stream', TOPICS.cut, {
            name: 'inside of a text',
            about: ABOUT_CUT,
            input: { ...input, chunks: everyUnits(cut, 5) },
            expected: {
              any_of: [{ final: { items: kept } }, { final: { items: format.say === undefined ? raw : kept } }],
            },
          }),
        ]),
  ]
}
