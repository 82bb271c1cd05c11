import type { Language } from '../language.ts'
import type { Law, Violation } from '../law.ts'
import type { Plan, Sample } from '../sample.ts'
import { findUnexplained, withoutSpace } from './account.ts'
import { outcomeOf, proseIn } from './reading.ts'
import type { ParseOutcome } from '@callspec/core/qwen-agent'

/** What a reader does not find in the messages is told, with its place. */
export const contentConservation: Law = {
  id: 'content-conservation',
  statement:
    'Every character is in a message, part of a marker, white space at the edge of a segment, or in the range of an issue.',
  guards: [9, 29],
  cost: 'linear',
  needs: 'text',
  applies: () => true,
  ask: ({ text, plan }, { reportsIssues }) =>
    reportsIssues || (plan !== null && isWellFormed(plan)) ? [{ op: 'parse', text }] : [],
  judge: (sample, [answer], { language, reportsIssues }) => {
    const outcome = outcomeOf(answer)
    return reportsIssues ? accounted(sample, outcome, language) : keptProse(sample, outcome, language)
  },
}

function accounted({ text }: Sample, outcome: ParseOutcome, language: Language): Violation | null {
  const lost = findUnexplained(text, outcome, language)
  if (lost === null) return null
  const expected = 'every character in a message, a marker or an issue'
  return { breach: 'text-lost', chunks: [text], expected, got: { lostAt: lost.at, lost: text.slice(lost.at), outcome } }
}

/** Without issues nothing can be told, so only prose of well-formed replies is asked for. */
function keptProse({ text, plan }: Sample, outcome: ParseOutcome, { thought }: Language): Violation | null {
  const got = withoutSpace(proseIn(outcome))
  let from = 0
  for (const part of plan?.parts ?? []) {
    if (part.kind === 'call') continue
    const written = thought === null ? part.text : part.text.replace(thought.start, '').replace(thought.end, '')
    const solid = withoutSpace(written)
    const at = got.indexOf(solid, from)
    if (at < 0) return { breach: 'prose-lost', chunks: [text], expected: part.text, got: outcome }
    from = at + solid.length
  }
  return null
}

function isWellFormed({ parts }: Plan): boolean {
  return parts.every((part) => part.kind !== 'call' || part.fault === null)
}
