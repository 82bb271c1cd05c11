import type { Format } from '../src/format/format.ts'

/** A reply of equal calls, and what is known of it. */
export interface EqualCalls {
  readonly text: string
  /** Before the first arguments, and after the last. */
  readonly before: string
  readonly behind: string
  /** What ends arguments, and what begins the next ones: text between the two may differ, such as a number. */
  readonly close: string
  readonly open: string
  /** Whether the arguments are JSON; else only their one text is looked for. */
  readonly isJson: boolean
}

/** `count` equal calls in a reply of about `length`; one where the format has no room for more. */
export function equalCalls(format: Format, length: number, count: number): EqualCalls {
  const calls = format.traits.severalCalls ? count : 1
  const words = 'The trains to Trondheim leave at seven, at eight and at half past nine. '
  const size = Math.max(8, Math.floor(length / calls) - 80)
  const value = words.repeat(Math.ceil(size / words.length)).slice(0, size)
  const json = `{"count": 3, "note": "${value}"}`
  const text = format.write(
    Array.from({ length: calls }, () => ({ kind: 'call', name: 'find', arguments: json, id: null })),
  )
  const isJson = text.includes(json)
  const pieces = text.split(isJson ? json : value)
  const between = pieces.slice(1, -1)
  return {
    text,
    before: pieces[0] ?? '',
    behind: pieces.at(-1) ?? '',
    close: between.length === 0 ? '' : between.reduce(commonStart),
    open: between.length === 0 ? '' : between.reduce(commonEnd),
    isJson,
  }
}

/** The least work that gives all arguments of such a reply: `indexOf`, and `JSON.parse` where they are JSON. */
export function bareSplit({ text, before, close, open, behind, isJson }: EqualCalls): readonly unknown[] {
  const found: unknown[] = []
  for (let start = before.length; ;) {
    const next = findIn(text, close, start)
    const piece = text.slice(start, next < 0 ? text.length - behind.length : next)
    found.push(isJson ? JSON.parse(piece) : piece)
    if (next < 0) return found
    start = findIn(text, open, next) + open.length
  }
}

/** The same for chunks: each is looked at once, the beginning of what is looked for is held back. */
export function naiveScan(
  { before, close, open, behind, isJson }: EqualCalls,
  chunks: readonly string[],
): readonly unknown[] {
  const found: unknown[] = []
  let [body, held, isInside] = [[] as string[], '', true]
  const end = (left: number): void => {
    const whole = body.join('')
    const piece = whole.slice(0, whole.length - left)
    found.push(isJson ? JSON.parse(piece) : piece)
    body = []
  }
  let skipped = before.length
  for (const chunk of chunks) {
    let window = held + (skipped > 0 ? chunk.slice(skipped) : chunk)
    skipped -= chunk.length
    for (;;) {
      const mark = isInside ? close : open
      const at = findIn(window, mark)
      if (at < 0) break
      if (isInside) {
        body.push(window.slice(0, at))
        end(0)
        // The two may overlap.
        window = window.slice(at)
      } else window = window.slice(at + mark.length)
      isInside = !isInside
    }
    const from = heldFrom(window, isInside ? close : open)
    if (isInside) body.push(window.slice(0, from))
    held = window.slice(from)
  }
  body.push(held)
  end(behind.length)
  return found
}

function findIn(text: string, mark: string, from = 0): number {
  return mark === '' ? -1 : text.indexOf(mark, from)
}

function heldFrom(text: string, mark: string): number {
  if (mark === '') return text.length
  const [first = ''] = mark
  for (let at = text.indexOf(first, text.length - mark.length + 1); at >= 0; at = text.indexOf(first, at + 1))
    if (mark.startsWith(text.slice(at))) return at
  return text.length
}

export function commonStart(one: string, other: string): string {
  let length = 0
  while (length < one.length && one[length] === other[length]) length++
  return one.slice(0, length)
}

export function commonEnd(one: string, other: string): string {
  let length = 0
  while (length < one.length && one.at(-1 - length) === other.at(-1 - length)) length++
  return one.slice(one.length - length)
}
