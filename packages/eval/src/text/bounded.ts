import { createContext, Script } from 'node:vm'

/** The longest time that one expression, schema or function of a stranger may take on one text, in milliseconds; sound ones take less than 1. */
const LONGEST = 1000
/** What is left to one that ran out of time again and again: 1,000 calls of one reply then take seconds. */
const SHORTEST = 10

const SCRIPT = new Script('work()')
const room: { work: () => void } = { work: () => undefined }
createContext(room)
const limits = new Map<object | string, number>()

/**
 * What a function returns; null where it throws, or takes longer than a second. A regular expression can take for ever, and V8
 * ends it only at such a deadline. Each time that it is reached halves the next one of the same owner.
 */
export function bounded<Value>(owner: object | string, work: () => Value): Value | null {
  const timeout = limits.get(owner) ?? LONGEST
  let value: Value | null = null
  room.work = () => {
    value = work()
  }
  const before = performance.now()
  try {
    SCRIPT.runInContext(room, { timeout })
    return value
  } catch {
    if (performance.now() - before >= timeout) limits.set(owner, Math.max(SHORTEST, Math.floor(timeout / 2)))
    return null
  }
}
