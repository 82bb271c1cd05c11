import { createHash } from 'node:crypto'

/**
 * The name of the file of an implementation: its own name where that is a harmless one, else what is left of it and a
 * hash, so that two names never share a file and none leads out of the folder, hides, or is a device.
 */
export function scoreboardFileName(implementation: string): string {
  const replaced = implementation.slice(0, LONGEST_READ).replace(/[^\p{L}\p{N}._-]+/gu, () => '-')
  const harmless = replaced.replace(/^[.-]+|[.-]+$/g, '')
  const kept = [...harmless].slice(0, LONGEST).join('')
  const isWhole = kept !== '' && kept === implementation && !DEVICE.test(kept)
  if (isWhole) return `${kept}.json`
  const hash = createHash('sha256').update(implementation, 'utf16le').digest('hex').slice(0, 8)
  return `${kept === '' ? 'implementation' : kept}-${hash}.json`
}

/** In characters; file systems allow 255 bytes, and one takes up to four. */
const LONGEST = 50
/** More of a name decides nothing but the hash. */
const LONGEST_READ = 1000

/** Names that mean something else on Windows, with or without an extension. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i
