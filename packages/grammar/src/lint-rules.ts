import type { Expression, Rules } from './expression.ts'
import { type GrammarLint, note, warning } from './lint-finding.ts'

const OLD_LIMIT = 2000

/** Traps in the rules of GBNF or EBNF. */
export function lintRules({ root, rules }: Rules): readonly GrammarLint[] {
  const found: GrammarLint[] = []
  const used = new Set([root])
  const queue = [root]
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    const body = rules.get(name)
    if (body)
      visit(body, (part) => {
        if (part.kind !== 'rule' || used.has(part.name)) return
        used.add(part.name)
        queue.push(part.name)
      })
  }
  for (const [name, body] of rules) {
    if (!used.has(name)) found.push(note('unused-rule', name, 'No text reaches this rule.'))
    visit(body, (part) => found.push(...lintPart(part, name)))
  }
  return found
}

function lintPart(part: Expression, name: string): readonly GrammarLint[] {
  if (part.kind === 'characters' && part.ranges.length === 0)
    return [
      warning(
        'nothing-matches',
        name,
        'A class is empty, or a string holds half of a surrogate pair: nothing matches it.',
      ),
    ]
  if (part.kind === 'sequence') {
    const optional = part.items.filter((item) => item.kind === 'repeat' && item.min === 0 && item.max === 1)
    const longest =
      optional.length > 3 && optional.every((item) => JSON.stringify(item) === JSON.stringify(optional[0]))
    return longest ? [warning('repeated-optional', name, 'x? x? x? … multiplies the readings; write x{0,n}.')] : []
  }
  if (part.kind !== 'repeat') return []
  const { item, max } = part
  if (max !== null && max > OLD_LIMIT)
    return [note('large-count', name, `A count of ${max}: versions of llama.cpp before v0.5.0 refuse it.`)]
  if (max === null && isWhiteSpace(item))
    return [note('white-space-loop', name, 'White space has no limit, so that a model can write it without end.')]
  if (max === null && item.kind === 'characters' && item.ranges[0]?.[0] === 0 && item.ranges[0][1] === 0x10ffff)
    return [note('any-text', name, 'Any text: what follows it may also be read as part of it.')]
  return []
}

function isWhiteSpace(item: Expression): boolean {
  return (
    item.kind === 'characters' &&
    item.ranges.length > 0 &&
    item.ranges.every(([first, last]) => (first >= 9 && last <= 13) || (first === 32 && last === 32))
  )
}

function visit(expression: Expression, look: (part: Expression) => void): void {
  look(expression)
  if (expression.kind === 'sequence' || expression.kind === 'choice')
    for (const item of expression.items) visit(item, look)
  if (expression.kind === 'repeat') visit(expression.item, look)
  if (expression.kind === 'free') for (const { body } of expression.dispatch) visit(body, look)
}
