import type { StreamDelta } from '@callspec/core'

/** What a client makes of the deltas of a stream. */
export interface Folded {
  readonly content: string
  readonly calls: readonly FoldedCall[]
  /** Whether the stream said that its last call was cut off; that one is left out. */
  readonly isCut: boolean
  /** The finish reasons, in order. */
  readonly finishReasons: readonly string[]
}

/** A call, put together from its pieces. */
export interface FoldedCall {
  readonly ids: readonly string[]
  readonly names: readonly string[]
  readonly arguments: string
}

/** Joins deltas as their clients do: texts one after the other, pieces of calls by their index. */
export function foldDeltas(deltas: readonly StreamDelta[]): Folded {
  let content = ''
  const finishReasons: string[] = []
  const calls: { ids: string[]; names: string[]; arguments: string }[] = []
  for (const { delta, finish_reason: reason } of deltas) {
    if (reason !== null) finishReasons.push(reason)
    content += (delta.reasoning_content ?? '') + (delta.content ?? '')
    for (const { index, id, function: piece } of delta.tool_calls ?? []) {
      // A place that was left out stays empty, and is seen.
      while (calls.length <= index && calls.length < MAX_CALLS) calls.push({ ids: [], names: [], arguments: '' })
      const call = calls[index]
      if (call === undefined) continue
      if (id !== undefined) call.ids.push(id)
      if (piece.name !== undefined) call.names.push(piece.name)
      call.arguments += piece.arguments
    }
  }
  // A stream that ends with `length` inside a call has sent the beginning of one that is none.
  const isCut = finishReasons.at(-1) === 'length'
  return { content, calls: isCut ? calls.slice(0, -1) : calls, finishReasons, isCut }
}

/** An index beyond is not believed; nobody has to make room for it. */
const MAX_CALLS = 100_000
