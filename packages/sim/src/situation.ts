import { simFormats, SPOKEN_PROTOCOLS } from './protocol.ts'
import type { SimProtocol } from './protocol.ts'
import type { Reference } from './reference.ts'
import type { PromptReading, Part, Prompt } from './speak/speaker.ts'
import { speakerOf } from './speak/speakers.ts'

/** What a caller says about its request, beside the messages. */
export interface Hints {
  /** The task, from the header `x-sim-task` or `metadata.task`. */
  readonly task: string | null
  /** How many results the messages hold, from `x-sim-step` or `metadata.step`. */
  readonly step: number | null
}

/** Where in which task a conversation stands. Found in the request alone: the server remembers nothing. */
export interface Situation {
  readonly protocol: SimProtocol
  readonly reference: Reference
  /** What the host answered to the calls so far, in order. */
  readonly results: readonly string[]
  /** What the reply is asked for. */
  readonly part: Part
}

/**
 * Finds the situation of a request; null when it holds no known prompt or no known task.
 *
 * @param expected the formats in which prompts are expected: of several that begin alike, one of these is meant
 */
export function createReader(
  references: readonly Reference[],
  expected: readonly SimProtocol[] = [],
): (prompt: Prompt, hints: Hints) => Situation | null {
  const find = createFinder(references)
  return (prompt, { task, step }) => {
    const found = readPrompt(prompt, expected)
    if (found === null) return null
    const { protocol, reading } = found
    const reference =
      task === null
        ? find(reading.conversation, speakerOf(protocol).afterQuestion)
        : references.find((candidate) => candidate.task === task)
    if (reference === undefined) return null
    const results = reading.results(reference)
    return { protocol, reference, results: step === null ? results : exactly(results, step), part: reading.part }
  }
}

interface Spoken {
  readonly protocol: SimProtocol
  readonly reading: PromptReading
}

function readPrompt(prompt: Prompt, expected: readonly SimProtocol[]): Spoken | null {
  return (prompt.raw === undefined ? null : readFormatPrompt(prompt, expected)) ?? readSpokenPrompt(prompt)
}

function readSpokenPrompt(prompt: Prompt): Spoken | null {
  for (const protocol of SPOKEN_PROTOCOLS) {
    const reading = speakerOf(protocol).read(prompt)
    if (reading !== null) return { protocol, reading }
  }
  return null
}

/**
 * The format of a raw prompt: of those that write its beginning alike an expected one, else the first, so that a conversation
 * stays one protocol's.
 * Its results are read by the one of them that knows most of what stands round them.
 */
function readFormatPrompt(prompt: Prompt, expected: readonly SimProtocol[]): Spoken | null {
  const all = simFormats().flatMap(({ id }) => {
    const reading = speakerOf(id).read(prompt)
    return reading?.known === undefined ? [] : [{ protocol: id, reading, known: reading.known }]
  })
  const most = Math.max(...all.map(({ known }) => known.prompt))
  const alike = all.filter(({ known }) => known.prompt === most)
  const meant = alike.find(({ protocol }) => expected.includes(protocol))
  const first = meant ?? alike[0]
  if (first === undefined) return null
  const byResults = alike.toSorted((one, other) => other.known.result - one.known.result)
  const ordered = meant === undefined ? byResults : [meant, ...byResults]
  const results: PromptReading['results'] = (reference) =>
    ordered.map(({ reading }) => reading.results(reference)).find((found) => found.length > 0) ?? []
  return { protocol: first.protocol, reading: { ...first.reading, results } }
}

/** A caller that counts knows better than the marks in a text. */
function exactly(results: readonly string[], count: number): readonly string[] {
  return Array.from({ length: count }, (_, at) => results[at] ?? '')
}

/** Finds the task whose question begins a conversation; of several the longest. Suites may have thousands. */
function createFinder(
  references: readonly Reference[],
): (conversation: string, afterQuestion: string) => Reference | undefined {
  const shortest = Math.min(INDEXED, ...references.map(({ query }) => query.length))
  const byStart = new Map<string, Reference[]>()
  for (const reference of references.toSorted((left, right) => right.query.length - left.query.length)) {
    const start = reference.query.slice(0, shortest)
    const bucket = byStart.get(start)
    if (bucket === undefined) byStart.set(start, [reference])
    else bucket.push(reference)
  }
  return (conversation, afterQuestion) =>
    byStart.get(conversation.slice(0, shortest))?.find(({ query }) => asks(conversation, query, afterQuestion))
}

const INDEXED = 64

function asks(conversation: string, query: string, afterQuestion: string): boolean {
  if (!conversation.startsWith(query)) return false
  return conversation.length === query.length || conversation.startsWith(afterQuestion, query.length)
}
