/** A place inside a JSON5 value: `['tools', 1, 'description']`. */
export type Path = readonly (string | number)[]

/**
 * White space, a comment, or (captured) a string, punctuation, or everything else up to the next of them. One piece a match:
 * a repetition of comments would try every way to part `////////` into comments.
 */
const PIECE =
  /[\s\ufeff]+|\/\/[^\n\r\u2028\u2029]*|\/\*[^*]*\*+(?:[^/*][^*]*\*+)*\/|("[^"\\]*(?:\\[^][^"\\]*)*"|'[^'\\]*(?:\\[^][^'\\]*)*'|[{}[\],:]|[^\s\ufeff{}[\],:"'/]+)/gy

interface Container {
  readonly kind: 'object' | 'array'
  /** Whether the container stands at the beginning of the wanted path. */
  readonly onPath: boolean
  key: string | number
  /** In an object: whether the next string is a key. */
  awaitsKey: boolean
}

/**
 * Gives the line (from 1) on which the value at `path` begins, or that of its nearest existing ancestor.
 *
 * `text` is well-formed JSON5: this only finds places, `loadsJson5` judges. Used in error messages only.
 */
export function lineOf(text: string, path: Path): number {
  const containers: Container[] = []
  let found = 0
  let foundDepth = -1
  for (const match of text.matchAll(PIECE)) {
    const [, token] = match
    if (token === undefined) continue
    const top = containers.at(-1)
    if (token === '}' || token === ']') containers.pop()
    else if (token === ',') next(top)
    else if (token === ':') continue
    else if (top?.awaitsKey === true) {
      top.key = unquoted(token)
      top.awaitsKey = false
    } else {
      const depth = containers.length
      const onPath = top === undefined || (top.onPath && String(path[depth - 1]) === String(top.key))
      // The last of two equal keys wins, as in the reading.
      if (onPath && depth <= path.length && depth >= foundDepth) {
        found = match.index + match[0].length - token.length
        foundDepth = depth
      }
      if (token === '{') containers.push({ kind: 'object', onPath, key: '', awaitsKey: true })
      if (token === '[') containers.push({ kind: 'array', onPath, key: 0, awaitsKey: false })
    }
  }
  return text.slice(0, found).split(/\r\n|[\n\r\u2028\u2029]/).length
}

/** The path in the words of an InputError's `where`: `messages[2].function_call.name`. */
export function pathOf(where: string): Path {
  return (where.match(/[^.[\]]+/g) ?? []).map((part) => (/^\d+$/.test(part) ? Number(part) : part))
}

function next(top: Container | undefined): void {
  if (top === undefined) return
  if (top.kind === 'object') top.awaitsKey = true
  else top.key = Number(top.key) + 1
}

function unquoted(token: string): string {
  return token.startsWith('"') || token.startsWith("'") ? token.slice(1, -1) : token
}
