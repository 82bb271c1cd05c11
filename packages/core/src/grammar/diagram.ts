import type { Exit, Grammar, GrammarState } from './grammar.ts'

/**
 * The states of a grammar and the markers between them, as a Mermaid state diagram: one box a state with what its text is,
 * one arrow a pair of states with the markers that lead from one to the other.
 */
export function grammarDiagram({ start, thought, thinking, states }: Grammar): string {
  const names = Object.keys(states)
  const idOf = (name: string): string => `s${names.indexOf(name)}`
  const starts = [
    `[*] --> ${idOf(start)}`,
    ...(thought === undefined ? [] : [`[*] --> ${idOf(thought)} : the prompt has opened a thought`]),
    ...(thinking === undefined ? [] : [`[*] --> ${idOf(thinking)} : thoughts were asked for`]),
  ]
  const boxes = Object.entries(states).map(([name, { is }]) => `state "${boxText(name, is)}" as ${idOf(name)}`)
  const arrows = Object.entries(states).flatMap(([name, state]) =>
    [...arrowsOf(state)].map(([to, labels]) => `${idOf(name)} --> ${idOf(to)} : ${labels.join(' or ')}`),
  )
  return ['stateDiagram-v2', ...[...boxes, ...starts, ...arrows].map((line) => `  ${line}`)].join('\n')
}

function boxText(name: string, is: string): string {
  return name === is ? name : `${name} (${is})`
}

/** Where a state leads, each place once, with everything that leads there. */
function arrowsOf({ until, next, otherwise }: GrammarState): ReadonlyMap<string, readonly string[]> {
  const arrows = new Map<string, string[]>()
  const add = (to: string, label: string): void => {
    arrows.set(to, [...(arrows.get(to) ?? []), label])
  }
  for (const [marker, exit] of Object.entries(until)) add(targetOf(exit), plain(marker))
  if (next !== undefined) add(next, 'its end')
  if (otherwise !== undefined) add(otherwise, 'anything else')
  return arrows
}

function targetOf(exit: Exit): string {
  return typeof exit === 'string' ? exit : exit.to
}

/** A marker as Mermaid takes it: what is no letter, digit or blank by its number. */
function plain(marker: string): string {
  return [...marker.replaceAll('\n', '⏎')]
    .map((char) => (/[\p{L}\p{N}_ ⏎]/u.test(char) ? char : `#${char.codePointAt(0) ?? 0};`))
    .join('')
}
