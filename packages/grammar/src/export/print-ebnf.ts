import { unreachable } from '@callspec/python'
import type { EbnfDialect } from '../ebnf-scanner.ts'
import {
  type CodePointRange,
  type Expression,
  GrammarError,
  LAST_CODE_POINT,
  type Rules,
  asciiRanges,
  choice,
  complement,
  literal,
  sequence,
} from '../expression.ts'

/** Expressions of at least this length that are used more than once get a rule of their own. */
const MIN_SHARED_LENGTH = 12

type Printer = {
  readonly dialect: EbnfDialect
  readonly names: ReadonlyMap<string, string>
  readonly uses: ReadonlyMap<Expression, number>
  readonly shared: Map<Expression, string>
  /** The names of rules by what they say: equal ones are printed once. */
  readonly byText: Map<string, string>
  readonly lines: string[]
  free: number
}

/** The text of a grammar in GBNF or in XGrammar's EBNF. Throws `GrammarError` for what the syntax cannot say. */
export function printEbnf({ root, rules }: Rules, dialect: EbnfDialect): string {
  const simple = simplifier()
  const plain = new Map([...rules].map(([name, body]) => [name, simple(body)]))
  return printRules({ root, rules: plain }, dialect)
}

function printRules({ root, rules }: Rules, dialect: EbnfDialect): string {
  const used = reachableRules(rules, root)
  const names = new Map(used.map((name, index) => [name, name === root ? 'root' : `r${index}`]))
  const uses = new Map<Expression, number>()
  for (const name of used) countUses(rules.get(name), uses)
  const printer: Printer = { dialect, names, uses, shared: new Map(), byText: new Map(), lines: [], free: 0 }
  const bodies = used.map((name) => `${names.get(name)} ::= ${printChoice(printer, rules.get(name), false)}`)
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
  if (expression.items.length === 0) return NOTHING
  const text = expression.items.map((item) => printSequence(printer, item)).join(' | ')
  return isInner ? `(${text})` : text
}

/** A class that no character is in. */
const NOTHING = '[^\\U00000000-\\U0010FFFF]'

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
  if (!printer.byText.has(text)) printer.lines.push(`${known} ::= ${text}`)
  printer.byText.set(text, known)
  return known
}

