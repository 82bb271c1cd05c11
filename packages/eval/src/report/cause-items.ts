import type { Cause } from '../summary/causes.ts'
import type { SummaryRow } from '../summary/row.ts'

/** So many causes of episodes are named, and so many of replies. */
const SHOWN_CAUSES = 4

/**
 * What went wrong in a row and whose fault it is: `12 empty (model)`, the causes of episodes, then those that hit more replies than
 * failed episodes: `the server ignored stop in 134 of 428 replies (server)`. An episode may be a success all the same.
 */
export function causeItems(row: SummaryRow): readonly string[] {
  const { causes } = row.blame
  const failed = causes.filter(({ episodes }) => episodes > 0)
  return [
    ...listed(failed, ({ rule, detail, blames, episodes }) => `${episodes} ${withDetail(rule, detail)} (${blames})`),
    ...listed(repliesHit(row), ({ rule, detail, blames, turns }) => {
      const what = IN_WORDS[rule] ?? withDetail(rule, detail)
      return `${what} in ${turns} of ${row.turns} replies (${blames})`
    }),
  ]
}

/** What a server does is said in words: somebody has to tell whoever runs it. */
const IN_WORDS: Readonly<Partial<Record<string, string>>> = {
  'stop-word-ignored': 'the server ignored stop',
  'end-mark-kept': 'the server kept the end mark',
}

/** `the server ignored stop in 134 of 428 replies (server)`; empty where it never did. */
export function ignoredStopText({ oddities, turns }: SummaryRow): string {
  const ignored = oddities['stop-word-ignored'] ?? 0
  return ignored === 0 ? '' : `the server ignored stop in ${ignored} of ${turns} replies (server)`
}

type Hit = Pick<Cause, 'rule' | 'detail' | 'blames' | 'turns'>

/** Most replies first. A server may ignore a stop word in replies that failed of something else, or not at all. */
function repliesHit({ blame, oddities }: SummaryRow): readonly Hit[] {
  const ignored = oddities['stop-word-ignored'] ?? 0
  const stop: Hit = { rule: 'stop-word-ignored', detail: null, blames: 'server', turns: ignored }
  const hits: readonly Hit[] = blame.causes.filter(
    ({ rule, turns, episodes }) => turns > episodes && (rule !== stop.rule || ignored === 0),
  )
  return [...(ignored > 0 ? [stop] : []), ...hits].toSorted((one, other) => other.turns - one.turns)
}

function listed<T>(causes: readonly T[], text: (cause: T) => string): readonly string[] {
  const more = causes.length > SHOWN_CAUSES ? [`${causes.length - SHOWN_CAUSES} more`] : []
  return [...causes.slice(0, SHOWN_CAUSES).map(text), ...more]
}

function withDetail(rule: string, detail: string | null): string {
  return detail === null ? rule : `${rule} ${detail}`
}
