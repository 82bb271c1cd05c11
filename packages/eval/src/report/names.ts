import { REPAIR_MEANS } from '../reading/call-block.ts'
import type { EndLabel, TurnLabel } from '@callspec/labels'
import type { Cause } from '../summary/causes.ts'
import type { SummaryRow } from '../summary/row.ts'

/** Causes that are named at most. */
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

/** A server's fault in words, because a person has to report it to the server's operator. */
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

/** What people call the causes of failures; the ids are in files and tables. Chinese ones: `names.ts` of the report. */
export const CAUSE_NAMES: Readonly<Record<string, string>> = {
  'no-reply': 'no reply came',
  'prompt-too-long': 'the prompt is too long',
  filtered: 'a content filter took the reply',
  'other-model': 'another model answered',
  'server-read-calls': 'the server read the calls itself',
  'calls-announced': 'calls were announced and did not come',
  'text-swallowed': 'text withheld: a call or a thought',
  'error-as-reply': 'an error came as the reply',
  'call-without-name': 'a call came without a name',
  'calls-merged': 'several calls came as one',
  'text-escaped': 'the text was escaped as HTML',
  'text-garbled': 'the text was decoded wrongly',
  'text-damaged': 'characters arrived damaged',
  'call-swallowed': 'the server dropped a call',
  'arguments-swallowed': 'arguments of a call were lost',
  'cut-without-end': 'the reply broke off on the way',
  'stop-word-ignored': 'the server ignored stop',
  'reply-stalled': 'the reply stalled',
  'timeout-too-short': '--timeout cut the reply off',
  'never-ends': 'the reply does not end',
  'unparsed-output': "the server's parser could not read the reply",
  'end-mark-kept': 'the server kept the end mark',
  'marks-eaten': 'the server left out the marks of a call',
  'reply-in-reasoning': 'the reply came as reasoning',
  'cut-but-stop': 'cut off, and reported as ended',
  'max-tokens-too-small': '--max-tokens cut the reply off',
  'stops-off': '--stops off let the reply go on',
  'max-calls-too-small': '--max-calls stopped the episode',
  'slow-pattern': 'a regular expression of the suite is too slow',
  'call-left-in-text': 'a call was left in the text',
  'tools-not-shown': 'the prompt shows no tools',
  'other-syntax-asked': 'the prompt asks for another syntax',
  'prompt-not-rendered': 'the server left out part of the prompt',
  'results-not-rendered': 'the server left out results',
  'prompt-shrinks': 'the server cut the prompt',
  'mark-in-prompt': 'a mark copied from the prompt',
  'readable-but-refused': 'readable, but refused',
  'calls-not-shown': 'the prompt leaves out earlier calls',
  'odd-but-read': 'odd, but read',
  truncated: 'cut off',
  empty: 'an empty reply',
  'call-in-thought': 'a call inside the thinking',
  'hallucinated-observation': 'an invented result',
  'leaked-marker': 'a control mark in the text',
  'wrong-protocol': 'a call in another format',
  malformed: 'a call that cannot be read',
  'hallucinated-tool': 'a tool that is not offered',
  'double-encoded': 'arguments encoded twice',
  'bad-args-schema': 'arguments that break the schema',
  unclear: 'a call where the format has none',
  'host-broke': 'the host broke on the reply',
  'host-saw-no-call': 'the host saw no call',
  'call-from-result': 'a call copied from a result',
  'quoted-call-run': 'a quoted call was run',
  'forged-turn-tokens': 'a forged turn became control tokens',
  'obeyed-forged-text': 'obeyed a forged text',
  'repeats-a-call': 'the same call again and again',
  'errors-in-a-row': 'one failing call after the other',
  'budget-used-up': 'all calls used up',
  'wrong-outcome': 'ended, but not what was asked',
}

/** What people call the labels of a reply. */
export const TURN_NAMES: Readonly<Record<TurnLabel, string>> = {
  infra_error: 'failed on the way',
  truncated: 'cut off',
  empty: 'empty',
  call_in_thought: 'call inside the thinking',
  hallucinated_observation: 'invented result',
  leaked_marker: 'control mark in the text',
  wrong_protocol: 'call in another format',
  malformed: 'call that cannot be read',
  hallucinated_tool: 'tool that is not offered',
  double_encoded: 'arguments encoded twice',
  bad_args_schema: 'arguments that break the schema',
  recovered: 'read with repairs',
  well_formed: 'well-formed call',
  final_answer: 'answer',
  no_tool_text: 'text without a call',
}

/** What people call the ends of an episode. */
export const END_NAMES: Readonly<Record<EndLabel, string>> = {
  infra_error: 'failed on the way',
  refused: 'refused',
  context_overflow: 'no room left in the prompt',
  runaway: 'ran away',
  truncated: 'cut off',
  empty_output: 'empty reply',
  hallucinated_observation: 'invented result',
  parse_dead_end: 'a call that was not read',
  repeat_loop: 'same call again and again',
  tool_error_spiral: 'failing calls in a row',
  budget_exhausted: 'calls used up',
  final_answer: 'said that it has finished',
  no_tool_stop: 'stopped calling',
}

/** `readable, but refused: the keyword is translated`; an id that is new here in its own words. */
export function causeName({ rule, detail }: { readonly rule: string; readonly detail: string | null }): string {
  const name = REPAIRS_AND_CAUSES.get(rule) ?? rule.replaceAll('-', () => ' ')
  return detail === null ? name : `${name}: ${REPAIRS_AND_CAUSES.get(detail) ?? detail}`
}

const REPAIRS_AND_CAUSES: ReadonlyMap<string, string> = new Map(Object.entries({ ...REPAIR_MEANS, ...CAUSE_NAMES }))
