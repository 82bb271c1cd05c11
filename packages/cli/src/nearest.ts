/**
 * Gives the name that the writer of `name` probably meant, or null when none is near.
 *
 * Near means: at most a third of the letters (but at least one, at most three) were added, dropped or changed.
 */
export function nearest(name: string, known: Iterable<string>): string | null {
  const limit = Math.min(3, Math.max(1, Math.ceil(name.length / 3)))
  let best: { readonly name: string; readonly distance: number } | null = null
  for (const candidate of known) {
    const distance = editDistance(name, candidate)
    if (distance <= limit && (best === null || distance < best.distance)) best = { name: candidate, distance }
  }
  return best?.name ?? null
}

/** ` Did you mean X?` with a leading space, or nothing. */
export function didYouMean(name: string, known: Iterable<string>, prefix = ''): string {
  const meant = nearest(name, known)
  return meant === null ? '' : ` Did you mean ${prefix}${meant}?`
}

/** Levenshtein distance, row by row. */
function editDistance(left: string, right: string): number {
  let previous = Array.from({ length: right.length + 1 }, (_, column) => column)
  for (const [row, letter] of [...left].entries()) {
    const current = [row + 1]
    for (const [column, other] of [...right].entries()) {
      const replaced = (previous[column] ?? 0) + (letter === other ? 0 : 1)
      current.push(Math.min(replaced, (previous[column + 1] ?? 0) + 1, (current[column] ?? 0) + 1))
    }
    previous = current
  }
  return previous.at(-1) ?? 0
}
