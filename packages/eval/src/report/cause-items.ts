import type { Cause } from '../summary/causes.ts'
import type { SummaryRow } from '../summary/row.ts'

/** So many causes are named. */
const SHOWN_CAUSES = 2

/**
 * What went wrong in a row and whose fault it is, the two most frequent: causes of episodes first, `12 empty (model)`, then those that
 * hit more replies than failed episodes: `the server ignored stop in 134 of 428 replies (server)`. An episode may be a success all the
 * same. Then how many others the page has: `8 more in report.html`.
 */
export function causeItems(row: SummaryRow): readonly string[] {
  const { causes } = row.blame
  const failed = causes.filter(({ episodes }) => episodes > 0)
  const items = [
    ...failed.map(({ rule, detail, blames, episodes }) => `${episodes} ${withDetail(rule, detail)} (${blames})`),
    ...repliesHit(row).map(({ rule, detail, blames, turns }) => {
      const what = IN_WORDS[rule] ?? withDetail(rule, detail)
      return `${what} in ${turns} of ${row.turns} replies (${blames})`
    }),
  ]
  const more = items.length - SHOWN_CAUSES
  return [...items.slice(0, SHOWN_CAUSES), ...(more > 0 ? [`${more} more in report.html`] : [])]
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

function withDetail(rule: string, detail: string | null): string {
  return detail === null ? rule : `${rule} ${detail}`
}
