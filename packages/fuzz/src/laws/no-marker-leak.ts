import type { ParseOutcome } from '@callspec/core/qwen-agent'
import type { Language } from '../language.ts'
import type { Law } from '../law.ts'
import { callsIn, contentIn, issuesIn, outcomeOf } from './reading.ts'

/** Where a call was read, the reader was told of its markers and must not find more of them in the prose. */
export const noMarkerLeak: Law = {
  id: 'no-marker-leak',
  statement:
    'Where a call was read, no marker of calls stands in the prose outside of thoughts, unless an issue says where.',
  guards: [7],
  cost: 'linear',
  needs: 'text',
  applies: () => true,
  ask: ({ text }) => [{ op: 'parse', text }],
  judge: ({ text }, [answer], { language }) => {
    const outcome = outcomeOf(answer)
    if (callsIn(outcome).length === 0) return null
    // What two texts only spell together stands in none of them.
    const prose = withoutThought(contentIn(outcome, '\0'), language)
    for (const marker of [...language.callStart, ...language.callInner, ...language.callEnd]) {
      if (!prose.includes(marker) || !isInOne(outcome, marker) || isTold(text, marker, outcome)) continue
      return {
        breach: `leaked ${marker.trim()}`,
        chunks: [text],
        expected: `no ${marker.trim()} in the prose`,
        got: withoutThought(contentIn(outcome), language),
      }
    }
    return null
  },
}

/** Whether a message says the marker by itself: two texts with something dropped between them may spell one. */
function isInOne(outcome: ParseOutcome, marker: string): boolean {
  return outcome.kind === 'parsed' && outcome.messages.some(({ content }) => content.includes(marker))
}

/** Whether an issue stands at a place of the marker. */
function isTold(text: string, marker: string, outcome: ParseOutcome): boolean {
  return issuesIn(outcome).some(({ start, end }) => end - start === marker.length && text.startsWith(marker, start))
}

function withoutThought(prose: string, { thought }: Language): string {
  // A parser that has to be told of a thought was not told here, so it has taken the tags for prose.
  const end = thought?.isDetected === true ? prose.lastIndexOf(thought.end) : -1
  return end < 0 ? prose : prose.slice(end)
}
