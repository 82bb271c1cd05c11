import { Raise } from '@callspec/python'
import { itemsOf } from '../values/iterate.ts'
import { escape } from '../values/markup.ts'
import type { PythonFunction, Run, Value } from '../values/value.ts'
import { isList, isTuple, textOf } from '../values/value.ts'
import { stripTags, unescapeText } from './strip-tags.ts'
import { TEXT_METHODS } from './text-methods.ts'

/** The method of a Markup of this name: that of a text, which escapes what it is given and answers in Markup. */
export function markupMethod(name: string): PythonFunction | undefined {
  const own = OWN[name]
  if (own !== undefined && Object.hasOwn(OWN, name)) return own
  const method = Object.hasOwn(TEXT_METHODS, name) ? TEXT_METHODS[name] : undefined
  if (method === undefined || PLAIN.has(name)) return method
  return (run, { positional, keywords }) => {
    const given = positional.map((value, index) => (index === 0 || textOf(value) === null ? value : escape(value, run)))
    return marked(method(run, { positional: given, keywords }))
  }
}

/** Methods that look at the text as it is. */
const PLAIN: ReadonlySet<string> = new Set(
  'find rfind index rindex count startswith endswith encode isalnum isalpha isascii isdecimal isdigit isidentifier islower isnumeric isprintable isspace istitle isupper'.split(
    ' ',
  ),
)

const OWN: Readonly<Record<string, PythonFunction>> = {
  join: (run, { positional }) => ({ kind: 'markup', text: joined(positional, run) }),
  striptags: (_, { positional }) => stripTags(textOf(positional[0] ?? '') ?? ''),
  unescape: (_, { positional }) => unescapeText(textOf(positional[0] ?? '') ?? ''),
  escape: (run, { positional }) => ({ kind: 'markup', text: escape(positional[1] ?? '', run) }),
}

function joined([self = '', items = null]: readonly Value[], run: Run): string {
  const texts = itemsOf(items, run).map((item) => {
    if (textOf(item) === null) throw new Raise('TypeError', 'sequence item: expected str instance')
    return escape(item, run)
  })
  return texts.join(textOf(self) ?? '')
}

function marked(value: Value): Value {
  if (typeof value === 'string') return { kind: 'markup', text: value }
  if (isList(value)) return value.map(marked)
  return isTuple(value) ? { kind: 'tuple', items: value.items.map(marked) } : value
}
