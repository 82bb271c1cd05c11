import { Raise } from './raise.ts'
import { repr, str } from './repr.ts'
import type { PyValue } from './value.ts'

/**
 * The template with its `{name}` fields replaced, as `str.format(**values)` does it (spec §2.5): `{{` and `}}` are literal
 * braces; inserted text is not looked at again; what is not text is inserted as Python's `str` of it.
 *
 * Fields are plain names. An unknown one raises KeyError, an unpaired brace ValueError. Linear.
 */
export function fill(template: string, values: Readonly<Record<string, PyValue>>): string {
  let filled = ''
  let from = 0
  for (let at = nextBrace(template, 0); at >= 0; at = nextBrace(template, from)) {
    const brace = template.charAt(at)
    filled += template.slice(from, at)
    from = at + 2
    if (template[at + 1] === brace) filled += brace
    else if (brace === '}' || from > template.length) throw single(brace)
    else {
      const close = template.indexOf('}', at)
      if (close < 0) throw new Raise('ValueError', "expected '}' before end of string")
      filled += valueOf(template.slice(at + 1, close), values)
      from = close + 1
    }
  }
  return filled + template.slice(from)
}

function nextBrace(template: string, from: number): number {
  for (let at = from; at < template.length; at++) {
    const code = template.charCodeAt(at)
    if (code === 0x7b || code === 0x7d) return at
  }
  return -1
}

function valueOf(name: string, values: Readonly<Record<string, PyValue>>): string {
  const value = Object.hasOwn(values, name) ? values[name] : undefined
  if (value === undefined) throw new Raise('KeyError', repr(name))
  return str(value)
}

function single(brace: string): Raise {
  return new Raise('ValueError', `Single '${brace}' encountered in format string`)
}
