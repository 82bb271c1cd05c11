import type { FunctionCall, ParseOutcome } from '@callspec/core/qwen-agent'

import type { Language } from '../language.ts'
import type { Law, Violation } from '../law.ts'
import type { Question } from '../question.ts'
import { same } from '../same.ts'
import type { Sample } from '../sample.ts'
import type { About } from '../subject.ts'
import { callsIn, issuesIn, outcomeOf, proseIn, sameCalls } from './reading.ts'
import { wellFormedCalls } from './planned.ts'

const INVENTED = ' made-up result'

/** What a model writes behind a stop word is its own invention. */
export const stopResidue: Law = {
  id: 'stop-residue',
  statement:
    'With stop words a text is read as the part before the first of them, without a partial one at its end, and what stands behind is told.',
  guards: [25, 26],
  cost: 'linear',
  needs: 'text',
  applies: ({ language, answers }) => answers.has('stop') && language.stopWords.length > 0,
  ask: (sample, { language }) => {
    const kept = keptOf(sample.text, language)
    const questions: Question[] = [
      { op: 'stop', text: sample.text },
      { op: 'parse', text: kept },
    ]
    const invented = withInvention(sample, language)
    if (invented === null) return questions
    // Whoever knows the stop words of a format may see without being told that the reply should have ended there.
    return [...questions, { op: 'stop', text: invented }, { op: 'parse', text: invented }]
  },
  judge: (sample, [stopped, before, ...invented], subject) => {
    const { language, reportsIssues } = subject
    const { text } = sample
    const expected = keptOf(text, language)
    const kept = stopped?.op === 'stop' ? stopped.kept : null
    if (kept !== expected) return { breach: 'kept-differs', chunks: [text], expected, got: kept }
    const outcome = outcomeOf(stopped)
    const plain = outcomeOf(before)
    if (!sameReading(outcome, plain)) return { breach: 'read-differs', chunks: [text], expected: plain, got: outcome }
    if (reportsIssues && kept.length < text.length && !tells(outcome, kept.length)) {
      return { breach: 'cut-not-told', chunks: [text], expected: `an issue from ${kept.length} on`, got: outcome }
    }
    return fabricated(sample, invented.map(outcomeOf), subject)
  },
}

/** The reference's rule: words in their order, each on what the last one left; then the last partial one that fits. */
function keptOf(text: string, { stopWords, partialStopWords }: Language): string {
  let kept = text
  for (const word of stopWords) {
    const at = kept.indexOf(word)
    if (at >= 0) kept = kept.slice(0, at)
  }
  const partial = partialStopWords.findLast((end) => kept.endsWith(end)) ?? ''
  return kept.slice(0, kept.length - partial.length)
}

/** A well-formed reply with a call, then a stop word and a result that nobody gave. */
function withInvention(sample: Sample, language: Language): string | null {
  if (wellFormedCalls(sample, language) === null) return null
  const word = language.stopWords[sample.cuts.length % language.stopWords.length] ?? ''
  return `${sample.text}\n${word}${INVENTED}`
}

function fabricated(sample: Sample, outcomes: readonly ParseOutcome[], subject: About): Violation | null {
  const { language } = subject
  const planned = wellFormedCalls(sample, language) ?? []
  const expected = planned.map(({ name, arguments: text }): FunctionCall => ({ name, arguments: text }))
  for (const outcome of outcomes) {
    if (outcome.kind === 'rejected') continue
    if (sameCalls(callsIn(outcome), expected, subject) && !proseIn(outcome).includes(INVENTED.trim())) continue
    return { breach: 'result-invented', chunks: [withInvention(sample, language) ?? ''], expected, got: outcome }
  }
  return null
}

/** Issues differ in their places and in those about the cut. */
function sameReading(a: ParseOutcome, b: ParseOutcome): boolean {
  if (a.kind === 'rejected' || b.kind === 'rejected') return a.kind === b.kind
  return same(a.messages, b.messages)
}

function tells(outcome: ParseOutcome, from: number): boolean {
  return outcome.kind === 'rejected' || issuesIn(outcome).some(({ end, start }) => start >= from || end > from)
}
