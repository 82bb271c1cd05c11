import { unreachable } from '@callspec/python'
import { type CodePointRange, type Expression, type Rules } from './expression.ts'

/** Whole numbers below a bound, the same for the same seed. */
export type Random = (below: number) => number

/** A deterministic source of numbers (xorshift of 32 bits). */
export function createRandom(seed: number): Random {
  let state = (seed ^ 0x9e3779b9) >>> 0 || 1
  return (below) => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) % below
  }
}

/** Writes random texts that a grammar accepts. */
export type Walker = (random: Random) => string

/** Rules inside rules before a walk takes the shortest way out. */
const MAX_DEPTH = 30
const MAX_PIECES = 4000
const PROSE = ['', '', 'Hm.', ' ', '\n', 'a', 'Let me look.\n', '你好 🌧']

/**
 * Walks through a grammar at random, so that rare branches and short ends come first: each choice prefers what it took least often, and
 * repetitions are mostly as short as they may be. Returns null for a grammar that accepts no text.
 */
export function createWalker(grammar: Rules): Walker | null {
  const costs = ruleCosts(grammar)
  if (costs.get(grammar.root) === Infinity) return null
  const taken = new Map<Expression, number>()
  return (random) => {
    const walk: Walk = { grammar, costs, taken, random, pieces: [], depth: 0 }
    const root = grammar.rules.get(grammar.root)
    if (root) visit(walk, root)
    return walk.pieces.join('')
  }
}

type Walk = {
  readonly grammar: Rules
  readonly costs: ReadonlyMap<string, number>
  readonly taken: Map<Expression, number>
  readonly random: Random
  readonly pieces: string[]
  depth: number
}

function visit(walk: Walk, expression: Expression): void {
  switch (expression.kind) {
    case 'text':
      walk.pieces.push(expression.value)
      return
    case 'characters':
      walk.pieces.push(pickCharacter(walk.random, expression.ranges))
      return
    case 'sequence':
      for (const item of expression.items) visit(walk, item)
      return
    case 'choice':
      visit(walk, pickAlternative(walk, expression.items))
      return
    case 'repeat':
      for (let left = turns(walk, expression); left > 0; left -= 1) visit(walk, expression.item)
      return
    case 'rule': {
      walk.depth += 1
      const body = walk.grammar.rules.get(expression.name)
      if (body) visit(walk, body)
      walk.depth -= 1
      return
    }
    case 'free':
      visitFree(walk, expression)
      return
    default:
      unreachable(expression)
  }
}

const isTired = ({ depth, pieces }: Walk): boolean => depth > MAX_DEPTH || pieces.length > MAX_PIECES

function pickAlternative(walk: Walk, items: readonly Expression[]): Expression {
  const { costs, taken, random } = walk
  const possible = items.filter((item) => cost(item, costs) < Infinity)
  const least = (score: (item: Expression) => number): readonly Expression[] => {
    const best = Math.min(...possible.map(score))
    return possible.filter((item) => score(item) === best)
  }
  const preferred = isTired(walk)
    ? least((item) => cost(item, costs))
    : random(2) === 0
      ? least((item) => taken.get(item) ?? 0)
      : possible
  const chosen = preferred[random(Math.max(1, preferred.length))] ?? { kind: 'sequence', items: [] }
  taken.set(chosen, (taken.get(chosen) ?? 0) + 1)
  return chosen
}

function turns(walk: Walk, { item, min, max }: Expression & { kind: 'repeat' }): number {
  if (isTired(walk) || cost(item, walk.costs) === Infinity) return min
  const more = [0, 0, 1, 1, 2, 3][walk.random(6)] ?? 0
  return Math.min(min + more, max ?? Infinity)
}

function visitFree(walk: Walk, { excludes, dispatch, loop, max }: Expression & { kind: 'free' }): void {
  const refused = [...excludes, ...dispatch.map(({ trigger }) => trigger)]
  const prose = (): string => {
    const text = PROSE[walk.random(PROSE.length)] ?? ''
    const isFree = !refused.some((one) => one === '' || text.includes(one)) && (max === null || [...text].length <= max)
    return isFree ? text : ''
  }
  walk.pieces.push(prose())
  const possible = dispatch.filter(({ body }) => cost(body, walk.costs) < Infinity)
  for (let left = isTired(walk) ? 0 : walk.random(3); left > 0; left -= 1) {
    const taken = possible[walk.random(Math.max(1, possible.length))]
    if (!taken) return
    walk.pieces.push(taken.trigger)
    visit(walk, taken.body)
    if (!loop) return
    walk.pieces.push(prose())
  }
}

// Letters and digits most often, so that texts can be read; then any character of the class.
function pickCharacter(random: Random, ranges: readonly CodePointRange[]): string {
  const holds = (code: number): boolean => ranges.some(([first, last]) => first <= code && code <= last)
  if (random(8) !== 0) {
    const plain = [...'abx017 é京'].filter((char) => holds(char.codePointAt(0) ?? 0))
    const char = plain[random(Math.max(1, plain.length))]
    if (char !== undefined) return char
  }
  const [first, last] = ranges[random(Math.max(1, ranges.length))] ?? [0x61, 0x61]
  const code = random(4) === 0 ? last : first + random(Math.min(last - first + 1, 200))
  return String.fromCodePoint(code >= 0xd800 && code <= 0xdfff ? 0xe000 : code)
}

/** How deep the shortest text of each rule is; Infinity for a rule without any. */
function ruleCosts({ rules }: Rules): ReadonlyMap<string, number> {
  const costs = new Map([...rules.keys()].map((name) => [name, Infinity]))
  for (let changed = true; changed;) {
    changed = false
    for (const [name, body] of rules) {
      const found = cost(body, costs) + 1
      if (found >= (costs.get(name) ?? Infinity)) continue
      costs.set(name, found)
      changed = true
    }
  }
  return costs
}

function cost(expression: Expression, costs: ReadonlyMap<string, number>): number {
  switch (expression.kind) {
    case 'characters':
      return expression.ranges.length === 0 ? Infinity : 0
    case 'sequence':
      return expression.items.reduce((most, item) => Math.max(most, cost(item, costs)), 0)
    case 'choice':
      return expression.items.reduce((least, item) => Math.min(least, cost(item, costs)), Infinity)
    case 'repeat':
      return expression.min === 0 ? 0 : cost(expression.item, costs)
    case 'rule':
      return costs.get(expression.name) ?? Infinity
    default:
      return 0
  }
}
