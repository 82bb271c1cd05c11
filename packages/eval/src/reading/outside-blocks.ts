import type { CallBlock } from './call-block.ts'

/** The text between and around the calls. */
export function outsideBlocks(blocks: readonly CallBlock[], text: string): string {
  const kept: string[] = []
  let at = 0
  for (const block of blocks) {
    kept.push(text.slice(at, block.start))
    at = Math.max(at, block.end)
  }
  return [...kept, text.slice(at)].join('\n')
}
