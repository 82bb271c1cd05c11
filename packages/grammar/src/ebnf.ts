import {
  type EbnfDialect,
  type Scanner,
  failAt,
  isAtEnd,
  isAtRule,
  lineOf,
  skipSpace,
  startScanner,
  takeClass,
  takeCount,
  takeMark,
  takeName,
  takeRuleEnd,
  takeString,
} from './ebnf-scanner.ts'
import { EMPTY, type Expression, GrammarError, choice, repeat, rule, sequence, type Rules } from './expression.ts'
import { findHiddenRecursion, findLeftRecursion } from './left-recursion.ts'
import { plainRules } from './plain-rules.ts'

/** Nesting of parentheses that is read. */
const MAX_NESTING = 200

/**
 * Reads a grammar into rules. Of two rules of one name, GBNF takes the last.
 * Throws `GrammarError` with the line, for all that the engine refuses, and for counts with a minimum above the maximum, on which
 * llama.cpp spends all memory.
 */
export function readEbnf(text: string, dialect: EbnfDialect): Rules {
  const scanner = startScanner(text, dialect)
  const rules = new Map<string, Expression>()
  const reader: Reader = { scanner, dialect, references: new Map(), groups: new Map() }
  skipSpace(scanner, true)
  while (!isAtEnd(scanner)) {
    const name = takeName(scanner) ?? failAt(scanner, 'a rule name was expected')
    skipSpace(scanner, dialect === 'xgrammar')
    if (!takeMark(scanner, '::=')) failAt(scanner, `"::=" was expected after the name ${name}`)
    skipSpace(scanner, true)
    if (dialect === 'xgrammar' && rules.has(name)) failAt(scanner, `rule "${name}" is defined twice`)
    rules.set(name, readAlternatives(reader, 0))
    if (!takeRuleEnd(scanner)) failAt(scanner, 'the rule was expected to end')
    skipSpace(scanner, true)
  }
  if (!rules.has('root')) throw new GrammarError('The grammar has no rule "root".')
  for (const [name, line] of reader.references)
    if (!rules.has(name)) throw new GrammarError(`Line ${line}: rule "${name}" is not defined.`)
  if (dialect === 'gbnf') refuseLeftRecursion(rules, reader.groups)
  return { root: 'root', rules }
}

function refuseLeftRecursion(rules: ReadonlyMap<string, Expression>, groups: ReadonlyMap<Expression, number>): void {
  const table = plainRules(rules, groups)
  const recursive = findLeftRecursion(table)
  if (recursive !== null)
    throw new GrammarError(`Rule "${recursive}" begins with itself (left recursion), which llama.cpp refuses.`)
  const hidden = findHiddenRecursion(table)
  if (hidden !== null)
    throw new GrammarError(
      `Rule "${hidden}" begins with itself behind parts that may be empty: llama.cpp does not notice, and takes all memory.`,
    )
}

type Reader = {
  readonly scanner: Scanner
  readonly dialect: EbnfDialect
  readonly references: Map<string, number>
  readonly groups: Map<Expression, number>
}

function readAlternatives(reader: Reader, nesting: number): Expression {
  const { scanner } = reader
  if (nesting > MAX_NESTING) failAt(scanner, `parentheses are nested more than ${MAX_NESTING} deep`)
  const alternatives = [readSequence(reader, nesting)]
  while (takeMark(scanner, '|')) {
    skipSpace(scanner, true)
    alternatives.push(readSequence(reader, nesting))
  }
  return choice(...alternatives)
}

function readSequence(reader: Reader, nesting: number): Expression {
  const { scanner } = reader
  const items: Expression[] = []
  let hasLast = false
  for (;;) {
    const item = readElement(reader, nesting)
    if (item) {
      items.push(item)
      // An empty string is no element in GBNF: `""*` has nothing to repeat.
      hasLast = reader.dialect === 'xgrammar' || reader.groups.has(item) || !isNothing(item)
    } else {
      const count = takeCount(scanner, nesting > 0 || reader.dialect === 'xgrammar')
      if (!count) return items.length === 0 ? EMPTY : sequence(...items)
      const last = items.pop()
      if (!last || !hasLast) return failAt(scanner, 'nothing precedes the repetition')
      items.push(repeat(last, count.min, count.max))
      hasLast = !(reader.dialect === 'gbnf' && count.max === 0)
    }
    skipSpace(scanner, nesting > 0 || reader.dialect === 'xgrammar')
  }
}

function isNothing(item: Expression): boolean {
  return item.kind === 'text' ? item.value === '' : item.kind === 'sequence' && item.items.length === 0
}

function readElement(reader: Reader, nesting: number): Expression | null {
  const { scanner } = reader
  const simple = takeString(scanner) ?? takeClass(scanner)
  if (simple) return simple
  if (takeMark(scanner, '(')) {
    skipSpace(scanner, true)
    const inner = readAlternatives(reader, nesting + 1)
    if (!takeMark(scanner, ')')) return failAt(scanner, '")" was expected')
    // An empty group is an expression of its own, too: the count of its parentheses belongs to it alone.
    const own = inner === EMPTY ? { ...inner } : inner
    reader.groups.set(own, (reader.groups.get(own) ?? 0) + 1)
    return own
  }
  if (isAtRule(scanner)) return null
  const name = takeName(scanner)
  if (name === null) return null
  if (!reader.references.has(name)) reader.references.set(name, lineOf(scanner))
  return rule(name)
}
