import type { CharacterSet } from './character-set.ts'
import { leadOf } from './lead.ts'
import type { Lead } from './lead.ts'
import type { Assertion, LookNode, ParsedRegex, RegexNode, RepeatNode } from './node.ts'
import { someNode } from './node.ts'
import { lengthsOf } from './shape.ts'

/** One step of a compiled pattern. Numbers are indexes of steps. */
export type Step =
  | { readonly op: 'text'; readonly text: string }
  | { readonly op: 'set'; readonly set: CharacterSet }
  | { readonly op: 'assert'; readonly at: Assertion }
  | { readonly op: 'reference'; readonly group: number; readonly isFolded: boolean }
  | { readonly op: 'save'; readonly slot: number }
  /** Goes on at `first`, and at `second` if that fails. */
  | { readonly op: 'split'; readonly first: number; readonly second: number }
  | { readonly op: 'jump'; readonly to: number }
  /** Characters of a set, as many as possible or as few. `next` is the text that must follow, if one must. */
  | SetLoop
  /** The beginning of a round of a loop whose body may match nothing, and its end. */
  | { readonly op: 'round'; readonly slot: number }
  | { readonly op: 'round-end'; readonly slot: number; readonly again: number }
  /** The steps that follow, up to `accept`, are tried on their own; then it goes on at `next`. */
  | SubMatch
  | { readonly op: 'branch'; readonly group: number; readonly no: number }
  | { readonly op: 'accept' }

/** A loop over single characters. */
export interface SetLoop {
  readonly op: 'loop'
  readonly set: CharacterSet
  readonly min: number
  readonly max: number
  readonly isLazy: boolean
  readonly next: string
  /** A text that must follow, after at most `slack` characters. */
  readonly later: string
  readonly slack: number
}

/** A look-around, or a part that gives nothing back. */
export interface SubMatch {
  readonly op: 'sub'
  readonly kind: 'atomic' | 'ahead' | 'behind'
  readonly isNegative: boolean
  readonly next: number
  /** Lengths that the part of a look-behind can have, in UTF-16 units. */
  readonly min: number
  readonly max: number
}

/** A compiled pattern. */
export interface Program {
  readonly steps: readonly Step[]
  /** Places of groups (two for each) and of rounds of loops. */
  readonly slots: number
  readonly groups: number
  /** What failed once at a place fails again: no step depends on what groups have matched. */
  readonly isMemoryless: boolean
  /** How every match begins, where that can be found faster than by trying: null elsewhere. */
  readonly lead: Lead | null
  /** A match can only begin where the text does. */
  readonly isAtBegin: boolean
  /** A text that is somewhere in every match or after it, never before it; empty if there is none. */
  readonly required: string
  /** First characters that a match can have; null if it may be empty or begin with anything. */
  readonly first: CharacterSet | null
  /** Why the pattern cannot be run here; null if it can. */
  readonly unsupported: string | null
}

/** More steps than this are not made: repeats with bounds are written out. */
const MAX_STEPS = 20_000

/** Compiles a parsed pattern. A pattern that is too large, or has a part that cannot be run, is `unsupported`. */
export function compileRegex(parsed: ParsedRegex): Program {
  const writer: Writer = { steps: [], slots: parsed.groupCount * 2 }
  let unsupported: string | null = null
  someNode(parsed.root, (node) => {
    if (node.kind === 'unsupported') unsupported ??= node.what
    return unsupported !== null
  })
  if (unsupported === null && !write(parsed.root, writer)) unsupported = `more than ${MAX_STEPS} steps`
  writer.steps.push({ op: 'accept' })
  return {
    steps: withFollowingTexts(writer.steps),
    slots: writer.slots,
    groups: parsed.groupCount,
    isMemoryless: !someNode(parsed.root, (node) => node.kind === 'reference' || node.kind === 'conditional'),
    lead: leadOf(parsed.root),
    isAtBegin: isAtBegin(parsed.root),
    required: requiredOf(parsed.root),
    first: firstOf(parsed.root),
    unsupported,
  }
}

interface Writer {
  readonly steps: Step[]
  slots: number
}

