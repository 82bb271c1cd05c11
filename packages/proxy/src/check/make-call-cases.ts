import { formatNamed } from '@callspec/core'
import type { Format, ReplyItem } from '@callspec/core'
import { identifiedFrom, leftCallIn } from '@callspec/eval/reply-parts'
import { shrinkSample } from '@callspec/fuzz'
import type { TrafficExample } from './check-traffic.ts'
import type { MadeCase } from './made-case.ts'

/** A question to parsers for each format in which calls were left; its own reader says what stands there. */
export function callCases(check: string, examples: readonly TrafficExample[]): readonly MadeCase[] {
  const made = new Map<string, MadeCase>()
  for (const { exchange, finding } of examples) {
    for (const id of finding.formats) {
      const format = formatNamed(id)
      if (format === null || made.has(id)) continue
      const text = shrunkText(finding.evidence, format)
      const items = text === null ? null : callsOnly(format, text)
      if (text === null || items === null) continue
      const value = {
        ...{ id: `recorded/${id}/${check}`, op: 'parse', format: id, profile: STRICT },
        about: `A server left this call in its reply (${exchange}, shrunk).`,
        ...{ input: { text }, expected: { items } },
      }
      made.set(id, { file: `${check}-${id}.jsonl`, text: `${JSON.stringify(value)}\n` })
    }
  }
  return [...made.values()]
}

const STRICT = 'strict'

/** The text with as few characters as still hold a call; null where the format's reader sees none in it. */
function shrunkText(text: string, format: Format): string | null {
  const holds = (smaller: string): boolean =>
    leftCallIn(smaller)?.isWhole === true &&
    identifiedFrom(smaller, 0).includes(format.id) &&
    callsOnly(format, smaller) !== null
  if (!holds(text)) return null
  return shrinkSample({ text, cuts: [], other: '', plan: null }, (sample) => holds(sample.text)).text
}

/** What the reader of a format makes of a text, if it holds calls and nothing that goes wrong. */
function callsOnly(format: Format, text: string): readonly object[] | null {
  const { items } = format.read(text, { version: STRICT })
  const hasCall = items.some((item) => item.kind === 'call' && item.name !== '')
  if (!hasCall || items.some(({ kind }) => kind === 'issue')) return null
  return items.map(plainItem)
}

function plainItem(item: ReplyItem): object {
  if (item.kind !== 'call') return { type: item.kind, ...('text' in item ? { text: item.text } : {}) }
  return { type: 'call', name: item.name, arguments: item.arguments }
}
