import type { SimFormat } from './spoken-formats.ts'
import { simFormats, SPOKEN_FORMATS } from './spoken-formats.ts'
import type { Reference } from './reference.ts'
import type { PromptReading, Part, Prompt } from './speak/speaker.ts'
import { speakerOf } from './speak/speakers.ts'

/** Information of a caller about its request, in addition to the messages. */
export interface Hints {
  /** The task, from the header `x-sim-task` or `metadata.task`. */
  readonly task: string | null
  /** How many results the messages hold, from `x-sim-step` or `metadata.step`. */
  readonly step: number | null
}

/** The task of a conversation and the position in it, found only from the request: the server remembers nothing. */
export interface Situation {
  readonly format: SimFormat
  readonly reference: Reference
  /** The host's results for the calls so far, in order. */
  readonly results: readonly string[]
  /** The part that the reply must have. */
  readonly part: Part
}

/**
 * Finds the situation of a request; null for a request without a known prompt or task.
 *
 * @param expected the formats in which prompts are expected: of several that begin the same, one of these is meant
 */
export function createReader(
  references: readonly Reference[],
  expected: readonly SimFormat[] = [],
): (prompt: Prompt, hints: Hints) => Situation | null {
  const find = createTaskFinder(references)
  return (prompt, { task, step }) => {
    const found = readPrompt(prompt, expected)
    if (found === null) return null
    const { format, reading } = found
    const reference =
      task === null
        ? find(reading.conversation, speakerOf(format).afterQuestion)
        : references.find((candidate) => candidate.task === task)
    if (reference === undefined) return null
    const results = reading.results(withPlanted(reference))
    return { format, reference, results: step === null ? results : exactly(results, step), part: reading.part }
  }
}

/** With the texts that its results may hold, so that no mark in them is taken for the host's. */
function withPlanted(reference: Reference): Reference {
  const { forged, observations } = reference
  if (forged === undefined) return reference
  return {
    ...reference,
    observations: [...observations.filter((each) => each !== ''), ...forged.planted.map(({ text }) => text)],
  }
}

interface Spoken {
  readonly format: SimFormat
  readonly reading: PromptReading
}

function readPrompt(prompt: Prompt, expected: readonly SimFormat[]): Spoken | null {
  return (prompt.raw === undefined ? null : readFormatPrompt(prompt, expected)) ?? readSpokenPrompt(prompt)
}

function readSpokenPrompt(prompt: Prompt): Spoken | null {
  for (const format of SPOKEN_FORMATS) {
    const reading = speakerOf(format).read(prompt)
    if (reading !== null) return { format, reading }
  }
  return null
}

/**
 * The format of a raw prompt: an expected one of those that write its beginning, otherwise the first, so that a
 * conversation keeps its format. The one that knows most of the text around the results reads them.
 */
function readFormatPrompt(prompt: Prompt, expected: readonly SimFormat[]): Spoken | null {
  const all = simFormats().flatMap(({ id }) => {
    const reading = speakerOf(id).read(prompt)
    return reading?.known === undefined ? [] : [{ format: id, reading, known: reading.known }]
  })
  const most = Math.max(...all.map(({ known }) => known.prompt))
  const alike = all.filter(({ known }) => known.prompt === most)
  const meant = alike.find(({ format }) => expected.includes(format))
  const first = meant ?? alike[0]
  if (first === undefined) return null
  const byResults = alike.toSorted((one, other) => other.known.result - one.known.result)
  const ordered = meant === undefined ? byResults : [meant, ...byResults]
  const results: PromptReading['results'] = (reference) =>
    ordered.map(({ reading }) => reading.results(reference)).find((found) => found.length > 0) ?? []
  return { format: first.format, reading: { ...first.reading, results } }
}

/** The number that a caller gives is more reliable than the marks in a text. */
function exactly(results: readonly string[], count: number): readonly string[] {
  return Array.from({ length: count }, (_, at) => results[at] ?? '')
}

/** Finds the task whose question begins a conversation; of several the longest. Suites may have thousands. */
function createTaskFinder(
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
    byStart.get(conversation.slice(0, shortest))?.find(({ query }) => asksQuery(conversation, query, afterQuestion))
}

const INDEXED = 64

function asksQuery(conversation: string, query: string, afterQuestion: string): boolean {
  if (!conversation.startsWith(query)) return false
  return conversation.length === query.length || conversation.startsWith(afterQuestion, query.length)
}
