import { Raise, repr } from '@callspec/python'
import { encode } from '../methods/encode.ts'
import { stripTags } from '../methods/strip-tags.ts'
import { make } from '../runtime/run.ts'
import { isIterable, itemsOf } from '../values/iterate.ts'
import { escape, escapeText } from '../values/markup.ts'
import { define } from '../values/signature.ts'
import { str } from '../values/text.ts'
import { truthy } from '../values/truth.ts'
import { typeName } from '../values/type-name.ts'
import { undefinedError } from '../values/undefined.ts'
import type { PythonFunction, Run, Value } from '../values/value.ts'
import { isDict, isUndefined, textOf } from '../values/value.ts'
import { urlize } from './urlize.ts'

/** The filters for HTML and addresses. */
export const HTML_FILTERS: Readonly<Record<string, PythonFunction>> = {
  e: escaping('escape(s, /)'),
  escape: escaping('escape(s, /)'),
  forceescape: define('do_forceescape(value)', (run, value) => ({ kind: 'markup', text: escapeText(str(value, run)) })),
  safe: define('do_mark_safe(value)', (run, value) => ({ kind: 'markup', text: str(value, run) })),
  striptags: define('do_striptags(value)', (run, value) => {
    const text = str(value, run)
    make(run, text.length)
    return stripTags(text)
  }),
  urlencode: define('do_urlencode(value)', (run, value) => urlEncode(value, run)),
  urlize: define(
    'do_urlize(value, trim_url_limit=None, nofollow=False, target=None, rel=None, extra_schemes=None)',
    urlize,
  ),
  xmlattr: define('do_xmlattr(d, autospace=True)', (run, dict, autospace) => {
    const text = attributes(dict, run)
    const spaced = truthy(autospace) && text !== '' ? ` ${text}` : text
    return run.autoescape ? { kind: 'markup', text: spaced } : spaced
  }),
}

function escaping(signature: string): PythonFunction {
  return define(signature, (run, value) => ({ kind: 'markup', text: escape(value, run) }))
}

function attributes(dict: Value, run: Run): string {
  if (isUndefined(dict)) throw undefinedError(dict)
  if (!isDict(dict)) throw new Raise('AttributeError', `'${typeName(dict)}' object has no attribute 'items'`)
  const written: string[] = []
  for (const [key, value] of dict) {
    if (value === null || isUndefined(value)) continue
    const name = textOf(key)
    if (name === null) throw new Raise('TypeError', `expected string or bytes-like object, got '${typeName(key)}'`)
    if (/[ \t\n\r\f\v/>=]/.test(name)) {
      throw new Raise('ValueError', `Invalid character in attribute name: ${repr(name)}`)
    }
    written.push(`${escapeText(name)}="${escape(value, run)}"`)
  }
  return written.join(' ')
}

function urlEncode(value: Value, run: Run): string {
  if (textOf(value) !== null || !isIterable(value)) return quoted(value, { run, safe: '/' })
  const pairs = isDict(value)
    ? Array.from(value, ([key, item]): readonly Value[] => [key, item])
    : itemsOf(value, run).map((item) => pairOf(item, run))
  return pairs
    .map((pair) => pair.map((part) => quoted(part, { run, safe: '' }).replaceAll('%20', '+')).join('='))
    .join('&')
}

function pairOf(item: Value, run: Run): readonly Value[] {
  const parts = itemsOf(item, run)
  if (parts.length === 2) return parts
  const problem = parts.length > 2 ? 'too many values to unpack (expected 2)' : 'not enough values to unpack'
  throw new Raise('ValueError', problem)
}

function quoted(value: Value, { run, safe }: { run: Run; safe: string }): string {
  let text = ''
  for (const byte of encode(str(value, run), 'utf-8').bytes) {
    const char = String.fromCharCode(byte)
    const isPlain = /[\w.~-]/.test(char) || safe.includes(char)
    text += isPlain ? char : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
  }
  make(run, text.length)
  return text
}
