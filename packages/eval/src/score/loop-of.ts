import type { CallLine } from '../trace/trace.ts'
import { readArguments } from '../world/call-tool.ts'
import { callKey } from './verdict.ts'
import type { MadeCall } from './verdict.ts'

/** A recorded call with its arguments as data; as text where they cannot be read. */
export function madeCall(line: CallLine): MadeCall {
  const known = made.get(line)
  if (known !== undefined) return known
  const read = readArguments(line.arguments)
  const call = { name: line.name, args: read.kind === 'read' ? read.value : line.arguments, result: line.result }
  made.set(line, call)
  return call
}

/** Read once: the runner looks for a loop after every call, and the scorer once more. */
const made = new WeakMap<CallLine, MadeCall>()

/** How many erroring calls in a row, not all the same, make a spiral. */
const SPIRAL = 4
const LONGEST_PERIOD = 3
const CYCLES = 3

/** How calls go on for ever; null for not. */
export type Loop = 'repeat_loop' | 'tool_error_spiral' | null

/**
 * Looks at calls one by one, and says of each whether those so far show a loop that does not end by itself. Scorer and runner
 * ask the same function, the one to name the end of an episode, the other to stop paying for it.
 *
 * - `repeat_loop`: the same call with the same result more often than allowed, or a cycle of at most 3 calls three times
 * - `tool_error_spiral`: four erroring calls in a row that are not all the same
 */
export function createLoopWatch(maxIdentical: number): (call: CallLine) => Loop {
  const keys: string[] = []
  let errors = 0
  return (call) => {
    const end = keys.push(callKey(madeCall(call)))
    errors = call.isError ? errors + 1 : 0
    if (repeats(keys, { end, period: 1, times: maxIdentical + 1 })) return 'repeat_loop'
    for (let period = 2; period <= LONGEST_PERIOD; period += 1) {
      const isOneCall = keys.slice(Math.max(0, end - period)).every((key) => key === keys[end - 1])
      if (!isOneCall && repeats(keys, { end, period, times: CYCLES })) return 'repeat_loop'
    }
    return errors >= SPIRAL && new Set(keys.slice(end - SPIRAL)).size > 1 ? 'tool_error_spiral' : null
  }
}

/** What the first of the calls shows that shows a loop. */
export function loopOf(calls: readonly CallLine[], maxIdentical: number): Loop {
  const watch = createLoopWatch(maxIdentical)
  for (const call of calls) {
    const loop = watch(call)
    if (loop !== null) return loop
  }
  return null
}

interface Cycle {
  readonly end: number
  readonly period: number
  readonly times: number
}

/** Whether the keys before `end` are `times` times the same `period` keys. */
function repeats(keys: readonly string[], { end, period, times }: Cycle): boolean {
  const start = end - period * times
  if (start < 0) return false
  for (let at = start; at < end - period; at += 1) if (keys[at] !== keys[at + period]) return false
  return true
}
