/** Rows of a table, each column as a list: a compressed page is smaller than with the rows themselves. */
export type Columns<Row> = { readonly [Name in keyof Row]: readonly Row[Name][] }

/** The rows again. */
export function rowsOf<Row extends object>(columns: Columns<Row>): readonly Row[] {
  const named = Object.entries<readonly unknown[]>(columns)
  const count = named[0]?.[1].length ?? 0
  return Array.from({ length: count }, (_, at) => {
    const row: unknown = Object.fromEntries(named.map(([name, values]) => [name, values[at]]))
    return row as Row
  })
}