/** Appends the steps of a node. False if there are too many. */
function write(node: RegexNode, writer: Writer): boolean {
  const { steps } = writer
  if (steps.length > MAX_STEPS) return false
  switch (node.kind) {
    case 'text':
      steps.push({ op: 'text', text: node.text })
      return true
    case 'set':
      steps.push({ op: 'set', set: node.set })
      return true
    case 'assertion':
      steps.push({ op: 'assert', at: node.at })
      return true
    case 'reference':
      steps.push({ op: 'reference', group: node.index, isFolded: node.isFolded })
      return true
    case 'sequence':
      return node.items.every((item) => write(item, writer))
    case 'choice':
      return writeChoice(node.options, writer)
    case 'group': {
      steps.push({ op: 'save', slot: node.index * 2 })
      const isWritten = write(node.body, writer)
      steps.push({ op: 'save', slot: node.index * 2 + 1 })
      return isWritten
    }
    case 'atomic':
      return writeSub(node.body, writer, { kind: 'atomic', isNegative: false, min: 0, max: 0 })
    case 'look':
      return writeLook(node, writer)
    case 'conditional':
      return writeConditional(node, writer)
    case 'repeat':
      return writeRepeat(node, writer)
    case 'unsupported':
      return false
  }
}

function writeChoice(options: readonly RegexNode[], writer: Writer): boolean {
  const { steps } = writer
  const ends: number[] = []
  for (const [index, option] of options.entries()) {
    const split = steps.length
    if (index < options.length - 1) steps.push({ op: 'jump', to: 0 })
    if (!write(option, writer)) return false
    if (index === options.length - 1) break
    ends.push(steps.length)
    steps.push({ op: 'jump', to: 0 })
    steps[split] = { op: 'split', first: split + 1, second: steps.length }
  }
  for (const end of ends) steps[end] = { op: 'jump', to: steps.length }
  return true
}

function writeLook(node: LookNode, writer: Writer): boolean {
  const { min, max } = lengthsOf(node.body)
  return writeSub(node.body, writer, {
    kind: node.isBehind ? 'behind' : 'ahead',
    isNegative: node.isNegative,
    min,
    max,
  })
}

function writeSub(body: RegexNode, writer: Writer, shape: Omit<SubMatch, 'op' | 'next'>): boolean {
  const { steps } = writer
  const at = steps.length
  steps.push({ op: 'jump', to: 0 })
  if (!write(body, writer)) return false
  steps.push({ op: 'accept' })
  steps[at] = { op: 'sub', ...shape, next: steps.length }
  return true
}

function writeConditional(node: RegexNode & { readonly kind: 'conditional' }, writer: Writer): boolean {
  const { steps } = writer
  const at = steps.length
  steps.push({ op: 'jump', to: 0 })
  if (!write(node.yes, writer)) return false
  const end = steps.length
  steps.push({ op: 'jump', to: 0 })
  steps[at] = { op: 'branch', group: node.index, no: steps.length }
  if (!write(node.no, writer)) return false
  steps[end] = { op: 'jump', to: steps.length }
  return true
}

function writeRepeat(node: RepeatNode, writer: Writer): boolean {
  if (node.mode === 'possessive') {
    return writeSub({ ...node, mode: 'greedy' }, writer, { kind: 'atomic', isNegative: false, min: 0, max: 0 })
  }
  const set = singleSet(node.body)
  if (set !== null) {
    writer.steps.push({
      op: 'loop',
      set,
      min: node.min,
      max: node.max,
      isLazy: node.mode === 'lazy',
      next: '',
      later: '',
      slack: 0,
    })
    return true
  }
  for (let count = 0; count < node.min; count++) if (!write(node.body, writer)) return false
  if (node.max === Infinity) return writeStar(node, writer)
  return writeOptional(node, writer)
}

/** The set of which the body is one character, or null. */
function singleSet(body: RegexNode): CharacterSet | null {
  if (body.kind === 'set') return body.set
  if (body.kind !== 'text') return null
  const code = body.text.codePointAt(0) ?? 0
  if (body.text.length !== (code > 0xffff ? 2 : 1)) return null
  return { source: body.text, isAll: false, has: (other) => other === code }
}

function writeStar(node: RepeatNode, writer: Writer): boolean {
  const { steps } = writer
  const isEmptyPossible = lengthsOf(node.body).min === 0
  const slot = isEmptyPossible ? writer.slots++ : 0
  const split = steps.length
  steps.push({ op: 'jump', to: 0 })
  if (isEmptyPossible) steps.push({ op: 'round', slot })
  if (!write(node.body, writer)) return false
  steps.push(isEmptyPossible ? { op: 'round-end', slot, again: split } : { op: 'jump', to: split })
  const body = split + 1
  const after = steps.length
  steps[split] =
    node.mode === 'lazy' ? { op: 'split', first: after, second: body } : { op: 'split', first: body, second: after }
  return true
}

