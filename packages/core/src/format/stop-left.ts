import { beforeSpace } from '../grammar/edges.ts'
import { grammarIssue } from '../grammar/issues.ts'
import type { IssueItem } from '../reply/item.ts'

/** Follows a reply that arrives in pieces, and knows whether it ends with a stop token. */
export interface StopWatch {
  readonly take: (chunk: string) => void
  /** The note `stop-token-left`, if the reply ended here; white space may stand behind the token. */
  readonly note: () => readonly IssueItem[]
}

/** A watch before the first character. It keeps no more of a reply than the longest token. */
export function stopWatch(stops: readonly string[]): StopWatch {
  const longest = Math.max(0, ...stops.map((stop) => stop.length))
  /** What stands before the white space at the end, and that white space, as far as it counts. */
  let [tail, space] = ['', '']
  let [end, length] = [0, 0]
  return {
    take: (chunk) => {
      const solid = beforeSpace(chunk)
      if (solid > 0) {
        tail = (tail + space + chunk.slice(Math.max(0, solid - longest), solid)).slice(-longest)
        end = length + solid
        space = ''
      }
      // White space as long as the longest token parts what stands before it from any token behind it.
      space = (space + chunk.slice(solid, solid + longest)).slice(0, longest)
      length += chunk.length
    },
    note: () => {
      const stop = stops.find((each) => tail.endsWith(each))
      return stop === undefined ? [] : [grammarIssue('stop-token-left', { start: end - stop.length, end, head: stop })]
    },
  }
}

/** The same of a whole reply. */
export function stopLeft(text: string, stops: readonly string[]): readonly IssueItem[] {
  const watch = stopWatch(stops)
  watch.take(text)
  return watch.note()
}
