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
  const known = new Set(references.flatMap(({ earlier: { system } }) => (system === null ? [] : [system])))
  const hasEarlier = known.size > 0 || references.some(({ earlier }) => earlier.questions.length > 0)
  return (given, { task, step }) => {
    const { raw } = given
    const prompt =
      raw === undefined || !hasEarlier ? given : { ...given, systems: [...known].filter((text) => raw.includes(text)) }
    const found = readPrompt(prompt, expected)
    if (found === null) return null
    const { format, reading } = found
    const reference =
      task === null
        ? find(reading.conversation, speakerOf(format).afterQuestion)
        : references.find((candidate) => candidate.task === task)
    if (reference === undefined) return null
    const results = withoutEarlier(reading.results(withKnown(reference)), reference)
    return { format, reference, results: step === null ? results : exactly(results, step), part: reading.part }
  }
}

/** With the texts that its results may hold, so that no mark in them is taken for the host's. */
function withKnown(reference: Reference): Reference {
  const { forged, observations, earlier } = reference
  if (forged === undefined && earlier.results.length === 0) return reference
  const planted = forged?.planted.map(({ text }) => text) ?? []
  const known = [...observations, ...earlier.results].filter((each) => each !== '')
  return { ...reference, observations: [...known, ...planted] }
}

/**
 * The results of the episode: those after the conversation before it. These are known by their text, since some formats do not show them, and
 * some show the results of one turn as one text.
 */
function withoutEarlier(results: readonly string[], { earlier }: Reference): readonly string[] {
  let left = earlier.results.map(shownResult)
  for (const [at, result] of results.entries()) {
    const count = knownIn(shownResult(result), left)
    if (count === 0) return results.slice(at)
    left = left.slice(count)
  }
  return []
}

/** How many of the texts are in a result: it is the first one, or several of them with marks in between. */
function knownIn(result: string, [first, ...rest]: readonly string[]): number {
  if (first === undefined || !result.startsWith(first)) return 0
  if (result === first) return 1
  let at = first.length
  const missing = rest.findIndex((text) => {
    const found = result.indexOf(text, at)
    at = found + text.length
    return found < 0
  })
  const count = 1 + (missing < 0 ? rest.length : missing)
  return count > 1 ? count : 0
}

/** Some formats show results as JSON values, spelled in their own way. */
function shownResult(text: string): string {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'string' ? value : JSON.stringify(value)
  } catch {
    return text.trim()
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

/** Finds the task whose first question begins a conversation; of several the one with the most text. Suites may have thousands. */
function createTaskFinder(
  references: readonly Reference[],
): (conversation: string, afterQuestion: string) => Reference | undefined {
  const sized = references.map((reference) => {
    const questions = questionsOf(reference)
    return { reference, first: questions[0] ?? '', size: questions.join('').length }
  })
  const shortest = sized.reduce((least, { first }) => Math.min(least, first.length), INDEXED)
  const byStart = new Map<string, Reference[]>()
  for (const { reference, first } of sized.toSorted((left, right) => right.size - left.size)) {
    const start = first.slice(0, shortest)
    const bucket = byStart.get(start)
    if (bucket === undefined) byStart.set(start, [reference])
    else bucket.push(reference)
  }
  return (conversation, afterQuestion) =>
    byStart
      .get(conversation.slice(0, shortest))
      ?.find((reference) =>
        reference.earlier.questions.length > 0
          ? asksAll(conversation, reference)
          : asksQuery(conversation, reference.query, afterQuestion),
      )
}

function questionsOf({ earlier, query }: Reference): readonly string[] {
  return [...earlier.questions, query]
}

/** Whether a conversation begins with the first question of a task with earlier turns, and the others follow. */
function asksAll(conversation: string, reference: Reference): boolean {
  let at = 0
  return questionsOf(reference).every((text, index) => {
    const found = index === 0 ? (conversation.startsWith(text) ? 0 : -1) : conversation.indexOf(text, at)
    at = found + text.length
    return found >= 0
  })
}

const INDEXED = 64

function asksQuery(conversation: string, query: string, afterQuestion: string): boolean {
  if (!conversation.startsWith(query)) return false
  return conversation.length === query.length || conversation.startsWith(afterQuestion, query.length)
}
