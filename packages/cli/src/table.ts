import { displayWidth, fitColumns } from './columns.ts'
import { inert } from './terminal.ts'

export interface TableSpec {
  readonly head: readonly string[]
  readonly rows: readonly (readonly string[])[]
  /** One per column; default left. */
  readonly align?: readonly ('left' | 'right')[]
  /** Plain `+--+` frame instead of box characters; give `!output.isTerminal`. */
  readonly ascii?: boolean
  /** Columns of the whole table. Wider cells are cut, in the widest column first. */
  readonly width: number
}

/** What a frame is drawn with: a dash, an upright, and for each of its three lines the corners and where uprights meet it. */
interface Frame {
  readonly dash: string
  readonly upright: string
  readonly top: Line
  readonly rule: Line
  readonly bottom: Line
}
type Line = readonly [left: string, meeting: string, right: string]

const PLAIN: Line = ['+', '+', '+']
const ASCII: Frame = { dash: '-', upright: '|', top: PLAIN, rule: PLAIN, bottom: PLAIN }
const BOX: Frame = { dash: '─', upright: '│', top: ['┌', '┬', '┐'], rule: ['├', '┼', '┤'], bottom: ['└', '┴', '┘'] }

/** Frame and padding: `│ a │ b │` costs three columns per cell and one more. */
const PER_CELL = 3
const MIN_CELL = 3

/**
 * Draws a table without colour, at most `width` columns wide, with Chinese text aligned.
 *
 * Cells are made inert and stand on one line each. There are no lines between rows. No line break at the end.
 */
export function renderTable({ head, rows, align = [], ascii = false, width }: TableSpec): string {
  const cells = [head, ...rows].map((row) => head.map((_, column) => oneLine(row[column] ?? '')))
  const widths = shrink(
    head.map((_, column) => Math.max(1, ...cells.map((row) => displayWidth(row[column] ?? '')))),
    width - PER_CELL * head.length - 1,
  )
  const frame = ascii ? ASCII : BOX
  const line = ([left, meeting, right]: Line): string =>
    `${left}${widths.map((each) => frame.dash.repeat(each + 2)).join(meeting)}${right}`
  const [top = '', ...body] = cells.map((row) => {
    const drawn = row.map((cell, column) => padded(cell, widths[column] ?? MIN_CELL, align[column] === 'right'))
    return `${frame.upright} ${drawn.join(` ${frame.upright} `)} ${frame.upright}`
  })
  return [line(frame.top), top, line(frame.rule), ...body, line(frame.bottom)].join('\n')
}

/** A cell cut or filled to its width. */
function padded(cell: string, width: number, isRight: boolean): string {
  const text = fitColumns(cell, width)
  const blanks = ' '.repeat(Math.max(0, width - displayWidth(text)))
  return isRight ? `${blanks}${text}` : `${text}${blanks}`
}

/** How many columns a table of these rows takes, its head among them, if nothing is cut. */
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
