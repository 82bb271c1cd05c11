import { askOnce, unlessEnded } from './ask-once.ts'
import { kindOf } from './distribution.ts'
import type { TextKind } from './distribution.ts'
import { isKnown } from './known-causes.ts'
import type { KnownCause } from './known-causes.ts'
import type { Law, Violation } from './law.ts'
import type { Question } from './question.ts'
import { rememberAnswers } from './remember-answers.ts'
import { judgeAnswers, runLaw, runLawAsync } from './run-law.ts'
import type { Sample } from './sample.ts'
import type { SearchOptions } from './search-options.ts'
import type { About, RemoteSubject, Subject } from './subject.ts'

/** Asks a parser about samples, in this process or elsewhere. */
export interface Examiner {
  readonly subject: About
  /** Whether asking takes a request to a program. */
  readonly isRemote: boolean
  readonly isOver: () => boolean
  /** Looks at a batch; null where the search was ended meanwhile. */
  look(batch: Batch): Promise<Look | null>
  /** Checks one law on one sample; null where it holds, or the search was ended. */
  check(law: Law, sample: Sample): Violation | null | Promise<Violation | null>
}

/** Samples, and the laws to check on them. */
export interface Batch {
  /** All laws in their order: those that are searched, and those that watch for reported causes. */
  readonly laws: readonly Law[]
  /** Those that are searched. A law that is broken is removed. */
  readonly left: Set<Law>
  /** Reported causes; what is found here is added. */
  readonly known: KnownCause[]
  readonly batch: readonly Sample[]
  /** Counts the texts by kind. */
  readonly kinds: Record<TextKind, number>
  /** No more broken laws are reported. */
  readonly most: number
}

/** What a batch showed. */
export interface Look {
  readonly texts: number
  readonly broken: readonly Broken[]
}

/** A law, and the first sample of the batch that broke it. */
interface Broken {
  readonly law: Law
  readonly index: number
  readonly violation: Violation
}

/** How to ask a parser. */
export function examinerOf(subject: Subject | RemoteSubject, options: SearchOptions): Examiner {
  return 'answer' in subject ? examinerHere(subject, options) : examinerElsewhere(subject, options)
}

/** Law by law: what a broken law makes unnecessary is not asked. */
function examinerHere(subject: Subject, { isOver = never, isDue = never, signal }: SearchOptions): Examiner {
  const memory = rememberAnswers(subject)
  const isEnded = (): boolean => isOver() || signal?.aborted === true
  const check = (law: Law, sample: Sample): Violation | null => {
    memory.forget()
    return withoutStacks(() => runLaw(law, memory.subject, sample))
  }
  const firstBroken = ({ laws, left, known }: Batch, sample: Sample, index: number): Broken | null => {
    for (const law of laws) {
      if (isEnded()) return null
      const violation = runLaw(law, memory.subject, sample)
      if (violation === null) continue
      if (isKnown(known, law.id, violation)) return null
      if (left.has(law)) return { law, index, violation }
    }
    return null
  }
  // Up to the first broken law: it is reported before the next text is looked at.
  const lookAt = (given: Batch): Look => {
    let texts = 0
    for (const [index, sample] of given.batch.entries()) {
      if (texts > 0 && (isEnded() || isDue())) break
      texts += 1
      memory.forget()
      const answer = memory.subject.answer({ op: 'parse', text: sample.text })
      if (answer.op === 'parse') given.kinds[kindOf(sample.text, answer.outcome, subject.language)]++
      const found = firstBroken(given, sample, index)
      if (found === null) continue
      given.left.delete(found.law)
      given.known.push({ law: found.law.id, breach: found.violation.breach })
      return { texts, broken: [found] }
    }
    return { texts, broken: [] }
  }
  // A law that throws is a mistake of ours. It runs once more, for the stack.
  const look = (given: Batch): Look => {
    try {
      return withoutStacks(() => lookAt(given))
    } catch (error) {
      lookAt(given)
      throw error
    }
  }
  return {
    ...{ subject, isRemote: false, isOver: isEnded, check },
    // In the promise, so that what a law throws rejects it.
    look: async (given) => look(given),
  }
}

/** All questions of a batch in one request. */
function examinerElsewhere(given: RemoteSubject, { signal }: SearchOptions): Examiner {
  const subject = askOnce(given, signal)
  return {
    ...{ subject, isRemote: true, isOver: () => signal?.aborted === true },
    check: (law, sample) => unlessEnded(runLawAsync(law, subject, sample)),
    look: (batch) => unlessEnded(lookElsewhere(subject, batch)),
  }
}

async function lookElsewhere(subject: RemoteSubject, { laws, left, known, batch, kinds, most }: Batch): Promise<Look> {
  const requests = batch.map((sample) => ({ sample, perLaw: laws.map((law) => law.ask(sample, subject)) }))
  const questions = requests.flatMap(({ sample, perLaw }): Question[] => [
    { op: 'parse', text: sample.text },
    ...perLaw.flat(),
  ])
  const answers = await subject.answerAll(questions)
  const broken: Broken[] = []
  let at = 0
  for (const [index, { sample, perLaw }] of requests.entries()) {
    const parsed = answers[at]
    at += 1
    if (parsed?.op === 'parse') kinds[kindOf(sample.text, parsed.outcome, subject.language)]++
    let isExplained = false
    for (const [place, asking] of perLaw.entries()) {
      const given = answers.slice(at, at + asking.length)
      at += asking.length
      const law = laws[place]
      if (law === undefined || asking.length === 0 || isExplained || broken.length >= most) continue
      const violation = judgeAnswers(law, { subject, sample, questions: asking, answers: given })
      if (violation === null) continue
      if (isKnown(known, law.id, violation)) isExplained = true
      if (isExplained || !left.delete(law)) continue
      isExplained = true
      broken.push({ law, index, violation })
      known.push({ law: law.id, breach: violation.breach })
    }
  }
  return { texts: batch.length, broken }
}

function never(): boolean {
  return false
}

/**
 * Runs `work` while errors are made without stacks, and restores them. A parser that raises on broken JSON makes an
 * error for every other text of a search, and V8 takes longer to write the stack than the parser to read the text.
 *
 * Does nothing where the engine has no such switch, or where `Error` is frozen.
 */
export function withoutStacks<T>(work: () => T): T {
  const limit: unknown = Reflect.get(Error, SWITCH)
  if (typeof limit !== 'number' || !Reflect.set(Error, SWITCH, 0)) return work()
  try {
    return work()
  } finally {
    Reflect.set(Error, SWITCH, limit)
  }
}

const SWITCH = 'stackTraceLimit'
