import { isDict, isList, dumps } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'

/**
 * Prints JSON for people who review it in a diff: what fits into 100 columns stands on one line, everything else is
 * broken up. Loses nothing: numbers keep their spelling as int or float, keys their order. Readable scripts stay as they
 * are; blanks other than a space, controls and unpaired surrogates become `\uXXXX`. Ends with a line feed.
 */
export function printJson(value: PyValue): string {
  return `${print(value, '', 0)}\n`
}

const WIDTH = 100

/** `taken`: columns that stand on the line before and after the value. */
function print(value: PyValue, indent: string, taken: number): string {
  const line = onOneLine(value, WIDTH - indent.length - taken)
  if (line !== null) return line
  if (isList(value)) return printList(value, indent)
  return isDict(value) ? printDict(value, indent) : scalar(value)
}

function printDict(dict: PyDict, indent: string): string {
  const inner = `${indent}  `
  const members = [...dict].map(([key, item]) => {
    const name = `${quote(key)}: `
    return `${inner}${name}${print(item, inner, name.length + 1)}`
  })
  return `{\n${members.join(',\n')}\n${indent}}`
}

/** Short scalars, such as token ids, share lines. */
function printList(list: readonly PyValue[], indent: string): string {
  const inner = `${indent}  `
  const lines: string[] = []
  let open = ''
  for (const item of list) {
    const text = print(item, inner, 1)
    const joined = `${open}, ${text}`
    if (open !== '' && !isList(item) && !isDict(item) && inner.length + joined.length < WIDTH) {
      open = joined
      continue
    }
    if (open !== '') lines.push(inner + open)
    open = text
  }
  return `[\n${[...lines, inner + open].join(',\n')}\n${indent}]`
}

/** null when it needs more than `room` columns; gives up as soon as that is known. */
function onOneLine(value: PyValue, room: number): string | null {
  if (room <= 0) return null
  if (!isList(value) && !isDict(value)) return within(scalar(value), room)
  const parts: string[] = []
  let left = room - 2
  const entries: Iterable<readonly [string | null, PyValue]> = isDict(value) ? value : value.map((item) => [null, item])
  for (const [key, item] of entries) {
    const name = key === null ? '' : `${quote(key)}: `
    const text = onOneLine(item, left - name.length)
    if (text === null) return null
    parts.push(name + text)
    left -= name.length + text.length + 2
  }
  const body = parts.join(', ')
  return within(isDict(value) ? `{${body}}` : `[${body}]`, room)
}

function within(text: string, room: number): string | null {
  return text.length <= room ? text : null
}

function scalar(value: PyValue): string {
  return typeof value === 'string' ? quote(value) : dumps(value)
}

/** Characters that a reviewer would not see, or that UTF-8 cannot carry. `dumps` has escaped the ASCII controls. */
const HIDDEN = /(?! )[\p{C}\p{Z}\u{FE00}-\u{FE0F}]/gu

function quote(text: string): string {
  return dumps(text).replace(HIDDEN, (character) => dumps(character, { ensureAscii: true }).slice(1, -1))
}
