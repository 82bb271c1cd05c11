import { isDict, isList, strip, loads, Raise } from '@callspec/python'
import type { PyDict, PyList, PyValue } from '@callspec/python'

/** Whether every character counts, or what the characters mean. Ids count where the format's ids are grammar. */
export type Exactness = { readonly by: 'characters' } | { readonly by: 'meaning'; readonly hasIds: boolean }

/** `items`: in order. `flat`: all text, all reasoning, and the calls; `joined`: the same with text from several places. */
export type ParsedForm = 'items' | 'flat' | 'joined'

/** The form in which two readings of a text can be compared: in order, when both are. */
export function parsedForm(readings: readonly PyDict[]): ParsedForm {
  if (readings.every((reading) => isList(reading.get('items')))) return 'items'
  const isJoined = (reading: PyDict): boolean =>
    merged(itemsOf(reading).map((each) => normalItem(each, { by: 'characters' }))).filter(
      (each) => each.get('type') === 'text',
    ).length > 1
  return readings.some(isJoined) ? 'joined' : 'flat'
}

/**
 * One reading of a text, reduced to what is compared.
 *
 * - Adjacent texts are one text, and adjacent pieces of reasoning one; empty ones are left out.
 * - Of a call its name and arguments count, and its id where the ids of the format are grammar.
 * - By meaning, white space at both ends of a text is left out, a thought in tags at the start of a text is reasoning,
 *   and arguments are compared as JSON: as text or as value, in any order of keys, an integer and a float apart. Where
 *   texts from several places were joined, white space does not count: nobody knows what a reader puts between them.
 */
export function normalItems(reading: PyDict, form: ParsedForm, exactness: Exactness): PyDict {
  const given = itemsOf(reading).map((item) => normalItem(item, exactness))
  const ordered = form === 'items' ? given : byKind(given)
  const tagged = exactness.by === 'meaning' ? withThoughtsApart(ordered) : ordered
  const items = merged(form === 'items' ? tagged : byKind(tagged))
  const trimmed = exactness.by === 'meaning' ? items.map((each) => stripped(each, form)) : items
  return new Map([['items', trimmed.filter((each) => each.get('text') !== '')]])
}

/** The reading that a list of deltas adds up to. */
export function foldDeltas(deltas: PyList): PyDict {
  let [content, reasoning] = ['', '']
  const calls = new Map<number, { name: string; text: string }>()
  for (const each of deltas) {
    const delta = isDict(each) ? each.get('delta') : null
    if (!isDict(delta)) continue
    content += textOr(delta.get('content'))
    reasoning += textOr(delta.get('reasoning'))
    for (const part of listOr(delta.get('calls')).filter(isDict)) {
      const index = Number(part.get('index'))
      const call = calls.get(index) ?? { name: '', text: '' }
      calls.set(index, { name: call.name + textOr(part.get('name')), text: call.text + textOr(part.get('arguments')) })
    }
  }
  const ordered = [...calls].sort(([left], [right]) => left - right)
  return new Map<string, PyValue>([
    ['content', content],
    ['reasoning', reasoning],
    [
      'calls',
      ordered.map(
        ([, { name, text }]) =>
          new Map([
            ['name', name],
            ['arguments', text],
          ]),
      ),
    ],
  ])
}

function itemsOf(reading: PyDict): PyList {
  const items = reading.get('items')
  if (isList(items)) return items
  const calls = listOr(reading.get('calls')).map((call) =>
    isDict(call) ? new Map([['type', 'call' as PyValue], ...call]) : call,
  )
  return [item('reasoning', textOr(reading.get('reasoning'))), item('text', textOr(reading.get('content'))), ...calls]
}

function item(type: string, text: string): PyDict {
  return new Map([
    ['type', type],
    ['text', text],
  ])
}

function normalItem(value: PyValue, exactness: Exactness): PyDict {
  if (!isDict(value)) return new Map([['type', value]])
  if (value.get('type') !== 'call')
    return new Map([
      ['type', value.get('type') ?? null],
      ['text', value.get('text') ?? ''],
    ])
  const given = value.get('arguments') ?? null
  const kept = exactness.by === 'meaning' ? argumentsByMeaning(given) : given
  const hasIds = exactness.by === 'meaning' && exactness.hasIds
  return new Map([
    ['type', 'call' as PyValue],
    ...(hasIds ? [['id', value.get('id') ?? null] as const] : []),
    ['name', value.get('name') ?? null],
    ['arguments', kept],
  ])
}

/** As the flat form has it: reasoning, text, calls. */
function byKind(items: readonly PyDict[]): readonly PyDict[] {
  const ofType = (type: string): readonly PyDict[] => items.filter((each) => each.get('type') === type)
  return [...ofType('reasoning'), ...ofType('text'), ...ofType('call')]
}

/** Some readers take a thought out of the text, others leave it there in its tags. */
function withThoughtsApart(items: readonly PyDict[]): readonly PyDict[] {
  return merged(items).flatMap((each) => {
    const text = each.get('text')
    if (each.get('type') !== 'text' || typeof text !== 'string') return [each]
    const start = strip(text).startsWith(THOUGHT_OPEN) ? text.indexOf(THOUGHT_OPEN) + THOUGHT_OPEN.length : -1
    const end = start === -1 ? -1 : text.indexOf(THOUGHT_CLOSE, start)
    if (end === -1) return [each]
    return [item('reasoning', text.slice(start, end)), item('text', text.slice(end + THOUGHT_CLOSE.length))]
  })
}

const THOUGHT_OPEN = '<think>'
const THOUGHT_CLOSE = '</think>'

function merged(items: readonly PyDict[]): readonly PyDict[] {
  const result: PyDict[] = []
  for (const each of items) {
    const before = result.at(-1)
    const [left, right] = [before?.get('text'), each.get('text')]
    const joins = typeof left === 'string' && typeof right === 'string' && before?.get('type') === each.get('type')
    if (joins) result[result.length - 1] = new Map(before).set('text', left + right)
    else if (right !== '') result.push(each)
  }
  return result
}

function stripped(value: PyDict, form: ParsedForm): PyDict {
  const text = value.get('text')
  if (typeof text !== 'string') return value
  return new Map(value).set('text', form === 'joined' ? text.replace(/\s+/g, '') : strip(text))
}

function argumentsByMeaning(value: PyValue): PyValue {
  if (typeof value !== 'string') return value
  try {
    return loads(value)
  } catch (error) {
    if (error instanceof Raise || error instanceof RangeError) return value
    throw error
  }
}

function textOr(value: PyValue | undefined): string {
  return typeof value === 'string' ? value : ''
}

function listOr(value: PyValue | undefined): PyList {
  return isList(value) ? value : []
}
