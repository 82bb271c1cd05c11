import type { Language } from '../language.ts'
import type { Law } from '../law.ts'
import { callsIn, outcomeOf, proseIn } from './reading.ts'

/** Where a call was read, the reader was told of its markers and must not find more of them in the prose. */
export const noMarkerLeak: Law = {
  id: 'no-marker-leak',
  statement: 'Where a call was read, no marker of calls stands in the prose outside of thoughts.',
  guards: [7],
  cost: 'linear',
  needs: 'text',
  applies: () => true,
  ask: ({ text }) => [{ op: 'parse', text }],
  judge: ({ text }, [answer], { language }) => {
    const outcome = outcomeOf(answer)
    if (callsIn(outcome).length === 0) return null
    const prose = withoutThought(proseIn(outcome), language)
    for (const marker of [...language.callStart, ...language.callInner, ...language.callEnd]) {
      if (!prose.includes(marker)) continue
      return {
        breach: `leaked ${marker.trim()}`,
        chunks: [text],
        expected: `no ${marker.trim()} in the prose`,
        got: prose,
      }
    }
    return null
  },
}

function withoutThought(prose: string, { thought }: Language): string {
  // A parser that has to be told of a thought was not told here, so it has taken the tags for prose.
  const end = thought?.isDetected === true ? prose.lastIndexOf(thought.end) : -1
  return end < 0 ? prose : prose.slice(end)
}
