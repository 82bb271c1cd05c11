import { type CodePointRange, type Expression, complement, normalizeRanges } from '../expression.ts'
import type { EbnfStyle } from './ebnf-style.ts'

type FreeText = Expression & { readonly kind: 'free' }

type Printing = {
  readonly name: string
  readonly style: EbnfStyle
  /** The text of what follows a trigger. */
  readonly body: (expression: Expression) => string
}

/** A step of the automaton: from a state, by a class of characters, to another state or to what follows a trigger. */
type Step = { readonly from: string; readonly by: string; readonly to: string; readonly body: Expression | null }

/** The rules of free text: a search for its marks as an automaton over code points, a rule per state. */
export function freeTextRules(free: FreeText, printing: Printing): readonly string[] {
  const { excludes, dispatch } = free
  const states = searchStates([...excludes, ...dispatch.map(({ trigger }) => trigger)])
  const steps = states.flatMap((state) => stepsFrom(state, states, { free, style: printing.style }))
  return printing.style.byCharacter
    ? leftRecursive(free, { printing, states, steps })
    : rightRecursive(free, { printing, states, steps })
}

type Automaton = {
  readonly printing: Printing
  readonly states: readonly string[]
  readonly steps: readonly Step[]
}

// A rule is the text that may follow in its state.
function rightRecursive(free: FreeText, { printing, states, steps }: Automaton): readonly string[] {
  const { name, style, body } = printing
  const ruleOf = (state: string): string => (state === '' ? name : style.state(name, states.indexOf(state)))
  return states.map((state) => {
    const ways = steps
      .filter(({ from }) => from === state)
      .map((step) => {
        if (!step.body) return `${step.by} ${ruleOf(step.to)}`
        return `${step.by} ${body(step.body)}${free.loop ? ` ${ruleOf('')}` : ''}`
      })
    return ruleOf(state) + style.define + ['""', ...ways].join(' | ')
  })
}

// A rule is the text that leads to its state; the text may end in each.
function leftRecursive(free: FreeText, { printing, states, steps }: Automaton): readonly string[] {
  const { name, style, body } = printing
  const ruleOf = (state: string): string => style.state(name, states.indexOf(state))
  const wayOf = (step: Step): string =>
    `${ruleOf(step.from)} ${step.by}${step.body === null ? '' : ` ${body(step.body)}`}`
  const last = free.loop ? [] : steps.filter((step) => step.body !== null)
  const rules = states.map((state) => {
    const ways = steps.filter((step) => step.to === state && !last.includes(step)).map(wayOf)
    return ruleOf(state) + style.define + (state === '' ? ['""', ...ways] : ways).join(' | ')
  })
  return [name + style.define + [...states.map(ruleOf), ...last.map(wayOf)].join(' | '), ...rules]
}

// What is excluded has no way on.
function stepsFrom(
  state: string,
  states: readonly string[],
  { free, style }: { readonly free: FreeText; readonly style: EbnfStyle },
): readonly Step[] {
  const { excludes, dispatch } = free
  const marks = [...excludes, ...dispatch.map(({ trigger }) => trigger)]
  const letters = [...new Set([...states, ...marks].flatMap((one) => [...one].slice(-1)))]
  const steps: Step[] = []
  const named = new Map<string, string[]>()
  for (const letter of letters) {
    const text = state + letter
    if (excludes.some((mark) => text.endsWith(mark))) continue
    const hit = dispatch.filter(({ trigger }) => text.endsWith(trigger))
    for (const { body } of hit) steps.push({ from: state, by: style.text(letter), to: '', body })
    if (hit.length > 0) continue
    const next = longestState(text, states)
    named.set(next, [...(named.get(next) ?? []), letter])
  }
  for (const [to, some] of named)
    if (to !== '') steps.push({ from: state, by: style.characters(rangesOf(some)), to, body: null })
  const special = letters.filter((letter) => !named.get('')?.includes(letter))
  return [...steps, { from: state, by: style.characters(complement(rangesOf(special))), to: '', body: null }]
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
  return normalizeRanges(letters.map((letter) => [letter.codePointAt(0) ?? 0, letter.codePointAt(0) ?? 0]))
}
