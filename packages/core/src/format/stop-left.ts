import { beforeSpace } from '@callspec/python'
import { grammarIssue } from '../grammar/issues.ts'
import type { IssueItem } from '../reply/item.ts'

/** Follows a reply that arrives in pieces, and knows whether it ends with a stop token. */
export interface StopWatch {
  readonly take: (chunk: string) => void
  /** The note `stop-token-left`, if the reply ended here; white space may stand behind the token. */
  readonly note: () => readonly IssueItem[]
}

/** A watch before the first character. It keeps the last chunks, and looks into them when it is asked. */
export function stopWatch(stops: readonly string[]): StopWatch {
  const longest = Math.max(0, ...stops.map((stop) => stop.length))
  /** What came last, no chunk of it empty; so many of them, up to the last one that is more than white space. */
  let [chunks, solid] = [[] as string[], 0]
  /** Where the white space at the end begins. */
  let [end, length] = [0, 0]
  return {
    take: (chunk) => {
      const before = beforeSpace(chunk)
      // White space as long as the longest token parts what stands before it from any token behind it.
      if (chunk !== '' && (before > 0 || chunks.length < solid + longest)) chunks.push(chunk)
      if (before > 0) {
        solid = chunks.length
        end = length + before
      }
      length += chunk.length
      if (solid < MANY + longest) return
      chunks = chunks.slice(solid - longest)
      solid = longest
    },
    note: () => {
      const text = chunks.slice(Math.max(0, solid - longest), solid).join('')
      const tail = text.slice(0, beforeSpace(text))
      const stop = stops.find((each) => tail.endsWith(each))
      return stop === undefined ? [] : [noteOf(stop, end)]
    },
  }
}

/** With so many chunks more than it takes, they are let go of. */
const MANY = 256

/** The same of a whole reply. */
export function stopLeft(text: string, stops: readonly string[]): readonly IssueItem[] {
  const end = beforeSpace(text)
  for (const stop of stops) if (text.endsWith(stop, end)) return [noteOf(stop, end)]
  return []
}

function noteOf(stop: string, end: number): IssueItem {
  return grammarIssue('stop-token-left', { start: end - stop.length, end, head: stop })
}
