import { unreachable } from '@callspec/python'
import { type Expression, GrammarError, type Rules } from './expression.ts'
import { freeText } from './free-text.ts'
import { emptyRules, plainRules } from './plain-rules.ts'
import { byteRanges, encodeText } from './utf8.ts'

/**
 * A state of an automaton over bytes with calls of rules. `byte` and `bytes` consume a byte, and so does `free`, the node of a search
 * for several strings at once, which may also go to `exit` without a byte. The others consume nothing.
 */
export type State =
  | { readonly kind: 'byte'; readonly byte: number; readonly to: number }
  | { readonly kind: 'bytes'; readonly edges: readonly Edge[] }
  | { readonly kind: 'free'; readonly table: Int32Array; readonly exit: number; readonly limit: Repeat | null }
  | { readonly kind: 'split'; readonly to: readonly number[] }
  | { readonly kind: 'call'; readonly rule: number; readonly next: number; readonly isTail: boolean }
  | { readonly kind: 'return' }
  | { readonly kind: 'repeat'; readonly repeat: Repeat }
  | { readonly kind: 'repeat-end'; readonly repeat: Repeat }

export type Edge = { readonly first: number; readonly last: number; readonly to: number }

/** A counted repetition whose copies would be too many states. `body` ends in a `repeat-end`. */
export type Repeat = {
  readonly id: number
  readonly min: number
  readonly max: number | null
  readonly body: number
  readonly next: number
  readonly isNullable: boolean
}

/** A grammar that texts can be compared with. `starts` has the first state of each rule; rule 0 is the root. */
export type CompiledGrammar = {
  readonly states: readonly State[]
  readonly starts: readonly number[]
  readonly ruleNames: readonly string[]
  readonly rules: Rules
  /** llama.cpp reads code points: it refuses a whole character, not a byte within it. */
  readonly refuses: 'bytes' | 'characters'
}

/** States that a grammar may have; a grammar of 100 kB of tools has some 200,000. */
export const MAX_STATES = 1_000_000
// A repetition with more states than this is counted while reading; below it copies are faster.
const MAX_COPIED_STATES = 64

/** Turns rules into states. Throws `GrammarError` for a rule that is not defined and for a grammar that is too large. */
export function compileRules(rules: Rules, refuses: CompiledGrammar['refuses']): CompiledGrammar {
  const states: State[] = []
  const names = [rules.root, ...[...rules.rules.keys()].filter((name) => name !== rules.root)]
  const numbers = new Map(names.map((name, number) => [name, number]))
  const nullable = nullableRules(rules)
  const add = (state: State): number => {
    if (states.length >= MAX_STATES)
      throw new GrammarError(
        `The grammar is too large: it needs more than ${MAX_STATES} states. Shorten its tools or its counted repetitions.`,
      )
    return states.push(state) - 1
  }
  const builder: Builder = { states, add, numbers, nullable, continuations: new Map(), repeats: 0 }
  const starts = names.map((name) => {
    const body = rules.rules.get(name)
    if (!body) throw new GrammarError(`Rule "${name}" is not defined.`)
    return build(builder, body, add({ kind: 'return' }))
  })
  return { states, starts, ruleNames: names, rules, refuses }
}

type Builder = {
  readonly states: State[]
  readonly add: (state: State) => number
  readonly numbers: ReadonlyMap<string, number>
  readonly nullable: ReadonlySet<string>
  readonly continuations: Map<string, number>
  repeats: number
}

/** Builds the states of an expression that goes on at `next`; returns its first state. */
function build(builder: Builder, expression: Expression, next: number): number {
  switch (expression.kind) {
    case 'text':
      return encodeText(expression.value).reduceRight((to, byte) => builder.add({ kind: 'byte', byte, to }), next)
    case 'characters':
      return buildCharacters(builder, expression, next)
    case 'sequence':
      return expression.items.reduceRight((to, item) => build(builder, item, to), next)
    case 'choice':
      return builder.add({ kind: 'split', to: expression.items.map((item) => build(builder, item, next)) })
    case 'repeat':
      return buildRepeat(builder, expression, next)
    case 'rule': {
      const number = builder.numbers.get(expression.name)
      if (number === undefined) throw new GrammarError(`Rule "${expression.name}" is not defined.`)
      const isTail = builder.states[next]?.kind === 'return'
      return builder.add({ kind: 'call', rule: number, next, isTail })
    }
    case 'free':
      return buildFree(builder, expression, next)
    default:
      return unreachable(expression)
  }
}

