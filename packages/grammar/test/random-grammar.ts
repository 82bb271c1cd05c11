/** A deterministic source of numbers below a bound (mulberry32). */
export function createRandom(seed: number): (below: number) => number {
  let state = seed >>> 0
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

type Random = (below: number) => number

const NAMES = ['root', 'x', 'y-1', 'Z9']
const LITERALS = ['a', 'b', 'ab', 'é', '', '\\n', '\\x61', '\\u00e9', '🌧', 'a\\"', '\\]']
const CLASSES = ['[ab]', '[^a]', '[a-c]', '.', '[é-ü]', '[^b-c\\n]', '[a-]', '[a^]', '[\\x61-b]', '[\\]]', '[^\\x00]']
const COUNTS = ['*', '+', '?', '{0}', '{1}', '{2}', '{1,}', '{0,2}', '{1,2}', '{2,3}', '{ 1 , 2 }']

/** A small grammar in GBNF over a, b, c, é and a line feed; one in twenty has a fault of syntax. */
export function randomGbnf(random: Random): string {
  const rules = NAMES.slice(0, 1 + random(NAMES.length))
  // Nearly always a rule refers to later ones only, since most others begin with themselves, which llama.cpp refuses.
  const text = rules.map((name, index) => {
    const known = random(6) === 0 ? rules : rules.slice(index + 1)
    return `${name}${pick(random, [' ::= ', '::=', ' ::=\n  '])}${alternatives(random, known, 0)}`
  })
  const grammar = text.join(pick(random, ['\n', '\n\n', ' # note\n', '\r\n']))
  return random(20) === 0 ? spoil(random, grammar) : grammar
}

/** A text of the characters that `randomGbnf` uses. */
export function randomText(random: Random): string {
  const chars = ['a', 'a', 'b', 'b', 'c', 'é', '\n', '🌧', '"', ']', 'ô']
  return Array.from({ length: random(7) }, () => pick(random, chars)).join('')
}

function alternatives(random: Random, rules: readonly string[], depth: number): string {
  return Array.from({ length: 1 + random(3) }, () => sequence(random, rules, depth)).join(
    pick(random, [' | ', '|', ' |\n ']),
  )
}

function sequence(random: Random, rules: readonly string[], depth: number): string {
  return Array.from({ length: random(4) }, () => element(random, rules, depth)).join(' ')
}

function element(random: Random, rules: readonly string[], depth: number): string {
  const count = random(3) === 0 ? pick(random, COUNTS) : ''
  switch (random(depth > 2 ? 3 : rules.length === 0 ? 4 : 5)) {
    case 0:
    case 1: {
      const literal = pick(random, LITERALS)
      return `"${literal}"${literal === '' ? '' : count}`
    }
    case 2:
      return `${pick(random, CLASSES)}${count}`
    case 4:
      return `${pick(random, rules)}${count}`
    default:
      return `(${pick(random, ['', ' ', '\n'])}${alternatives(random, rules, depth + 1)})${count}`
  }
}

function spoil(random: Random, grammar: string): string {
  const at = random(grammar.length + 1)
  const bad = pick(random, ['"', '[', ')', '|', '\\q', '_', '{', '::=', '*', '\n|', '(', '[]', '""*', '()'])
  return grammar.slice(0, at) + bad + grammar.slice(at + random(2))
}

function pick<Item>(random: Random, items: readonly [Item, ...Item[]] | readonly Item[]): Item {
  return items[random(items.length)] as Item
}
