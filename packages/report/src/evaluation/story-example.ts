import type { Attribution, EpisodeScore, EpisodeTrace } from '@callspec/eval'
import { causeKey } from '@callspec/eval'

/** One failed episode as an example of its cause. */
export interface CauseExample {
  /** `causeKey` of the cause. */
  readonly cause: string
  readonly model: string
  readonly protocol: string
  readonly task: string
  readonly sample: number
  readonly question: string
  /** The last replies, with the calls that a server read. */
  readonly replies: readonly string[]
  readonly detail: string | null
  readonly evidence: string
}

/** Keeps the first failed episode of each cause while episodes are read. Causes are few, and texts are cut. */
export interface StoryCollector {
  add(episode: {
    readonly trace: Pick<EpisodeTrace, 'key' | 'turns'>
    readonly score: Pick<EpisodeScore, 'attribution'>
    readonly question?: string
  }): void
  all(): readonly CauseExample[]
}

/** A collector without examples. */
export function createStoryCollector(): StoryCollector {
  const found = new Map<string, CauseExample>()
  return {
    add: ({ trace, score: { attribution }, question = '' }) => {
      if (attribution === null) return
      const cause = causeKey(attribution)
      if (!found.has(cause)) found.set(cause, exampleOf(trace, { attribution, question }))
    },
    all: () => [...found.values()],
  }
}

/** The answer, and the reply before it. */
const SHOWN_REPLIES = 2
/** The episode has the whole text. */
const LONGEST_SHOWN = 800

function exampleOf(
  { key, turns }: Pick<EpisodeTrace, 'key' | 'turns'>,
  { attribution, question }: { readonly attribution: Attribution; readonly question: string },
): CauseExample {
  const { model, protocol, task, sample } = key
  const replies = turns.slice(-SHOWN_REPLIES).map(({ text, toolCalls, failure }) => {
    const calls = toolCalls.map(({ name, arguments: args }) => `${name}(${args})`)
    return shortened([failure === null ? text : failure.message, ...calls].filter((each) => each !== '').join('\n'))
  })
  return {
    ...{ cause: causeKey(attribution), model, protocol, task, sample, replies },
    question: shortened(question),
    detail: attribution.detail,
    evidence: shortened(attribution.evidence),
  }
}

function shortened(text: string): string {
  return text.length <= LONGEST_SHOWN ? text : `${text.slice(0, LONGEST_SHOWN)}… [${text.length}]`
}
