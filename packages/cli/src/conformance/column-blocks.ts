import { displayWidth } from '../columns.ts'

const GAP = 2

/** Blocks of as many columns as fit next to the labels: each a table with a rule below its head. */
export function columnBlocks(
  labels: readonly (readonly string[])[],
  { columns, width }: { readonly columns: readonly (readonly string[])[]; readonly width: number },
): readonly string[] {
  const result: string[] = []
  const room = width - widthOf(labels)
  let taken: (readonly string[])[] = []
  const flush = (): void => {
    if (taken.length > 0) result.push(linesOf([...labels, ...taken]))
    taken = []
  }
  for (const column of columns) {
    if (widthOf([...taken, column]) + GAP > room) flush()
    taken.push(column)
  }
  flush()
  return result
}

function widthOf(columns: readonly (readonly string[])[]): number {
  return columns.reduce((sum, [head = '']) => sum + displayWidth(head) + GAP, -GAP)
}

function linesOf(columns: readonly (readonly string[])[]): string {
  const [head = [], ...body] = transposed(columns)
  const rule = head.map((text) => '-'.repeat(displayWidth(text)))
  return [head, rule, ...body].map((cells) => cells.join(' '.repeat(GAP)).trimEnd()).join('\n')
}

/** Every cell of a column as wide as the widest. */
export function padded(columns: readonly (readonly string[])[], right: boolean): readonly (readonly string[])[] {
  return columns.map((cells) => {
    const width = Math.max(...cells.map(displayWidth))
    return cells.map((text) => {
      const blanks = ' '.repeat(width - displayWidth(text))
      return right ? blanks + text : text + blanks
    })
  })
}

/** Rows of columns, and back. */
export function transposed(table: readonly (readonly string[])[]): readonly (readonly string[])[] {
  return (table[0] ?? []).map((_, at) => table.map((row) => row[at] ?? ''))
}
