import type { Expression } from './expression.ts'

/** How often each expression was put in parentheses: llama.cpp makes a rule of each pair. */
export type Groups = ReadonlyMap<Expression, number>

/** A symbol of a rule as llama.cpp keeps it: a character, or the number of a rule. */
export type Symbol = 'character' | number

/** A rule as a list of alternatives; `name` is that of the rule in the text that it was made for. */
export type PlainRule = { readonly name: string; readonly alternatives: readonly (readonly Symbol[])[] }

/** Rules as symbols, the named ones first and in their order; each repetition and pair of parentheses gets a rule. */
export function plainRules(rules: ReadonlyMap<string, Expression>, groups: Groups): readonly PlainRule[] {
  const names = [...rules.keys()]
  const numbers = new Map(names.map((name, number) => [name, number]))
  const table: PlainRule[] = names.map((name) => ({ name, alternatives: [] }))
  let owner = ''
  const addRule = (alternatives: PlainRule['alternatives']): number => table.push({ name: owner, alternatives }) - 1
  const alternativesOf = (expression: Expression, isGrouped: boolean): readonly (readonly Symbol[])[] =>
    expression.kind === 'choice' && isGrouped
      ? expression.items.map((item) => symbols(item))
      : [symbols(expression, groups.get(expression) ?? 0)]
  const symbols = (expression: Expression, pairs = groups.get(expression) ?? 0): readonly Symbol[] => {
    if (pairs > 0) {
      let alternatives = expression.kind === 'choice' ? alternativesOf(expression, true) : [symbols(expression, 0)]
      for (let left = pairs; left > 1; left -= 1) alternatives = [[addRule(alternatives)]]
      return [addRule(alternatives)]
    }
    switch (expression.kind) {
      case 'text':
        return expression.value === '' ? [] : ['character']
      case 'sequence':
        return expression.items.flatMap((item) => symbols(item))
      case 'rule':
        return [numbers.get(expression.name) ?? 0]
      case 'repeat':
        return repeated(expression)
      case 'choice':
        return [addRule(expression.items.map((item) => symbols(item)))]
      case 'free':
        return []
      default:
        return ['character']
    }
  }
  const repeated = ({ item, min, max }: Expression & { kind: 'repeat' }): readonly Symbol[] => {
    const one = symbols(item)
    // The rules of parentheses that are repeated no times are made all the same.
    if (max === 0) return []
    const copies = min > 0 ? [...one, ...(min > 1 ? one : [])] : []
    if (max !== null && max === min) return copies
    const rest = addRule([])
    table[rest] = { name: owner, alternatives: [max === null ? [...one, rest] : one, []] }
    return [...copies, rest]
  }
  for (const [index, name] of names.entries()) {
    owner = name
    const body = rules.get(name)
    const alternatives =
      body && (groups.get(body) ?? 0) === 0 ? alternativesOf(body, true) : body ? [symbols(body)] : []
    table[index] = { name, alternatives }
  }
  return table
}

/** Which plain rules may be empty. Linear: each alternative counts its symbols that may not be. */
export function emptyRules(table: readonly PlainRule[]): readonly boolean[] {
  const mayBeEmpty = table.map(() => false)
  const waiting = table.map((): { owner: number; left: number }[] => [])
  const found: number[] = []
  table.forEach(({ alternatives }, owner) => {
    for (const alternative of alternatives) {
      if (alternative.includes('character')) continue
      const counter = { owner, left: alternative.length }
      if (alternative.length === 0) found.push(owner)
      for (const symbol of alternative) if (symbol !== 'character') waiting[symbol]?.push(counter)
    }
  })
  for (let rule = found.pop(); rule !== undefined; rule = found.pop()) {
    if (mayBeEmpty[rule]) continue
    mayBeEmpty[rule] = true
    for (const counter of waiting[rule] ?? []) {
      counter.left -= 1
      if (counter.left === 0) found.push(counter.owner)
    }
  }
  return mayBeEmpty
}
