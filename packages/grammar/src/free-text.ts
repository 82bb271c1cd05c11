import { encodeText } from './utf8.ts'

/** A node of the search: where each byte leads, and what ends here. */
export type FreeTextNode = {
  readonly next: Int32Array
  readonly isExcluded: boolean
  /** The numbers of the triggers that end here. */
  readonly triggers: readonly number[]
}

/**
 * An automaton (Aho-Corasick) that finds the first end of any of several strings in a stream of bytes: one step per byte. Node 0 is the
 * start. Its size is the sum of the strings' bytes.
 */
export function freeText(excludes: readonly string[], triggers: readonly string[]): readonly FreeTextNode[] {
  const nodes: { next: Int32Array; isExcluded: boolean; triggers: number[] }[] = []
  const addNode = (): number => nodes.push({ next: new Int32Array(256), isExcluded: false, triggers: [] }) - 1
  const insert = (value: string): number => {
    let at = 0
    for (const byte of encodeText(value)) {
      const { next } = nodes[at] ?? { next: new Int32Array(256) }
      if (next[byte] === 0) next[byte] = addNode()
      at = next[byte] ?? 0
    }
    return at
  }
  addNode()
  for (const value of excludes) {
    const node = nodes[insert(value)]
    if (node) node.isExcluded = true
  }
  triggers.forEach((value, number) => nodes[insert(value)]?.triggers.push(number))
  completeByFallback(nodes)
  return nodes
}

// as in XGrammar: inside a longer string that may still become complete, a shorter one that ends is not seen.
// Breadth first: a node without a child for a byte goes where its longest proper ending goes, which is complete already.
function completeByFallback(nodes: readonly { next: Int32Array; isExcluded: boolean; triggers: number[] }[]): void {
  const fallback = new Int32Array(nodes.length)
  const queue = [0]
  for (let at = 0; at < queue.length; at += 1) {
    const index = queue[at] ?? 0
    const node = nodes[index]
    const shorter = nodes[fallback[index] ?? 0]
    if (!node || !shorter) continue
    for (let byte = 0; byte < 256; byte += 1) {
      const child = node.next[byte] ?? 0
      const elsewhere = index === 0 ? 0 : (shorter.next[byte] ?? 0)
      if (child === 0) node.next[byte] = elsewhere
      else {
        fallback[child] = elsewhere
        queue.push(child)
      }
    }
  }
}
