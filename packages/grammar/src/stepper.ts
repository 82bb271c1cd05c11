import { unreachable } from '@callspec/python'
import type { CompiledGrammar, Repeat, State } from './compile.ts'
import { isContinuation } from './utf8.ts'

/** Moves of readings for one byte; more is an error, so that no grammar makes a text cost more than linear time. */
export const MAX_WORK = 5000

/** What follows a rule: the callers of one rule at one place share a frame. `counted` frames count a repetition. */
export type Frame = RuleFrame | CountedFrame
type RuleFrame = {
  readonly kind: 'rule'
  readonly step: number
  readonly returns: { readonly state: number; readonly frame: Frame }[]
  /** Whether the rule ended where it began. */
  hasEnded: boolean
  repeats: Map<string, CountedFrame> | null
}
type CountedFrame = {
  readonly kind: 'counted'
  readonly count: number
  readonly parent: Frame
  readonly step: number
  repeats: Map<string, CountedFrame> | null
}

/** A place where the text may go on: a state that consumes a byte, and what follows its rule. */
export type Reading = { readonly state: number; readonly frame: Frame }

/** A set of readings that moves by one byte. Change it by `beginRun` and `moveRun` alone. */
export type Run = {
  readonly grammar: CompiledGrammar
  readonly seen: Seen
  /** The frame of each rule, if it was called at this byte. */
  readonly frames: (RuleFrame | undefined)[]
  readonly base: RuleFrame
  readings: Reading[]
  pending: Reading[]
  /** Frames of repetitions whose turns may be empty, at this byte. */
  nullable: Map<Frame, Map<string, CountedFrame>>
  step: number
  work: number
  mayEnd: boolean
  /** More readings than are followed: nothing is known of this text. */
  isExhausted: boolean
}

/** Starts before the first byte. */
export function beginRun(grammar: CompiledGrammar): Run {
  const run: Run = {
    grammar,
    seen: createSeen(grammar.states.length),
    frames: grammar.starts.map(() => undefined),
    base: { kind: 'rule', step: -1, returns: [], hasEnded: false, repeats: null },
    readings: [],
    pending: [],
    nullable: new Map(),
    step: 0,
    work: 0,
    mayEnd: false,
    isExhausted: false,
  }
  startStep(run)
  add(run, grammar.starts[0] ?? 0, run.base)
  close(run)
  return run
}

/** Moves by a byte. False if no reading is left, or there are too many. */
export function moveRun(run: Run, byte: number): boolean {
  const { states } = run.grammar
  for (const { state: number, frame } of startStep(run)) {
    const state = states[number]
    if (state?.kind === 'byte') {
      if (state.byte === byte) add(run, state.to, frame)
    } else if (state?.kind === 'bytes') {
      for (const edge of state.edges) if (edge.first <= byte && byte <= edge.last) add(run, edge.to, frame)
    } else if (state?.kind === 'free') moveFree(run, state, { byte, frame })
  }
  close(run)
  return !run.isExhausted && (run.readings.length > 0 || run.mayEnd)
}

function startStep(run: Run): readonly Reading[] {
  const before = run.readings
  run.readings = []
  run.step += 1
  run.work = 0
  run.mayEnd = false
  run.seen.clear()
  if (run.nullable.size > 0) run.nullable = new Map()
  return before
}

// A continuation byte belongs to a character that is counted already.
function moveFree(run: Run, state: State & { kind: 'free' }, { byte, frame }: { byte: number; frame: Frame }): void {
  const to = state.table[byte] ?? -1
  if (to < 0) return
  if (!state.limit || frame.kind !== 'counted' || isContinuation(byte)) add(run, to, frame)
  else if (frame.count < (state.limit.max ?? 0))
    add(run, to, countedFrame(run, state.limit, { count: frame.count + 1, parent: frame.parent }))
}

function add(run: Run, state: number, frame: Frame): void {
  run.work += 1
  if (run.work > MAX_WORK) run.isExhausted = true
  else if (run.seen.add(state, frame)) run.pending.push({ state, frame })
}

