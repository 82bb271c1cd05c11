import { goOnAsText } from './body.ts'
import { noteCall, shortText } from './calls.ts'
import { finishState } from './leave.ts'
import { dropRead, enter } from './reading.ts'
import type { Reading } from './reading.ts'

/**
 * A value that the reply never closes ends where the end of its call stands in it: the tags of a call are text in a value only while
 * the value goes on.
 *
 *   > <parameter=city>\nOslo\n</function>\n</tool_call>
 *                              ^                          the value ends here, and the call is read on
 */
export function closeAtGap(reading: Reading): true {
  const { call, gap, state } = reading
  const [, exit] = [...state.transitions].find(([, { meaning }]) => meaning === 'marker') ?? []
  if (gap === null || exit === undefined) return true
  const [closer = ''] = state.markers
  dropRead(reading)
  const { gathered, base, text } = reading
  const length = gathered.length - (base - gap)
  reading.gathered = gathered.slice(0, length)
  reading.text = gathered.slice(length) + text
  reading.base = gap
  reading.hasGaps = true
  const key = call?.key ?? ''
  finishState(reading)
  if (call !== null) noteCall(reading, call, 'value-not-closed', `Missing: ${closer} after ${shortText(key)}.`)
  enter(reading, exit.to)
  return true
}

/** The same where the reply ends, in a snapshot from where those before it have come to. */
export function goOnAtGap(reading: Reading): true {
  const { asText } = reading
  return asText === null ? closeAtGap(reading) : goOnAsText(reading, asText)
}
