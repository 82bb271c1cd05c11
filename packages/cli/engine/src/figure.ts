/** Something that was counted, and what it has to be. */
export interface Figure {
  readonly name: string
  readonly wanted: string
  readonly got: string
}

/** How many of how many, as it stands in the table. */
export function outOf(count: number, all: number): string {
  return `${count} of ${all}`
}

/** The figures as a table of at most 80 columns; what is off is marked in the last one. */
export function tableOf(figures: readonly Figure[]): string {
  const rows = [
    ['figure', 'wanted', 'got', ''],
    ...figures.map(({ name, wanted, got }) => [name, wanted, got, wanted === got ? 'ok' : 'OFF']),
  ]
  const widths = [0, 1, 2, 3].map((at) =>
    Math.min(WIDEST[at] ?? 0, Math.max(...rows.map((row) => row[at]?.length ?? 0))),
  )
  const line = (row: readonly string[]): string =>
    row
      .map((cell, at) => cell.slice(0, widths[at]).padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd()
  const rule = widths.map((width) => '-'.repeat(width)).join('  ')
  return [line(rows[0] ?? []), rule, ...rows.slice(1).map(line)].join('\n')
}

/** With two blanks between them: 79 columns. */
const WIDEST = [38, 17, 15, 3]

/** Whether every figure is what it has to be. */
export function areRight(figures: readonly Figure[]): boolean {
  return figures.every(({ wanted, got }) => wanted === got)
}
