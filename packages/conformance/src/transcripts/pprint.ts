import { isDict, isList, repr } from '@callspec/python'
import type { PyValue } from '@callspec/python'

const WIDTH = 80
const INDENT = 2

interface Place {
  /** Columns before the value. */
  readonly indent: number
  /** Columns that brackets and commas after the value will take. */
  readonly allowance: number
}

/** What Python's `pprint.pformat(value, indent=2)` gives, for lists, maps and texts inside a list or map. */
export function pprint(value: PyValue, { indent, allowance }: Place = { indent: 0, allowance: 0 }): string {
  const line = repr(value)
  if ([...line].length <= WIDTH - indent - allowance) return line
  if (isDict(value)) return `{${' '.repeat(INDENT - 1)}${members(value, indent, allowance + 1)}}`
  if (isList(value)) return `[${' '.repeat(INDENT - 1)}${items(value, indent, allowance + 1)}]`
  return typeof value === 'string' && value !== '' ? chunks(value, indent, allowance) : line
}

function members(dict: ReadonlyMap<string, PyValue>, outer: number, allowance: number): string {
  const indent = outer + INDENT
  const sorted = [...dict].sort(([left], [right]) => (left < right ? -1 : 1))
  const printed = sorted.map(([key, item], at) => {
    const name = repr(key)
    const place = { indent: indent + name.length + 2, allowance: at === sorted.length - 1 ? allowance : 1 }
    return `${name}: ${pprint(item, place)}`
  })
  return printed.join(`,\n${' '.repeat(indent)}`)
}

function items(list: readonly PyValue[], outer: number, allowance: number): string {
  const indent = outer + INDENT
  const printed = list.map((item, at) => pprint(item, { indent, allowance: at === list.length - 1 ? allowance : 1 }))
  return printed.join(`,\n${' '.repeat(indent)}`)
}

/** A long text as several literals below each other: cut at its line feeds, and where a line is too long at its blanks. */
function chunks(text: string, indent: number, allowance: number): string {
  const width = WIDTH - indent
  const lines = text.split(/(?<=\n)/)
  const printed = lines.flatMap((line, at) => {
    const isLast = at === lines.length - 1
    return fits(line, width - (isLast ? allowance : 0)) ? [repr(line)] : words(line, width, isLast ? allowance : 0)
  })
  return printed.join(`\n${' '.repeat(indent)}`)
}

function words(line: string, width: number, allowance: number): readonly string[] {
  const parts = (line.match(/\S*\s*/g) ?? []).filter((part) => part !== '')
  const printed: string[] = []
  let current = ''
  for (const [at, part] of parts.entries()) {
    const room = at === parts.length - 1 ? width - allowance : width
    if (fits(current + part, room)) {
      current += part
      continue
    }
    if (current !== '') printed.push(repr(current))
    current = part
  }
  return current === '' ? printed : [...printed, repr(current)]
}

function fits(text: string, room: number): boolean {
  return [...repr(text)].length <= room
}
