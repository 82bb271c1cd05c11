import { formatNamed } from '@callspec/core'
import type { Format, ReplyItem } from '@callspec/core'
import { createStreamWatch, identifiedFrom, leftCallIn } from '@callspec/eval/reply-parts'
import type { StreamLaw } from '@callspec/eval/reply-parts'
import { shrinkSample } from '@callspec/fuzz'
import type { TrafficExample, TrafficReport } from './check-traffic.ts'

/** A file that keeps what was found. */
export interface MadeCase {
  /** Its name, without a folder. */
  readonly file: string
  readonly text: string
}

/**
 * Makes a case of the first example of every finding that can be told again without the server: a call that was left in a text
 * becomes a question to a parser of its format, a broken stream a log of as few events as break the same law.
 */
export function makeCases({ checks }: TrafficReport): readonly MadeCase[] {
  return checks.flatMap(({ check, examples }) => {
    if (check === 'call-in-text' || check === 'call-in-thought') return callCases(check, examples)
    const [example] = examples
    const events = example === undefined ? null : shrunkStream(example.events, check)
    return events === null ? [] : [{ file: `${check}.sse`, text: logOf(events) }]
  })
}

/** One for each format, whose own reader says what stands there. */
function callCases(check: string, examples: readonly TrafficExample[]): readonly MadeCase[] {
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

/** As few events as break a law again; null for what is no law of streams. */
function shrunkStream(events: readonly unknown[], check: string): readonly unknown[] | null {
  const breaks = (some: readonly unknown[]): boolean => {
    const watch = createStreamWatch()
    for (const event of some) watch.add(event)
    return watch.end().some(({ law }) => law === (check as StreamLaw))
  }
  if (!breaks(events)) return null
  let [smallest, tries] = [events, 0]
  for (let size = events.length >> 1; size >= 1; size >>= 1) {
    for (let at = 0; at < smallest.length && tries < MOST_TRIES;) {
      tries += 1
      const fewer = smallest.toSpliced(at, size)
      if (fewer.length > 0 && breaks(fewer)) smallest = fewer
      else at += size
    }
  }
  return smallest
}

/** Each costs a look at all events. */
const MOST_TRIES = 1000

function logOf(events: readonly unknown[]): string {
  const lines = events.map((event) => `data: ${event === undefined ? '{' : JSON.stringify(event)}\n\n`)
  return `${lines.join('')}data: [DONE]\n`
}
