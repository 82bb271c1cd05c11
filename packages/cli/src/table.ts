import Table from 'cli-table3'
import { displayWidth, fitColumns } from './columns.ts'
import { inert } from './output.ts'

export interface TableSpec {
  readonly head: readonly string[]
  readonly rows: readonly (readonly string[])[]
  /** One per column. Default: left. */
  readonly align?: readonly ('left' | 'right')[]
  /** A frame of `+--+` instead of box characters; pass `!output.isTerminal`. */
  readonly ascii?: boolean
  /** Width of the table. The widest column is cut first. */
  readonly width: number
}

const ASCII_FRAME = {
  top: '-',
  'top-mid': '+',
  'top-left': '+',
  'top-right': '+',
  bottom: '-',
  'bottom-mid': '+',
  'bottom-left': '+',
  'bottom-right': '+',
  left: '|',
  'left-mid': '+',
  mid: '-',
  'mid-mid': '+',
  right: '|',
  'right-mid': '+',
  middle: '|',
}
/** Frame and padding: `│ a │ b │` costs three columns per cell and one more. */
const PER_CELL = 3
const MIN_CELL = 3
/** Rows that cli-table3 draws at once: it compares each with all before it. */
const BLOCK = 100

/**
 * Draws a table without colour, at most `width` columns wide, with Chinese text aligned.
 *
 * Cells are inert and one line each. No lines between rows; no line break at the end.
 */
export function renderTable({ head, rows, align = [], ascii = false, width }: TableSpec): string {
  const cells = [head, ...rows].map((row) => head.map((_, column) => oneLine(row[column] ?? '')))
  const widths = shrink(
    head.map((_, column) => cells.reduce((most, row) => Math.max(most, displayWidth(row[column] ?? '')), 1)),
    width - PER_CELL * head.length - 1,
  )
  const fitted = cells.map((row) => row.map((cell, column) => fitColumns(cell, widths[column] ?? MIN_CELL)))
  const noInnerLines = { mid: '', 'mid-mid': '', 'left-mid': '', 'right-mid': '' }
  // Two tables of the same widths: cli-table3 draws a line either between all rows or nowhere, not only below the head.
  const colWidths = widths.map((each) => each + 2)
  const options = {
    style: { head: [], border: [] },
    colAligns: head.map((_, column) => align[column] ?? 'left'),
    colWidths,
  }
  const chars = ascii ? ASCII_FRAME : {}
  const framed = new Table({ ...options, chars })
  framed.push(fitted[0] ?? [], fitted[0] ?? [])
  const [top = '', header = '', rule = '', , bottom = ''] = framed.toString().split('\n')
  const lines: string[] = []
  for (let at = 1; at < fitted.length; at += BLOCK) {
    const body = new Table({ ...options, chars: { ...chars, ...noInnerLines } })
    body.push(...fitted.slice(at, at + BLOCK))
    for (const line of body.toString().split('\n').slice(1, -1)) lines.push(line)
  }
  return [top, header, rule, ...lines, bottom].join('\n')
}

/** The width of a table of these rows, head included, without cuts. */
export function tableWidth(rows: readonly (readonly string[])[]): number {
  const [head = []] = rows
  const widths = head.map((_, column) => Math.max(1, ...rows.map((row) => displayWidth(oneLine(row[column] ?? '')))))
  return widths.reduce((sum, each) => sum + each + PER_CELL, 1)
}

function oneLine(cell: string): string {
  return inert(cell).replace(/[\n\t]+/g, () => ' ')
}

/** Takes columns from the widest cell until the row fits. */
function shrink(widths: readonly number[], room: number): readonly number[] {
  const result = [...widths]
  let total = result.reduce((sum, each) => sum + each, 0)
  while (total > room) {
    const widest = Math.max(...result)
    if (widest <= MIN_CELL) break
    result[result.indexOf(widest)] = widest - 1
    total -= 1
  }
  return result
}