function buildCharacters(builder: Builder, expression: Expression & { kind: 'characters' }, next: number): number {
  const edges: Edge[] = []
  for (const range of expression.ranges)
    for (const bytes of byteRanges(range)) {
      const [head, ...rest] = bytes
      if (!head) continue
      const to = rest.reduceRight((after, [first, last]) => {
        const key = `${first}-${last}-${after}`
        const known = builder.continuations.get(key)
        if (known !== undefined) return known
        const state = builder.add({ kind: 'bytes', edges: [{ first, last, to: after }] })
        builder.continuations.set(key, state)
        return state
      }, next)
      edges.push({ first: head[0], last: head[1], to })
    }
  return builder.add({ kind: 'bytes', edges })
}

function buildRepeat(builder: Builder, expression: Expression & { kind: 'repeat' }, next: number): number {
  const { item, min, max } = expression
  if (max === 0) return next
  const copies = max ?? min + 1
  if (copies > 1 && sizeOf(item) * copies > MAX_COPIED_STATES) return buildCounted(builder, expression, next)
  let start = next
  if (max === null) start = buildLoop(builder, item, next)
  else
    for (let left = max - min; left > 0; left -= 1)
      start = builder.add({ kind: 'split', to: [build(builder, item, start), next] })
  for (let left = min; left > 0; left -= 1) start = build(builder, item, start)
  return start
}

function buildLoop(builder: Builder, item: Expression, next: number): number {
  const to = [next]
  const loop = builder.add({ kind: 'split', to })
  to.unshift(build(builder, item, loop))
  return loop
}

function buildCounted(builder: Builder, { item, min, max }: Expression & { kind: 'repeat' }, next: number): number {
  const isNullable = canBeEmpty(item, builder.nullable)
  const repeat = { id: builder.repeats, min: isNullable ? 0 : min, max, body: 0, next, isNullable }
  builder.repeats += 1
  repeat.body = build(builder, item, builder.add({ kind: 'repeat-end', repeat }))
  return builder.add({ kind: 'repeat', repeat })
}

function buildFree(builder: Builder, expression: Expression & { kind: 'free' }, next: number): number {
  const nodes = freeText(
    expression.excludes,
    expression.dispatch.map((one) => one.trigger),
  )
  if (nodes.length * MAX_COPIED_STATES + builder.states.length > MAX_STATES)
    throw new GrammarError(`The grammar is too large: free text watches for ${nodes.length} bytes of strings.`)
  const tables = nodes.map(() => new Int32Array(256).fill(-1))
  const first = builder.states.length
  const { max } = expression
  const limit = max === null ? null : { id: builder.repeats, min: 0, max, body: first, next, isNullable: false }
  for (const table of tables) builder.add({ kind: 'free', table, exit: next, limit })
  const bodies = expression.dispatch.map(({ body }) => build(builder, body, expression.loop ? first : next))
  const endings = new Map<string, number>()
  nodes.forEach((node, index) => {
    node.next.forEach((target, byte) => {
      const reached = nodes[target]
      const table = tables[index]
      if (!reached || !table || reached.isExcluded) return
      table[byte] = first + target
      if (reached.triggers.length === 0) return
      const key = reached.triggers.join()
      const ending =
        endings.get(key) ?? builder.add({ kind: 'split', to: reached.triggers.map((one) => bodies[one] ?? next) })
      endings.set(key, ending)
      table[byte] = ending
    })
  })
  if (!limit) return first
  // A character within a limit is counted in its frame, as turns of a repetition are.
  builder.repeats += 1
  return builder.add({ kind: 'repeat', repeat: limit })
}

// An estimate without building: what a copy of the expression costs.
function sizeOf(expression: Expression): number {
  switch (expression.kind) {
    case 'text':
      return expression.value.length
    case 'sequence':
    case 'choice':
      return expression.items.reduce((sum, item) => sum + sizeOf(item), 1)
    case 'repeat':
      return sizeOf(expression.item) * Math.min(expression.max ?? expression.min + 1, MAX_COPIED_STATES) + 1
    case 'free':
      return MAX_COPIED_STATES
    default:
      return 1
  }
}

function nullableRules({ rules }: Rules): ReadonlySet<string> {
  const mayBeEmpty = emptyRules(plainRules(rules, new Map()))
  return new Set([...rules.keys()].filter((_, index) => mayBeEmpty[index]))
}

/** Whether an expression accepts the empty text, given the rules that do. */
export function canBeEmpty(expression: Expression, nullable: ReadonlySet<string>): boolean {
  switch (expression.kind) {
    case 'text':
      return expression.value === ''
    case 'characters':
      return false
    case 'sequence':
      return expression.items.every((item) => canBeEmpty(item, nullable))
    case 'choice':
      return expression.items.some((item) => canBeEmpty(item, nullable))
    case 'repeat':
      return expression.min === 0 || canBeEmpty(expression.item, nullable)
    case 'rule':
      return nullable.has(expression.name)
    case 'free':
      return true
    default:
      return unreachable(expression)
  }
}
