/**
 * Redacts a text that comes in pieces, and gives as many pieces: what did not change stays in its piece, and what stands for
 * the rest in the piece where the first change is.
 */
export function redactPieces(pieces: readonly string[], redact: (whole: string) => string): readonly string[] {
  const whole = pieces.join('')
  const hidden = redact(whole)
  if (hidden === whole) return pieces
  const head = commonHead(whole, hidden)
  const tail = commonTail(whole, hidden, head)
  const [from, to] = [head, whole.length - tail]
  const middle = hidden.slice(head, hidden.length - tail)
  let [at, isPut] = [0, false]
  return pieces.map((piece) => {
    const [start, end] = [at, at + piece.length]
    at = end
    const before = piece.slice(0, Math.max(0, Math.min(piece.length, from - start)))
    const after = piece.slice(Math.max(0, Math.min(piece.length, to - start)))
    const isHere = !isPut && (end > from || end === whole.length)
    if (isHere) isPut = true
    return `${before}${isHere ? middle : ''}${start >= to || end > to ? after : ''}`
  })
}

function commonHead(one: string, other: string): number {
  const most = Math.min(one.length, other.length)
  let size = 0
  while (size < most && one.charCodeAt(size) === other.charCodeAt(size)) size += 1
  return size
}

function commonTail(one: string, other: string, head: number): number {
  const most = Math.min(one.length, other.length) - head
  let size = 0
  while (size < most && one.charCodeAt(one.length - 1 - size) === other.charCodeAt(other.length - 1 - size)) size += 1
  return size
}