/** `x{0,3}` as `(?:x(?:x(?:x)?)?)?`. */
function writeOptional(node: RepeatNode, writer: Writer): boolean {
  const { steps } = writer
  const splits: number[] = []
  for (let count = node.min; count < node.max; count++) {
    splits.push(steps.length)
    steps.push({ op: 'jump', to: 0 })
    if (!write(node.body, writer)) return false
  }
  const after = steps.length
  for (const split of splits) {
    steps[split] =
      node.mode === 'lazy'
        ? { op: 'split', first: after, second: split + 1 }
        : { op: 'split', first: split + 1, second: after }
  }
  return true
}

/** Loops with the text that follows them, so that a lazy loop over everything can look for that text. */
function withFollowingTexts(steps: readonly Step[]): readonly Step[] {
  return steps.map((step, at) => {
    if (step.op !== 'loop') return step
    let follow = at + 1
    while (steps[follow]?.op === 'save') follow++
    const first = steps[follow]
    const next = first?.op === 'text' ? first.text : ''
    let slack = 0
    for (; ; follow++) {
      const between = steps[follow]
      if (between?.op === 'loop' && between.min === 0 && between.max === 1) slack += 2
      else if (between?.op === 'split') {
        // > (?:]]>)?</param>
        //   ^        a text that may be missing
        const text = steps[follow + 1]
        if (text?.op !== 'text' || Math.max(between.first, between.second) !== follow + 2) break
        slack += text.text.length
        follow++
      } else if (between?.op !== 'save') break
    }
    const last = steps[follow]
    return { ...step, next, later: last?.op === 'text' ? last.text : '', slack }
  })
}

function isAtBegin(node: RegexNode): boolean {
  switch (node.kind) {
    case 'assertion':
      return node.at === 'begin'
    case 'group':
    case 'atomic':
      return isAtBegin(node.body)
    case 'choice':
      return node.options.every(isAtBegin)
    case 'sequence':
      return node.items[0] !== undefined && isAtBegin(node.items[0])
    default:
      return false
  }
}

/** The longest text without which the node does not match. */
function requiredOf(node: RegexNode): string {
  switch (node.kind) {
    case 'text':
      return node.text
    case 'sequence':
      return node.items.map(requiredOf).reduce((longest, text) => (text.length > longest.length ? text : longest), '')
    case 'group':
    case 'atomic':
      return requiredOf(node.body)
    case 'look':
      return node.isBehind || node.isNegative ? '' : requiredOf(node.body)
    case 'repeat':
      return node.min > 0 ? requiredOf(node.body) : ''
    default:
      return ''
  }
}

/** The set of first characters of a pattern that never matches nothing, where all of them can be found. */
function firstOf(root: RegexNode): CharacterSet | null {
  const sets: CharacterSet[] = []
  if (collectFirst(root, sets) !== 'needed') return null
  return { source: '', isAll: false, has: (code) => sets.some((set) => set.has(code)) }
}

/** Whether a node needs a character; `unknown` where its first one cannot be found. */
type First = 'needed' | 'optional' | 'unknown'

/** Adds the sets of first characters of a node. */
function collectFirst(node: RegexNode, sets: CharacterSet[]): First {
  switch (node.kind) {
    case 'text': {
      const code = node.text.codePointAt(0)
      if (code === undefined) return 'optional'
      sets.push({ source: '', isAll: false, has: (other) => other === code })
      return 'needed'
    }
    case 'set':
      sets.push(node.set)
      return 'needed'
    case 'sequence': {
      for (const item of node.items) {
        const first = collectFirst(item, sets)
        if (first !== 'optional') return first
      }
      return 'optional'
    }
    case 'choice': {
      const firsts = node.options.map((option) => collectFirst(option, sets))
      if (firsts.includes('unknown')) return 'unknown'
      return firsts.includes('optional') ? 'optional' : 'needed'
    }
    case 'group':
    case 'atomic':
      return collectFirst(node.body, sets)
    case 'repeat': {
      const first = collectFirst(node.body, sets)
      return first === 'needed' && node.min === 0 ? 'optional' : first
    }
    case 'assertion':
      return 'optional'
    case 'look':
      // A look-ahead may want a character past the end where nothing of the rest can begin.
      if (node.isBehind) return 'optional'
      return !node.isNegative && collectFirst(node.body, sets) === 'needed' ? 'needed' : 'unknown'
    case 'reference':
    case 'conditional':
    case 'unsupported':
      return 'unknown'
  }
}
