import type { AnyState, Grammar, StateKind, Transition } from '../grammar/grammar.ts'
import type { FormatMarkers, FormatTraits } from './format.ts'

/** States of all kinds by their names. */
type States = Readonly<Record<string, AnyState>>

export function traitsOf(grammar: Grammar): FormatTraits {
  const { hasIds } = grammar
  const states: States = grammar.states
  const all = Object.values(states)
  const kinds = new Set(all.map(({ kind }) => kind))
  const opensAfterCall = all.some((state) => state.kind !== 'calls' && closes(state) && reachesCall(state, states))
  // A body that is one object is one call.
  const isCallsAlone = !all.some((state) => state.kind === 'text' && leadsToCall(state, states))
  const hasList = all.some(({ kind, bodyStart }) => kind === 'calls' && bodyStart !== '{')
  return {
    severalCalls: opensAfterCall || hasList,
    ids:
      hasIds === true ||
      kinds.has('id') ||
      Object.entries(states).some(([name, { kind }]) => name === 'id' && kind === 'name'),
    reasoning: kinds.has('reasoning'),
    typedValues: kinds.has('value'),
    quotedCalls: {
      shown: isCallsAlone ? 'text' : 'read-with-issue',
      escaped: isEscapable(all, states) ? 'text' : 'read',
    },
    ...(isCallsAlone ? { callsAlone: true } : {}),
    ...(all.some(({ mustEndReply }) => mustEndReply === true) ? { callsLast: true } : {}),
    ...(kinds.has('calls') ? { callsInBody: true } : {}),
    ...(beginsCallsUnmarked(grammar) ? {} : { onlyMarkedCalls: true }),
    ...(all.some(({ python }) => python !== undefined) ? { identifiers: true } : {}),
  }
}

/** Whether each marker that leads from prose to a call has a sign that pages escape, or needs one behind it. */
function isEscapable(all: readonly AnyState[], states: States): boolean {
  const exits = all.filter(({ kind }) => kind === 'text').flatMap(exitsOf)
  return exits.every(({ marker, to, opens }) => {
    const target = states[to]
    const isOfCall = opens === true || (target !== undefined && OF_CALLS.has(target.kind))
    const isList = target?.kind === 'calls' && target.bodyStart === '['
    return !isOfCall || isList || /[<[]/.test(marker)
  })
}

/** Whether a part of a call can follow what is read in a state. */
function leadsToCall(from: AnyState, states: States): boolean {
  return reaches([from], states, ({ kind }) => OF_CALLS.has(kind))
}

/** Anything may follow a head. */
const OF_CALLS: ReadonlySet<StateKind> = new Set<StateKind>(['head', 'name', 'id', 'json', 'calls', 'key'])

/** Whether a reply can come to a part of a call without a marker that opens one. A single character is not a marker. */
function beginsCallsUnmarked({ states: given, start, thought = start, thinking = start }: Grammar): boolean {
  const states: States = given
  const begins = [start, thought, thinking].flatMap((name) => states[name] ?? [])
  return reaches(
    begins,
    states,
    (state) =>
      !OUTSIDE_CALLS.has(state.kind) ||
      exitsOf(state).some(({ marker, opens }) => opens === true && marker.length === 1),
    ({ opens }) => opens !== true,
  )
}

const OUTSIDE_CALLS: ReadonlySet<StateKind> = new Set<StateKind>(['text', 'reasoning', 'nothing'])

function closes(state: AnyState): boolean {
  return state.next !== undefined || exitsOf(state).some((exit) => exit.closes === true)
}

function reachesCall(from: AnyState, states: States): boolean {
  return reaches(
    [from],
    states,
    (state) => state !== from && (state.kind === 'head' || exitsOf(state).some(({ opens }) => opens === true)),
  )
}

/** Whether a state is found on the way from others, through the exits that count. */
function reaches(
  from: readonly AnyState[],
  states: States,
  isFound: (state: AnyState) => boolean,
  counts: (exit: Exit) => boolean = () => true,
): boolean {
  const seen = new Set<AnyState>()
  const waiting = [...from]
  for (let state = waiting.pop(); state !== undefined; state = waiting.pop()) {
    if (seen.has(state)) continue
    seen.add(state)
    if (isFound(state)) return true
    const targets = exitsOf(state).filter(counts)
    for (const name of [...targets.map(({ to }) => to), state.next, state.fallback])
      if (name !== undefined && states[name] !== undefined) waiting.push(states[name])
  }
  return false
}

/** A marker of a state, and what it does. */
type Exit = Exclude<Transition, string> & { readonly kind: StateKind; readonly marker: string }

function exitsOf({ kind, transitions }: AnyState): readonly Exit[] {
  return Object.entries(transitions).map(([marker, exit]) => ({
    kind,
    marker,
    ...(typeof exit === 'string' ? { to: exit } : exit),
  }))
}

export function markersOf(
  { states, stops, common = [] }: Grammar,
  { thought }: { readonly thought?: { readonly open: string; readonly close: string } },
): FormatMarkers {
  const all: readonly AnyState[] = Object.values(states)
  const exits = all.flatMap(exitsOf)
  const named = (keep: (exit: Exit) => boolean): readonly string[] => [
    ...new Set(exits.filter((exit) => exit.marker.length > 1 && keep(exit)).map(({ marker }) => marker)),
  ]
  const callStart = named(({ opens }) => opens === true)
  const endsCall = (exit: Exit): boolean => exit.closes === true || exit.interrupts === true
  const ends = named((exit) => endsCall(exit) && !callStart.includes(exit.marker))
  // One that holds another one says no more than that does.
  const callEnd = ends.filter((marker) => !holdsOneOf(marker, ends))
  const thoughts = thought === undefined ? [] : [thought.open, thought.close]
  const between = named(({ kind }) => kind === 'name' || kind === 'id' || kind === 'key' || kind === 'value')
  const inner = [...new Set([...between, ...all.flatMap(({ quote }) => quote ?? [])])]
  const known = new Set([...callStart, ...callEnd, ...thoughts])
  const pieces = inner.filter((marker) => !known.has(marker) && !common.includes(marker))
  const callInner = pieces.filter((marker) => !holdsOneOf(marker, pieces))
  const others = named(({ marker }) => !known.has(marker) && !callInner.includes(marker))
  return { callStart, callInner, callEnd, thought: thought ?? null, others: [...others, ...stops] }
}

function holdsOneOf(marker: string, markers: readonly string[]): boolean {
  return markers.some((each) => each !== marker && marker.includes(each))
}
