import type { Span } from '../span.ts'
import { ARGS_COLON, FLOWER, FUNCTION_COLON, STOP_WORDS } from './tokens.ts'

/** A call as its markers delimit it; nothing is stripped yet. */
export interface ScannedCall {
  readonly start: number
  readonly end: number
  readonly name: Span
  /** Null for a call without an ARGS marker. */
  readonly arguments: Span | null
  /** Whether the arguments follow other arguments of the same FUNCTION marker. */
  readonly isFurther: boolean
}

export interface Scan {
  /** The first stop word, or null. */
  readonly stopWord: Span | null
  /** Where the first call begins; the length of the text where there is none. */
  readonly callsStart: number
  readonly calls: readonly ScannedCall[]
  /** FUNCTION markers with nothing at all behind them; the reference ignores them. */
  readonly empty: readonly Span[]
}

interface Positions {
  readonly stopWord: Span | null
  readonly functions: readonly number[]
  readonly args: readonly number[]
}

/**
 * Finds all markers of a text in one pass over its flowers.
 *
 * Equal to splitting at FUNCTION markers and each piece at ARGS markers, as the reference does: both end in a colon and
 * begin with a flower, so they cannot overlap.
 */
export function scanCalls(text: string): Scan {
  const { stopWord, functions, args } = findMarkers(text)
  const calls: ScannedCall[] = []
  const empty: Span[] = []
  let next = 0
  functions.forEach((start, index) => {
    const end = functions[index + 1] ?? text.length
    const nameStart = start + FUNCTION_COLON.length
    if (nameStart === end) empty.push({ start, end })
    // ARGS markers before the first FUNCTION marker are text.
    while ((args[next] ?? end) < start) next++
    let argsStart = args[next] ?? end
    if (nameStart < end && argsStart >= end) calls.push(withoutArguments(start, end))
    const name = { start: nameStart, end: Math.min(argsStart, end) }
    for (let isFurther = false; argsStart < end; isFurther = true) {
      next++
      const after = Math.min(args[next] ?? end, end)
      calls.push({
        start: isFurther ? argsStart : start,
        end: after,
        name,
        arguments: { start: argsStart + ARGS_COLON.length, end: after },
        isFurther,
      })
      argsStart = args[next] ?? end
    }
  })
  return { stopWord, callsStart: functions[0] ?? text.length, calls, empty }
}

function withoutArguments(start: number, end: number): ScannedCall {
  return { start, end, name: { start: start + FUNCTION_COLON.length, end }, arguments: null, isFurther: false }
}

function findMarkers(text: string): Positions {
  const functions: number[] = []
  const args: number[] = []
  let at = text.indexOf(FLOWER)
  while (at >= 0) {
    let next = at + 1
    if (text.startsWith(FUNCTION_COLON, at)) {
      functions.push(at)
      next = at + FUNCTION_COLON.length
    } else if (text.startsWith(ARGS_COLON, at)) {
      args.push(at)
      next = at + ARGS_COLON.length
    } else {
      const from = at
      const word = STOP_WORDS.find((stop) => text.startsWith(stop, from))
      if (word !== undefined) return { stopWord: { start: at, end: at + word.length }, functions, args }
    }
    at = text.indexOf(FLOWER, next)
  }
  return { stopWord: null, functions, args }
}
