import { unreachable } from '@callspec/python'
import { type Expression, GrammarError, LAST_CODE_POINT, type Rules, choice, literal, sequence } from '../expression.ts'
import type { EbnfStyle } from './ebnf-style.ts'
import { freeTextRules } from './print-free.ts'

/** Expressions of at least this length that are used more than once get a rule of their own. */
const MIN_SHARED_LENGTH = 12

type Printer = {
  readonly style: EbnfStyle
  readonly names: ReadonlyMap<string, string>
  readonly uses: ReadonlyMap<Expression, number>
  readonly shared: Map<Expression, string>
  /** The names of rules by what they say: equal ones are printed once. */
  readonly byText: Map<string, string>
  readonly lines: string[]
  free: number
}

/** The text of a grammar in one of the styles of EBNF. Throws `GrammarError` for what the syntax cannot say. */
export function printEbnf({ root, rules }: Rules, style: EbnfStyle): string {
  const simple = simplifier()
  const plain = new Map([...rules].map(([name, body]) => [name, simple(body)]))
  return printRules({ root, rules: plain }, style)
}

function printRules({ root, rules }: Rules, style: EbnfStyle): string {
  const used = reachableRules(rules, root)
  const names = new Map(used.map((name, index) => [name, name === root ? style.root : `r${index}`]))
  const uses = new Map<Expression, number>()
  for (const name of used) countUses(rules.get(name), uses)
  const printer: Printer = { style, names, uses, shared: new Map(), byText: new Map(), lines: [], free: 0 }
  const bodies = used.map((name) => names.get(name) + style.define + printChoice(printer, rules.get(name), false))
  return `${[...bodies, ...printer.lines].join('\n')}\n`
}

// The same expressions without sequences in sequences, choices in choices and empty texts. What is shared stays shared.
function simplifier(): (expression: Expression) => Expression {
  const done = new Map<Expression, Expression>()
  const simple = (expression: Expression): Expression => {
    const known = done.get(expression)
    if (known) return known
    const made = simplified(expression, simple)
    done.set(expression, made)
    return made
  }
  return simple
}

function simplified(expression: Expression, simple: (part: Expression) => Expression): Expression {
  switch (expression.kind) {
    case 'sequence': {
      const items = expression.items.map(simple).flatMap((item) => (item.kind === 'sequence' ? item.items : [item]))
      return sequence(...joinedTexts(items))
    }
    case 'choice': {
      const items = expression.items.map(simple).flatMap((item) => (item.kind === 'choice' ? item.items : [item]))
      return choice(...items)
    }
    case 'repeat':
      return { ...expression, item: simple(expression.item) }
    case 'free':
      return { ...expression, dispatch: expression.dispatch.map((one) => ({ ...one, body: simple(one.body) })) }
    default:
      return expression
  }
}

function joinedTexts(items: readonly Expression[]): readonly Expression[] {
  const joined: Expression[] = []
  for (const item of items) {
    const last = joined.at(-1)
    if (item.kind === 'text' && item.value === '') continue
    if (item.kind === 'text' && last?.kind === 'text') joined[joined.length - 1] = literal(last.value + item.value)
    else joined.push(item)
  }
  return joined
}

function reachableRules(rules: Rules['rules'], root: string): readonly string[] {
  const used = new Set([root])
  for (const name of used) visitRules(rules.get(name), (other) => used.add(other))
  return [...used]
}

function visitRules(expression: Expression | undefined, found: (name: string) => void): void {
  for (const part of partsOf(expression)) visitRules(part, found)
  if (expression?.kind === 'rule') found(expression.name)
}

function partsOf(expression: Expression | undefined): readonly Expression[] {
  switch (expression?.kind) {
    case 'sequence':
    case 'choice':
      return expression.items
    case 'repeat':
      return [expression.item]
    case 'free':
      return expression.dispatch.map(({ body }) => body)
    default:
      return []
  }
}

function countUses(expression: Expression | undefined, uses: Map<Expression, number>): void {
  if (!expression) return
  const count = (uses.get(expression) ?? 0) + 1
  uses.set(expression, count)
  if (count === 1) for (const part of partsOf(expression)) countUses(part, uses)
}

function printChoice(printer: Printer, expression: Expression | undefined, isInner: boolean): string {
  if (!expression) throw new GrammarError('A rule of the grammar is not defined.')
  if (expression.kind !== 'choice') return printSequence(printer, expression)
  if (expression.items.length === 0) return printer.style.characters([])
  const text = expression.items.map((item) => printSequence(printer, item)).join(' | ')
  return isInner ? `(${text})` : text
}

function printSequence(printer: Printer, expression: Expression): string {
  if (expression.kind !== 'sequence') return printItem(printer, expression)
  const items = expression.items.filter((item) => !(item.kind === 'text' && item.value === ''))
  if (items.length === 0) return '""'
  return items.map((item) => printItem(printer, item)).join(' ')
}

// Something that a repetition sign may follow.
function printItem(printer: Printer, expression: Expression): string {
  const name = printer.shared.get(expression)
  if (name !== undefined) return name
  const text = printPlain(printer, expression)
  const isShared = (printer.uses.get(expression) ?? 0) > 1 && text.length >= MIN_SHARED_LENGTH
  if (!isShared || expression.kind === 'text' || expression.kind === 'rule') return text
  const known = printer.byText.get(text) ?? `p${printer.byText.size}`
  printer.shared.set(expression, known)
  if (!printer.byText.has(text)) printer.lines.push(known + printer.style.define + text)
  printer.byText.set(text, known)
  return known
}

function printPlain(printer: Printer, expression: Expression): string {
  switch (expression.kind) {
    case 'text':
      return printer.style.text(expression.value)
    case 'characters':
      return printer.style.characters(expression.ranges)
    case 'sequence':
      return `(${printSequence(printer, expression)})`
    case 'choice':
      return printChoice(printer, expression, true)
    case 'repeat':
      return printRepeat(printer, expression)
    case 'rule':
      return printer.names.get(expression.name) ?? expression.name
    case 'free':
      return printFree(printer, expression)
    default:
      return unreachable(expression)
  }
}

function printRepeat(printer: Printer, { item, min, max }: Expression & { kind: 'repeat' }): string {
  if (max === 0) return '""'
  const inner = printItem(printer, item)
  const isRow = item.kind === 'text' && printer.style.byCharacter && inner.includes(' ')
  const body = isRow || (item.kind === 'repeat' && inner.at(-1) !== ')') ? `(${inner})` : inner
  if (min === 1 && max === 1) return body
  if (max === null) return min === 0 ? `${body}*` : min === 1 ? `${body}+` : `${body}{${min},}`
  if (min === 0 && max === 1) return `${body}?`
  return min === max ? `${body}{${min}}` : `${body}{${min},${max}}`
}

function printFree(printer: Printer, free: Expression & { kind: 'free' }): string {
  if (free.max !== null)
    throw new GrammarError('A limit of characters cannot be combined with marks that end the text.')
  if (free.excludes.length + free.dispatch.length === 0) return `${printer.style.characters([[0, LAST_CODE_POINT]])}*`
  const key = free.dispatch.length === 0 ? JSON.stringify([...free.excludes].sort()) : null
  const same = key === null ? undefined : printer.byText.get(key)
  if (same !== undefined) return same
  const name = `t${printer.free}`
  printer.free += 1
  printer.lines.push(...freeTextRules(free, { name, style: printer.style, body: (part) => printItem(printer, part) }))
  if (key !== null) printer.byText.set(key, name)
  return name
}
