const LINE_FEED = 0x0a

/** Where the lines of a stream go. */
export interface LineSink {
  /** One line without its line feed, as bytes. */
  line(bytes: Buffer): void
  /** A line has become longer than the limit. Nothing more comes after this. */
  tooLong(): void
}

/** Cuts chunks at line feeds; holds at most `limit` bytes of a line that is not over. */
export function createLineSplitter(sink: LineSink, limit: number): (chunk: Buffer) => void {
  let pieces: Buffer[] = []
  let held = 0
  let isOver = false
  const take = (piece: Buffer): void => {
    held += piece.length
    isOver = held > limit
    if (isOver) pieces = []
    else pieces.push(piece)
  }
  return (chunk) => {
    let start = 0
    while (!isOver) {
      const end = chunk.indexOf(LINE_FEED, start)
      take(chunk.subarray(start, end === -1 ? chunk.length : end))
      if (isOver || end === -1) break
      const line = pieces.length === 1 && pieces[0] !== undefined ? pieces[0] : Buffer.concat(pieces)
      pieces = []
      held = 0
      start = end + 1
      sink.line(line)
    }
    if (isOver && held > 0) {
      held = 0
      sink.tooLong()
    }
  }
}
