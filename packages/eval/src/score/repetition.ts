/** So many words make a block, and so often it must stand there. */
const BLOCK = 20
const TIMES = 4

/** A word, one Chinese or Japanese character, or four signs in a row: what goes for a token, whoever's model wrote it. */
const TOKENS = /[\p{L}\p{N}_]+|[^\p{L}\p{N}_\s]{4}/gu
const WIDE = /[\u3040-\u30ff\u3400-\u9fff]/

/**
 * Whether the same 20 tokens stand in the text at least four times without overlap: a model that goes in circles inside one
 * reply. A longer block that is repeated contains one of 20. One pass, linear; texts of fewer than 80 tokens are not read.
 */
export function repeatsItself(text: string): boolean {
  // Tokens have two characters at least on average, or they are Chinese.
  if (text.length < BLOCK * TIMES) return false
  const tokens = tokenHashes(text)
  if (tokens.length < BLOCK * TIMES) return false
  const seen = new Map<number, { times: number; first: number; end: number }>()
  let hash = 0
  for (const [at, token] of tokens.entries()) {
    hash = Math.imul(hash, BASE) + token
    if (at >= BLOCK) hash -= Math.imul(tokens[at - BLOCK] ?? 0, LEAVING)
    hash |= 0
    if (at < BLOCK - 1) continue
    const start = at - BLOCK + 1
    const known = seen.get(hash)
    if (known === undefined) seen.set(hash, { times: 1, first: start, end: at + 1 })
    else if (start >= known.end && isSame(tokens, known.first, start)) {
      known.times += 1
      known.end = at + 1
      if (known.times === TIMES) return true
    }
  }
  return false
}

const BASE = 0x01000193
/** BASE to the power of BLOCK. */
const LEAVING = Array.from({ length: BLOCK }).reduce<number>((power) => Math.imul(power, BASE), 1)

/** Two blocks of one hash are compared before they count as the same. */
function isSame(tokens: Int32Array, one: number, other: number): boolean {
  for (let offset = 0; offset < BLOCK; offset += 1) if (tokens[one + offset] !== tokens[other + offset]) return false
  return true
}

function tokenHashes(text: string): Int32Array {
  const hashes: number[] = []
  for (const [token] of text.matchAll(TOKENS)) {
    if (WIDE.test(token)) for (const character of token) hashes.push(character.codePointAt(0) ?? 0)
    else hashes.push(hashOf(token))
  }
  return Int32Array.from(hashes)
}

/** FNV-1a over UTF-16 units. */
function hashOf(token: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < token.length; at += 1) hash = Math.imul(hash ^ token.charCodeAt(at), BASE)
  return hash
}
