import { finishOf } from '../trace/finish-reason.ts'
import type { AttributionRule } from './attribution.ts'
import type { FailedTurn } from './failed-turn.ts'

/** What the settings of the evaluation did to a reply: ours to mend, before anything is said about the model. */
export const SETUP_CAUSES: readonly AttributionRule<FailedTurn>[] = [
  {
    id: 'max-tokens-too-small',
    blames: 'setup',
    means: 'Our own `--max-tokens` cut the reply off, which was not going round in circles.',
    evidence: ({ score, input: { maxTokens = null }, line, views }) => {
      if (maxTokens === null || maxTokens >= ENOUGH || score.strict !== 'truncated') return null
      // Whoever writes the same again and again would fill any limit.
      if (finishOf(line.finishReason) !== 'length' || score.flags.includes('intra_repetition')) return null
      const used = line.usage?.completion ?? maxTokens
      if (used < maxTokens) return null
      const isThinking = views.strict.visible.trim() === '' && views.strict.thought.trim() !== ''
      const least = Math.max(isThinking ? FOR_THINKING : FOR_ANSWERS, 4 * maxTokens)
      return `max_tokens is ${maxTokens}, and all of them are used up: set --max-tokens ${least}`
    },
  },
]

/** A limit from here on is room for any reply, with its thinking. */
const ENOUGH = 16_384
/** What is proposed at least: a long answer, and a long thought before it. */
const FOR_ANSWERS = 1024
const FOR_THINKING = 8192
