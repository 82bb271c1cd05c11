import { CHANGED_REPLY_CAUSES } from './changed-reply-causes.ts'
import type { EpisodeCause } from './failed-episode.ts'
import { CUT_WITHOUT_END, isAllReasoning, lacksEnd, REPLY_IN_REASONING, tailOf } from './lost-reply-causes.ts'
import { WAY_CAUSES } from './way-causes.ts'

/** What happened on the way to an episode whose turns can all be used: each is a cause of turns as well. */
export const WAY_EPISODE_CAUSES: readonly EpisodeCause[] = [
  ...[...CHANGED_REPLY_CAUSES, ...WAY_CAUSES].map(({ id, blames, means, restsOn, evidence }): EpisodeCause => ({
    ...{ id, blames, means },
    ...(restsOn === undefined ? {} : { restsOn }),
    evidence: ({ trace: { turns }, format, asked, rendered, lost }) => {
      for (const line of turns) {
        const found = evidence({ line, format, asked, rendered, lost })
        if (found !== null) return found
      }
      return null
    },
  })),
  {
    id: REPLY_IN_REASONING.id,
    blames: 'server',
    means: 'The answer came as reasoning, as nothing before it did, and the text is empty.',
    evidence: ({ trace: { turns }, wouldPass }) => {
      const last = turns.at(-1)
      if (last === undefined || !isAllReasoning(last) || !wouldPass(last.reasoning)) return null
      // A server that has told a thought from a reply before can do it: then the model has said nothing.
      const isApart = turns.some(
        ({ text, toolCalls, reasoning }) => reasoning !== '' && (text !== '' || toolCalls.length > 0),
      )
      return isApart ? null : `the text is empty, and the reasoning ends in ${tailOf(last.reasoning)}`
    },
  },
  {
    id: CUT_WITHOUT_END.id,
    blames: 'server',
    means: 'The answer breaks off, and neither a finish reason nor a usage says that it has come to its end.',
    evidence: ({ trace: { turns } }) => {
      const last = turns.at(-1)
      return last !== undefined &&
        lacksEnd(last) &&
        last.usage === null &&
        UNFINISHED.test(last.text.trimEnd().slice(-1))
        ? `there is no finish_reason and no usage, and the reply ends in ${tailOf(last.text)}`
        : null
    },
  },
]

/** What no sentence and no list ends in. */
const UNFINISHED = /[\p{L}\p{N},;:(-]/u
