import { dumps, loadsJson5 } from '@callspec/python/outcome'
import { isDict, isList, pyCompare, pySlice, strip } from '@callspec/python'
import type { PyValue } from '@callspec/python'

/** What Qwen's exam reads from a reply. */
export interface ExamReply {
  /** Between the first `Action:` and the first `Action Input:`. */
  readonly action: string
  /** Between the first `Action Input:` and the first `Observation:`, as JSON with sorted keys; empty when it is no JSON5. */
  readonly input: string
}

/**
 * Reads a reply as `evaluate_plugin.py` of QwenLM/Qwen does (metrics: tool selection and Rouge-L of inputs).
 *
 * as in the reference: a mark that is missing counts as standing at the last character, so that slices go wrong in its way.
 * A line break is put behind the reply first; it is what a missing `Observation:` cuts off.
 */
export function readExamReply(reply: string): ExamReply {
  const text = `${reply}\n`
  return {
    action: strip(between(text, 'Action:', 'Action Input:')),
    input: sortedJson(strip(between(text, 'Action Input:', 'Observation:'))),
  }
}

function between(text: string, start: string, end: string): string {
  return pySlice(text, find(text, start) + start.length, find(text, end))
}

/** Python's `find`: in code points, and -1 when there is none. */
function find(text: string, part: string): number {
  const at = text.indexOf(part)
  return at < 0 ? -1 : [...text.slice(0, at)].length
}

function sortedJson(text: string): string {
  const read = loadsJson5(text)
  if (read.kind === 'raised') return ''
  const written = dumps(sorted(read.value))
  return written.kind === 'raised' ? '' : written.value
}

/** Keys in the order of their code points, as Python sorts them. */
function sorted(value: PyValue): PyValue {
  if (isList(value)) return value.map(sorted)
  if (!isDict(value)) return value
  const entries = [...value].map(([key, member]) => [key, sorted(member)] as const)
  return new Map(entries.sort(([one], [other]) => pyCompare(one, other)))
}
