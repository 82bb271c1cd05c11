import { type PlainRule, emptyRules } from './plain-rules.ts'

/**
 * The name of a rule that begins with itself, as llama.cpp finds it; null if none does.
 *
 * as in llama.cpp: only a rule with an alternative of nothing counts as possibly empty. So `("a"*)*` passes, and `(| "a")*` does not.
 */
export function findLeftRecursion(table: readonly PlainRule[]): string | null {
  const mayBeEmpty = table.map(({ alternatives }) => alternatives.some((one) => one.length === 0))
  const state: ('open' | 'done' | undefined)[] = table.map(() => undefined)
  for (let start = 0; start < table.length; start += 1) {
    // Depth first with its own stack: rules may be chained by the thousand.
    const path = state[start] ? [] : [{ rule: start, next: beginnings(table[start], mayBeEmpty) }]
    state[start] ??= 'open'
    for (let top = path.at(-1); top; top = path.at(-1)) {
      const next = top.next.pop()
      if (next === undefined) {
        state[top.rule] = 'done'
        path.pop()
      } else if (state[next] === 'open') return table[next]?.name ?? ''
      else if (state[next] === undefined) {
        state[next] = 'open'
        path.push({ rule: next, next: beginnings(table[next], mayBeEmpty) })
      }
    }
  }
  return null
}

/**
 * The name of a rule that begins with itself behind rules that are empty only through others, and has more to follow: llama.cpp does not
 * see it, and puts the rest on its stack until memory ends. Null if there is none.
 */
export function findHiddenRecursion(table: readonly PlainRule[]): string | null {
  const mayBeEmpty = emptyRules(table)
  const next = table.map((rule) => beginnings(rule, mayBeEmpty))
  const component = components(next)
  for (const [number, rule] of table.entries())
    for (const alternative of rule.alternatives)
      for (const [index, symbol] of alternative.entries()) {
        if (symbol === 'character') break
        const isLast = index === alternative.length - 1
        if (!isLast && component[symbol] === component[number] && (symbol !== number || next[number]?.includes(number)))
          return rule.name
        if (!mayBeEmpty[symbol]) break
      }
  return null
}

// The rules that may be the first symbol.
function beginnings(rule: PlainRule | undefined, mayBeEmpty: readonly boolean[]): number[] {
  const found = new Set<number>()
  for (const alternative of rule?.alternatives ?? [])
    for (const symbol of alternative) {
      if (symbol === 'character') break
      found.add(symbol)
      if (!mayBeEmpty[symbol]) break
    }
  return [...found]
}

// Tarjan's strongly connected components, without recursion: two rules in one component begin with each other.
function components(next: readonly (readonly number[])[]): readonly number[] {
  const component: number[] = next.map(() => -1)
  const order: number[] = next.map(() => -1)
  const low: number[] = next.map(() => 0)
  const open: number[] = []
  let count = 0
  for (let start = 0; start < next.length; start += 1) {
    const path = order[start] === -1 ? [{ rule: start, at: 0 }] : []
    for (let top = path.at(-1); top; top = path.at(-1)) {
      const { rule } = top
      if (top.at === 0) {
        order[rule] = count
        low[rule] = count
        count += 1
        open.push(rule)
      }
      const child = next[rule]?.[top.at]
      top.at += 1
      if (child !== undefined) {
        if (order[child] === -1) path.push({ rule: child, at: 0 })
        else if (component[child] === -1) low[rule] = Math.min(low[rule] ?? 0, order[child] ?? 0)
        continue
      }
      path.pop()
      const parent = path.at(-1)?.rule
      if (parent !== undefined) low[parent] = Math.min(low[parent] ?? 0, low[rule] ?? 0)
      if (low[rule] !== order[rule]) continue
      for (let member = open.pop(); member !== undefined; member = open.pop()) {
        component[member] = rule
        if (member === rule) break
      }
    }
  }
  return component
}
