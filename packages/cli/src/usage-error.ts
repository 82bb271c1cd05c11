/**
 * A mistake of the user: exit code 2, and the message as one line `callspec: …` on stderr.
 *
 * The message says what is wrong, where (file, line, field), and what to do.
 */
export class UsageError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'UsageError'
  }
}

/** The message of an error, or the text of anything else that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** The `code` of a Node.js system error such as `ENOENT`, or null. */
export function systemCode(error: unknown): string | null {
  if (!(error instanceof Error) || !('code' in error)) return null
  return typeof error.code === 'string' ? error.code : null
}

/**
 * The known name that was probably meant, or null.
 *
 * A name is near if at most a third of its letters, and at most three, were added, dropped, changed or swapped.
 */
export function nearestName(name: string, known: Iterable<string>): string | null {
  const limit = Math.min(3, Math.max(1, Math.ceil(name.length / 3)))
  let best: { readonly name: string; readonly distance: number } | null = null
  for (const candidate of known) {
    // Different lengths cannot be near. A character takes at most two units.
    if (Math.abs(name.length - candidate.length) > 2 * limit) continue
    const distance = editDistance(name, candidate)
    // A name with every letter changed is another name.
    const isNear = distance <= limit && distance < Math.max(name.length, candidate.length)
    if (isNear && (best === null || distance < best.distance)) best = { name: candidate, distance }
  }
  return best?.name ?? null
}

/** More names than this hide what is wrong. */
const MOST_NAMES = 20

/**
 * `Known: a, b.`; of many names the first five, and where all are.
 *
 * @param all a command that lists them, such as `callspec formats`
 */
export function knownNames(names: readonly string[], all: string): string {
  if (names.length <= MOST_NAMES) return `Known: ${names.join(', ')}.`
  return `Known: ${names.slice(0, 5).join(', ')} and ${names.length - 5} more; ${all} lists them.`
}

export interface Hint {
  /** What precedes names, such as `--`. */
  readonly prefix?: string
  /** Names of several known names, with these. */
  readonly families?: ReadonlyMap<string, string> | undefined
}

/** ` Did you mean X?` with a leading space, or nothing. */
export function didYouMean(name: string, known: Iterable<string>, { prefix = '', families }: Hint = {}): string {
  const family = families?.get(name) ?? families?.get(nearestName(name, families.keys()) ?? '')
  const meant = nearestName(name, known) ?? family ?? null
  return meant === null ? '' : ` Did you mean ${prefix}${meant}?`
}

/** Letters added, dropped, changed, or swapped with their neighbour (optimal string alignment), row by row. */
function editDistance(left: string, right: string): number {
  const [from, to] = [[...left], [...right]]
  let before: readonly number[] = []
  let previous: readonly number[] = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (const [row, letter] of from.entries()) {
    const current = [row + 1]
    for (const [column, other] of to.entries()) {
      const replaced = (previous[column] ?? 0) + (letter === other ? 0 : 1)
      const isSwap = row > 0 && column > 0 && letter === to[column - 1] && from[row - 1] === other
      const swapped = isSwap ? (before[column - 1] ?? 0) + 1 : Infinity
      current.push(Math.min(replaced, swapped, (previous[column + 1] ?? 0) + 1, (current[column] ?? 0) + 1))
    }
    before = previous
    previous = current
  }
  return previous.at(-1) ?? 0
}

/** What is wrong with a port of this machine on which a server could not listen. */
export function unusablePort(port: number, error: unknown): UsageError {
  const why = systemCode(error) === 'EADDRINUSE' ? 'is taken' : `cannot be used (${messageOf(error)})`
  return new UsageError(`port ${port} ${why}. Name another one with --port, or leave it out.`)
}