function printPlain(printer: Printer, expression: Expression): string {
  switch (expression.kind) {
    case 'text':
      return quoted(expression.value)
    case 'characters':
      return printClass(printer, expression.ranges)
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
  const body = item.kind === 'repeat' && inner.at(-1) !== ')' ? `(${inner})` : inner
  if (min === 1 && max === 1) return body
  if (max === null) return min === 0 ? `${body}*` : min === 1 ? `${body}+` : `${body}{${min},}`
  if (min === 0 && max === 1) return `${body}?`
  return min === max ? `${body}{${min}}` : `${body}{${min},${max}}`
}

// A search for strings as an automaton over code points: a rule per state. What is excluded has no way on.
function printFree(printer: Printer, free: Expression & { kind: 'free' }): string {
  if (free.max !== null)
    throw new GrammarError('A limit of characters cannot be combined with marks that end the text.')
  const marks = [...free.excludes, ...free.dispatch.map(({ trigger }) => trigger)]
  if (marks.length === 0) return '[\\U00000000-\\U0010FFFF]*'
  const key = free.dispatch.length === 0 ? JSON.stringify([...free.excludes].sort()) : null
  const same = key === null ? undefined : printer.byText.get(key)
  if (same !== undefined) return same
  const states = searchStates(marks)
  const number = printer.free
  printer.free += 1
  const nameOf = (state: string): string => `t${number}${state === '' ? '' : `-${states.indexOf(state)}`}`
  for (const state of states) {
    const named = new Map<string, string[]>()
    const ways: string[] = ['""']
    const letters = new Set(
      states.flatMap((one) => [...one].slice(-1)).concat(marks.flatMap((mark) => [...mark].slice(-1))),
    )
    for (const letter of letters) {
      const text = state + letter
      const trigger = free.dispatch.filter((one) => text.endsWith(one.trigger))
      if (free.excludes.some((mark) => text.endsWith(mark))) continue
      if (trigger.length > 0) {
        for (const { body } of trigger)
          ways.push(`${quoted(letter)} ${printItem(printer, body)}${free.loop ? ` ${nameOf('')}` : ''}`)
        continue
      }
      const next = nameOf(longestState(text, states))
      named.set(next, [...(named.get(next) ?? []), letter])
    }
    for (const [next, some] of named)
      if (next !== nameOf('')) ways.push(`${printClass(printer, rangesOf(some))} ${next}`)
    const special = [...letters].filter((letter) => !named.get(nameOf(''))?.includes(letter))
    ways.push(`${printClass(printer, complement(rangesOf(special)))} ${nameOf('')}`)
    printer.lines.push(`${nameOf(state)} ::= ${ways.join(' | ')}`)
  }
  if (key !== null) printer.byText.set(key, nameOf(''))
  return nameOf('')
}

// The proper beginnings of the marks.
function searchStates(marks: readonly string[]): readonly string[] {
  const states = new Set([''])
  for (const mark of marks) {
    const letters = [...mark]
    for (let length = 1; length < letters.length; length += 1) states.add(letters.slice(0, length).join(''))
  }
  return [...states]
}

function longestState(text: string, states: readonly string[]): string {
  const letters = [...text]
  for (let from = 0; from < letters.length; from += 1) {
    const rest = letters.slice(from).join('')
    if (states.includes(rest)) return rest
  }
  return ''
}

function rangesOf(letters: readonly string[]): readonly CodePointRange[] {
  const codes = [...new Set(letters.map((letter) => letter.codePointAt(0) ?? 0))].sort((one, other) => one - other)
  const ranges: [number, number][] = []
  for (const code of codes) {
    const last = ranges.at(-1)
    if (last && last[1] + 1 === code) last[1] = code
    else ranges.push([code, code])
  }
  return ranges
}

function printClass({ dialect }: Printer, ranges: readonly CodePointRange[]): string {
  if (ranges.length === 0) return NOTHING
  const others = complement(ranges)
  const mayNegate = others.length > 0 && (dialect === 'gbnf' || asciiRanges(others).join() === others.join())
  const isNegated = ranges.at(-1)?.[1] === LAST_CODE_POINT && mayNegate
  const shown = isNegated ? others : ranges
  const text = shown.map(([first, last]) =>
    first === last ? classCharacter(first) : `${classCharacter(first)}-${classCharacter(last)}`,
  )
  return `[${isNegated ? '^' : ''}${text.join('')}]`
}

function classCharacter(code: number): string {
  const char = String.fromCodePoint(code)
  if (/[0-9A-Za-z ,.:;_<>(){}|=+*?!/'"#&%@~`$]/.test(char) && char !== '"') return char
  if (char === '\n') return '\\n'
  if (char === '\t') return '\\t'
  if (char === '\r') return '\\r'
  return hexEscape(code)
}

// Of fixed length: XGrammar reads any number of digits after \x.
function hexEscape(code: number): string {
  if (code < 0x10000) return `\\u${code.toString(16).padStart(4, '0').toUpperCase()}`
  return `\\U${code.toString(16).padStart(8, '0').toUpperCase()}`
}

function quoted(text: string): string {
  const inner = [...text].map((char) => {
    const code = char.codePointAt(0) ?? 0
    if (char === '"' || char === '\\') return `\\${char}`
    if (char === '\n') return '\\n'
    if (char === '\t') return '\\t'
    if (char === '\r') return '\\r'
    return code < 0x20 || code === 0x7f ? hexEscape(code) : char
  })
  return `"${inner.join('')}"`
}
