import { Raise, strip } from '@callspec/python'
import { intArgument } from '../methods/arguments.ts'
import { capitalize } from '../methods/case.ts'
import { splitLines } from '../methods/split.ts'
import { TEXT_METHODS } from '../methods/text-methods.ts'
import { make } from '../runtime/run.ts'
import { calculate } from '../values/arithmetic.ts'
import { itemsOf } from '../values/iterate.ts'
import { lengthOf } from '../values/length.ts'
import { escape } from '../values/markup.ts'
import { compare } from '../values/order.ts'
import { formatPercent } from '../values/percent-format.ts'
import { sliceOf } from '../values/subscript.ts'
import { define } from '../values/signature.ts'
import { str } from '../values/text.ts'
import { truthy } from '../values/truth.ts'
import type { PythonFunction, Run, Value } from '../values/value.ts'
import { isList, isMarkup, positional, textOf } from '../values/value.ts'
import { attributeGetter } from './attribute-getter.ts'
import { replaceIn } from '../methods/text-places.ts'
import { linesOwner, wordwrap } from './wordwrap.ts'

/** The filters that make a text of a text. */
export const TEXT_FILTERS: Readonly<Record<string, PythonFunction>> = {
  upper: soft('do_upper(s)', (text) => text.toUpperCase()),
  lower: soft('do_lower(s)', (text) => text.toLowerCase()),
  capitalize: soft('do_capitalize(s)', capitalize),
  title: soft('do_title(s)', titleWords),
  trim: define('do_trim(value, chars=None)', (run, value, chars) => {
    if (chars !== null && textOf(chars) === null) throw new Raise('TypeError', 'strip arg must be None or str')
    return like(value, strip(str(value, run), textOf(chars)))
  }),
  center: define('do_center(value, width=80)', (run, value, width) => {
    const text = isMarkup(value) ? value : str(value, run)
    return like(value, str(TEXT_METHODS['center']?.(run, positional(str(text, run), width)) ?? null, run))
  }),
  replace: define('do_replace(s, old, new, count=None)', replace),
  join: define("do_join(value, d='', attribute=None)", join),
  indent: define('do_indent(s, width=4, first=False, blank=False)', indent),
  truncate: define("do_truncate(s, length=255, killwords=False, end='...', leeway=None)", truncate),
  wordwrap: define('do_wordwrap(s, width=79, break_long_words=True, wrapstring=None, break_on_hyphens=True)', wordwrap),
  wordcount: define('do_wordcount(s)', (run, value) =>
    BigInt((str(value, run).match(/[\p{L}\p{N}_]+/gu) ?? []).length),
  ),
  format: (run, { positional: [value = '', ...values], keywords }) => {
    if (values.length > 0 && keywords.size > 0) {
      throw new Raise('FilterArgumentError', "can't handle positional and keyword arguments at the same time")
    }
    const given: Value = keywords.size > 0 ? new Map<Value, Value>(keywords) : { kind: 'tuple', items: values }
    return formatPercent(isMarkup(value) ? value : str(value, run), given, run)
  },
  string: define('soft_str(s)', (run, value) => (isMarkup(value) ? value : str(value, run))),
}

function soft(signature: string, action: (text: string) => string): PythonFunction {
  return define(signature, (run, value) => {
    const text = str(value, run)
    make(run, text.length)
    return like(value, action(text))
  })
}

/** Markup stays Markup. */
function like(value: Value, text: string): Value {
  return isMarkup(value) ? { kind: 'markup', text } : text
}

/** The first letter of each word large. Words are parted by white space, hyphens and opening brackets. */
function titleWords(text: string): string {
  const parts = text.split(/([-\s\x1c-\x1f\x85({[<]+)/)
  return parts
    .map((part) => {
      const [first = ''] = part
      return first.toUpperCase() + part.slice(first.length).toLowerCase()
    })
    .join('')
}

function replace(run: Run, ...[value = '', old = '', replacement = '', count = null]: Value[]): Value {
  const change = { old: str(old, run), new: str(replacement, run), count: count === null ? -1 : intArgument(count) }
  const text = run.autoescape ? escape(value, run) : str(value, run)
  make(run, text.length * (1 + (change.old === '' ? change.new.length : change.new.length / change.old.length)))
  const result = replaceIn(text, change)
  return run.autoescape && isMarkup(value) ? { kind: 'markup', text: result } : result
}

function join(run: Run, ...[value = null, separator = '', attribute = null]: Value[]): Value {
  const get = attributeGetter({ attribute }, run)
  const items = itemsOf(value, run).map(get)
  if (!run.autoescape)
    return joined(
      items.map((item) => str(item, run)),
      str(separator, run),
      run,
    )
  const escapes = isMarkup(separator) || items.some(isMarkup)
  const write = escapes ? escape : str
  const text = joined(
    items.map((item) => write(item, run)),
    write(separator, run),
    run,
  )
  return escapes ? { kind: 'markup', text } : text
}

function joined(texts: readonly string[], separator: string, run: Run): string {
  make(
    run,
    texts.reduce((sum, text) => sum + text.length + separator.length, 0),
  )
  return texts.join(separator)
}

function indent(run: Run, ...[value = '', width = 4n, first = false, blank = false]: Value[]): Value {
  const indention = textOf(width) ?? str(calculate('mul', { left: ' ', right: width }, run), run)
  // As in Jinja, a line feed is added first, so that a last one counts; what is no text fails here.
  const text = linesOwner(isList(value) ? value : calculate('add', { left: value, right: '\n' }, run))
  const lines = splitLines(text, false)
  make(run, text.length + lines.length * indention.length)
  const rest = lines.slice(1).map((line) => (line === '' && !truthy(blank) ? '\n' : `\n${indention}${line}`))
  return like(value, (truthy(first) ? indention : '') + (lines[0] ?? '') + rest.join(''))
}

function truncate(
  run: Run,
  ...[value = '', length = 255n, killwords = false, end = '...', leeway = null]: Value[]
): Value {
  const suffix = textOf(end) ?? ''
  const least = BigInt(lengthOf(end))
  const slack = leeway === null ? 5n : leeway
  if (!compare('>=', { left: length, right: least }, run)) {
    throw new Raise('AssertionError', `expected length >= ${least}, got ${str(length, run)}`)
  }
  if (!compare('>=', { left: slack, right: 0n }, run)) {
    throw new Raise('AssertionError', `expected leeway >= 0, got ${str(slack, run)}`)
  }
  const longest = calculate('add', { left: length, right: slack }, run)
  if (compare('<=', { left: BigInt(lengthOf(value)), right: longest }, run)) return value
  const room = calculate('sub', { left: length, right: least }, run)
  const cut = sliceOf(value, { start: null, stop: room, step: null }, run)
  const text = textOf(cut) ?? ''
  if (truthy(killwords)) return like(value, text + suffix)
  const space = text.lastIndexOf(' ')
  return like(value, (space < 0 ? text : text.slice(0, space)) + suffix)
}
