import { fromPlain, isDict, loads } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'
import { callProbe, PLAIN_PROBES, probesIn, toolsProbe, USUAL, variablesOf } from '@callspec/template/lint'
import type { Probe } from '@callspec/template/lint'

/** One conversation that both sides are shown. */
export interface DiffProbe {
  readonly id: string
  readonly variables: PyDict
  /** What the clock shows, where the conversation wants another time than all others. */
  readonly now: Date | null
}

/** The conversations of the lint in the form that most templates take, and one whose numbers plain data cannot hold. */
export function diffProbes(): readonly DiffProbe[] {
  const probes = [...PLAIN_PROBES, toolsProbe(USUAL), callProbe(USUAL), ...probesIn(USUAL)]
  return [...probes.map(asDiffProbe), { id: 'numbers', variables: numbers(), now: null }]
}

function asDiffProbe(probe: Probe): DiffProbe {
  return { id: probe.id, variables: asDict(fromPlain(variablesOf(probe))), now: probe.now ?? null }
}

function asDict(value: PyValue): PyDict {
  return isDict(value) ? value : new Map()
}

const NUMBERS = `{"messages": [{"role": "user", "content": "Count."}, {"role": "assistant", "content": "", "tool_calls": [
  {"id": "countA001", "type": "function", "function": {"name": "count", "arguments": {"i": 1, "f": 1.0, "e": 1e5,
    "big": 9223372036854775808, "zero": -0.0, "list": [1.0, true, null]}}}]},
  {"role": "tool", "tool_call_id": "countA001", "name": "count", "content": "Done."}],
  "tools": [{"type": "function", "function": {"name": "count", "description": "Counts.", "parameters": {"type": "object",
    "properties": {"f": {"type": "number", "description": "How far.", "maximum": 1e5}}, "required": []}}}],
  "add_generation_prompt": true}`

function numbers(): PyDict {
  return asDict(loads(NUMBERS))
}