// Follows all states that consume nothing.
function close(run: Run): void {
  for (let reading = run.pending.pop(); reading && !run.isExhausted; reading = run.pending.pop()) expand(run, reading)
  run.pending = []
}

function expand(run: Run, reading: Reading): void {
  const { frame } = reading
  const state = run.grammar.states[reading.state]
  switch (state?.kind) {
    case 'byte':
    case 'bytes':
      run.readings.push(reading)
      return
    case 'free':
      run.readings.push(reading)
      add(run, state.exit, state.limit && frame.kind === 'counted' ? frame.parent : frame)
      return
    case 'split':
      for (const to of state.to) add(run, to, frame)
      return
    case 'call':
      if (state.isTail) add(run, run.grammar.starts[state.rule] ?? 0, frame)
      else callRule(run, state, frame)
      return
    case 'return':
      endRule(run, frame)
      return
    case 'repeat':
      count(run, state.repeat, { done: 0, parent: frame })
      return
    case 'repeat-end':
      // An empty turn of a repetition counts for nothing.
      if (frame.kind === 'counted' && !(state.repeat.isNullable && frame.step === run.step))
        count(run, state.repeat, { done: frame.count + 1, parent: frame.parent })
      return
    case undefined:
      return
    default:
      unreachable(state)
  }
}

function callRule(run: Run, { rule, next }: State & { kind: 'call' }, frame: Frame): void {
  let callee = run.frames[rule]
  if (callee?.step !== run.step) {
    callee = { kind: 'rule', step: run.step, returns: [], hasEnded: false, repeats: null }
    run.frames[rule] = callee
  }
  callee.returns.push({ state: next, frame })
  if (callee.hasEnded) add(run, next, frame)
  add(run, run.grammar.starts[rule] ?? 0, callee)
}

function endRule(run: Run, frame: Frame): void {
  if (frame === run.base) run.mayEnd = true
  if (frame.kind !== 'rule') return
  if (frame.step === run.step) frame.hasEnded = true
  for (const { state, frame: caller } of frame.returns) {
    if (run.isExhausted) return
    add(run, state, caller)
  }
}

function count(run: Run, repeat: Repeat, { done, parent }: { done: number; parent: Frame }): void {
  if (done >= repeat.min) add(run, repeat.next, parent)
  if (repeat.max !== null && done >= repeat.max) return
  const counted = repeat.max === null ? Math.min(done, repeat.min) : done
  add(run, repeat.body, countedFrame(run, repeat, { count: counted, parent }))
}

function countedFrame(run: Run, repeat: Repeat, { count, parent }: { count: number; parent: Frame }): CountedFrame {
  const key = `${repeat.id}/${count}`
  // A turn that may be empty is known by the byte where it began, so that empty turns can be left out.
  const known: Map<string, CountedFrame> =
    (repeat.isNullable ? run.nullable.get(parent) : parent.repeats) ?? new Map<string, CountedFrame>()
  if (repeat.isNullable) run.nullable.set(parent, known)
  else parent.repeats = known
  const inner: CountedFrame = known.get(key) ?? { kind: 'counted', count, parent, step: run.step, repeats: null }
  known.set(key, inner)
  return inner
}

type Seen = { readonly add: (state: number, frame: Frame) => boolean; readonly clear: () => void }

// Whether a state was reached with a frame at this byte. Nearly always one frame per state: only a second one needs a set.
function createSeen(size: number): Seen {
  const stamps = new Float64Array(size)
  const firsts: (Frame | undefined)[] = []
  let others = new Map<number, Set<Frame>>()
  let stamp = 0
  return {
    add: (state, frame) => {
      if (stamps[state] !== stamp) {
        stamps[state] = stamp
        firsts[state] = frame
        return true
      }
      if (firsts[state] === frame) return false
      const set = others.get(state) ?? new Set()
      if (set.has(frame)) return false
      others.set(state, set.add(frame))
      return true
    },
    clear: () => {
      stamp += 1
      if (others.size > 0) others = new Map()
    },
  }
}
