import type { RegexNode } from '../regex/node.ts'
import { partsOf, someNode } from '../regex/node.ts'
import { lengthsOf } from '../regex/shape.ts'

/** Whether `$` is an alternative: something else or the end. */
export function hasDollarAlternative(root: RegexNode): boolean {
  return someNode(
    root,
    (node) => node.kind === 'choice' && node.options.some(isOnlyEnd) && !node.options.every(isOnlyEnd),
  )
}

function isOnlyEnd(node: RegexNode): boolean {
  if (node.kind === 'assertion') return node.at === 'end-or-line-feed' || node.at === 'end'
  if (node.kind === 'group' || node.kind === 'atomic') return isOnlyEnd(node.body)
  return node.kind === 'sequence' && lengthsOf(node).max === 0 && node.items.some(isOnlyEnd)
}

/** Whether the pattern ends with an optional part of two or more characters, whatever single characters follow. */
export function hasOptionalTail(root: RegexNode): boolean {
  const items = root.kind === 'sequence' ? root.items : [root]
  for (const item of items.toReversed()) {
    if (item.kind === 'repeat' && item.min === 0) {
      if (lengthsOf(item.body).min >= 2) return true
      continue
    }
    if (item.kind === 'group' || item.kind === 'atomic') return hasOptionalTail(item.body)
    if (item.kind === 'choice') return item.options.some(hasOptionalTail)
    return false
  }
  return false
}

/** Whether a word boundary is in the pattern. */
export function hasBoundary(root: RegexNode): boolean {
  return someNode(
    root,
    (node) => node.kind === 'assertion' && ['boundary', 'no-boundary', 'word-begin', 'word-end'].includes(node.at),
  )
}

/** Alternatives of which one is inside of another one, but not at its beginning. */
export function innerAlternative(root: RegexNode): readonly [whole: string, part: string] | null {
  let found: readonly [string, string] | null = null
  someNode(root, (node) => {
    if (node.kind === 'choice')
      found ??= innerText(node.options.flatMap((option) => (option.kind === 'text' ? [option.text] : [])))
    return found !== null
  })
  return found
}

/** Two texts of which one is inside of the other, but not at its beginning; null if there are none. */
export function innerText(texts: readonly string[]): readonly [whole: string, part: string] | null {
  for (const whole of texts) {
    const part = texts.find((text) => text !== whole && whole.indexOf(text, 1) > 0)
    if (part !== undefined) return [whole, part]
  }
  return null
}

/** Names of groups that may take no part in a match. */
export function optionalGroups(root: RegexNode): ReadonlySet<string> {
  const optional = new Set<string>()
  collectOptional(root, false, optional)
  for (const name of alwaysMatched(root)) optional.delete(name)
  return optional
}

function collectOptional(node: RegexNode, isOptional: boolean, names: Set<string>): void {
  if (node.kind === 'group' && node.name !== null && isOptional) names.add(node.name)
  const isLess = node.kind === 'choice' || node.kind === 'conditional' || (node.kind === 'repeat' && node.min === 0)
  for (const part of partsOf(node)) collectOptional(part, isOptional || isLess, names)
}

/** Names of groups that take part in every match: in all alternatives, and in no optional part. */
function alwaysMatched(node: RegexNode): ReadonlySet<string> {
  if (node.kind === 'repeat' && node.min === 0) return new Set()
  if (node.kind === 'look' && node.isNegative) return new Set()
  if (node.kind === 'choice' || node.kind === 'conditional') {
    const [first = new Set<string>(), ...others] = partsOf(node).map(alwaysMatched)
    return new Set(Array.from(first).filter((name) => others.every((names) => names.has(name))))
  }
  const inner = partsOf(node).flatMap((part) => Array.from(alwaysMatched(part)))
  return new Set(node.kind === 'group' && node.name !== null ? [...inner, node.name] : inner)
}

/** The named group, or null. */
export function groupNamed(root: RegexNode, name: string): RegexNode | null {
  if (root.kind === 'group' && root.name === name) return root.body
  for (const part of partsOf(root)) {
    const found = groupNamed(part, name)
    if (found !== null) return found
  }
  return null
}

/** Whether no text of a group can have the character: all its sets and texts lack it. */
export function lacksCharacter(body: RegexNode, character: string): boolean {
  const code = character.codePointAt(0) ?? 0
  return !someNode(
    body,
    (node) =>
      (node.kind === 'set' && node.set.has(code)) ||
      (node.kind === 'text' && node.text.includes(character)) ||
      node.kind === 'reference',
  )
}

/** Whether white space without a limit is taken directly before or after the named group. */
export function eatsSpaceAround(root: RegexNode, name: string): boolean {
  return someNode(root, (node) => {
    if (node.kind !== 'sequence') return false
    const at = node.items.findIndex((item) => item.kind === 'group' && item.name === name)
    return at >= 0 && [node.items[at - 1], node.items[at + 1]].some((item) => item !== undefined && isSpaceLoop(item))
  })
}

function isSpaceLoop(node: RegexNode): boolean {
  return (
    node.kind === 'repeat' &&
    node.max === Infinity &&
    node.body.kind === 'set' &&
    node.body.set.has(0x20) &&
    !node.body.set.has(0x66)
  )
}
