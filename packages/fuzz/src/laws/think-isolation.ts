import type { FunctionCall } from '@callspec/core/qwen-agent'

import type { Law } from '../law.ts'
import type { Question } from '../question.ts'
import { same } from '../same.ts'
import type { Plan, Sample } from '../sample.ts'
import type { About } from '../subject.ts'
import { spellProse } from '../language.ts'
import { callsIn, contentIn, outcomeOf } from './reading.ts'

const DRAFTED = 'I could write '

/**
 * A draft is not a call. The draft is the reply itself, so that whatever the parser finds in it stands in the thought too.
 */
export const thinkIsolation: Law = {
  id: 'think-isolation',
  statement:
    'A call inside a thought is none, opened by a tag or only closed by one, and a call behind the thought is one; no thought is prose where thoughts are told apart.',
  guards: [8],
  cost: 'linear',
  needs: 'plan',
  applies: ({ language }) => language.thought !== null,
  ask: (sample, subject) => texts(sample, subject),
  judge: (sample, answers, subject) => {
    const outcomes = answers.map(outcomeOf)
    const [bare, ...thought] = outcomes.map(callsIn)
    for (const [index, got] of thought.entries()) {
      const expected: readonly FunctionCall[] = index === 0 ? [] : (bare ?? [])
      if (same(got, expected)) continue
      const breach = index === 0 ? 'draft-is-a-call' : 'call-behind-thought-differs'
      return { breach, chunks: [texts(sample, subject)[index + 1]?.text ?? ''], expected, got }
    }
    if (subject.language.thought?.isApart !== true || !subject.reportsIssues) return null
    const shown = outcomes.findIndex((outcome) => contentIn(outcome).includes(DRAFTED))
    if (shown < 0) return null
    const chunks = [texts(sample, subject)[shown]?.text ?? '']
    return { breach: 'thought-is-prose', chunks, expected: 'reasoning', got: outcomes[shown] }
  },
}

/**
 * The reply alone, as a draft alone, and behind itself as a draft: once, behind prose, twice, and without the opening tag.
 */
function texts({ text, plan }: Sample, { language }: About): readonly ThoughtQuestion[] {
  const { thought } = language
  if (thought === null || plan === null || !isPlain(plan)) return []
  const draft = `${DRAFTED}${text}${thought.end}`
  const whole = thought.start + draft
  const asked = { op: 'parse', thoughtInContent: !thought.isDetected } as const
  return [
    { op: 'parse', text },
    { ...asked, text: whole },
    { ...asked, text: `${whole}\n${text}` },
    { ...asked, text: `${spellProse(language, 'Hm. ', false)}${whole}\n${text}` },
    { ...asked, text: `${whole}\n${whole}\n${text}` },
    { op: 'parse', thoughtInContent: true, text: `${draft}\n${text}` },
  ]
}

type ThoughtQuestion = Extract<Question, { op: 'parse' }>

/** Calls that are well-formed, and no thought yet: a tag inside a value would end the thought. */
function isPlain({ parts }: Plan): boolean {
  return parts.every((part) => part.kind === 'prose' || (part.kind === 'call' && part.fault === null))
}
