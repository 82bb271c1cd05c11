import type { TurnLabel } from '@callspec/labels'
import type { EpisodeScore } from '../judging/score-episode.ts'
import { isFinalAnswer } from '../score/episode-rules.ts'
import { meantCall } from '../score/meant-call.ts'
import type { ScoredTurn } from '../score/scored-turn.ts'

/** What is counted of a group of episodes; every rate is one of these over another one. */
export interface Tally {
  episodes: number
  /** Episodes that ended on the way to the server; they say nothing about the model. */
  infra: number
  clean: number
  explicitFinal: number
  passed: number
  passedClean: number
  silentFailures: number
  runaways: number
  /** Turns with a reply. */
  turns: number
  /** Those of them in episodes that did not fail on the way to the server. */
  turnsOfJudged: number
  cachedTurns: number
  retriedTurns: number
  /** Turns in which a call was meant, under either reading. */
  attempts: number
  strictOk: number
  recovered: number
  /** Lenient labels 8 to 12: the reply could be read. */
  readable: number
  unknownTool: number
  invented: number
  leaked: number
  truncated: number
  empty: number
  calls: number
  redundantCalls: number
  /** Of the episodes whose task names the right calls. */
  matchedCalls: number
  matchableCalls: number
  goldCalls: number
  tp: number
  fp: number
  fn: number
  tn: number
}

/** Nothing counted yet. */
export function emptyTally(): Tally {
  return {
    episodes: 0,
    infra: 0,
    clean: 0,
    explicitFinal: 0,
    passed: 0,
    passedClean: 0,
    silentFailures: 0,
    runaways: 0,
    turns: 0,
    turnsOfJudged: 0,
    cachedTurns: 0,
    retriedTurns: 0,
    attempts: 0,
    strictOk: 0,
    recovered: 0,
    readable: 0,
    unknownTool: 0,
    invented: 0,
    leaked: 0,
    truncated: 0,
    empty: 0,
    calls: 0,
    redundantCalls: 0,
    matchedCalls: 0,
    matchableCalls: 0,
    goldCalls: 0,
    tp: 0,
    fp: 0,
    fn: 0,
    tn: 0,
  }
}

/** Counts one episode. What failed on the way to the server counts as scheduled, and its replies count as replies. */
export function addEpisode(tally: Tally, score: EpisodeScore): void {
  tally.episodes += 1
  for (const turn of score.turns) addTurn(tally, turn)
  if (score.end === 'infra_error') {
    tally.infra += 1
    return
  }
  tally.turnsOfJudged += score.turns.length
  if (score.cleanStop) tally.clean += 1
  if (score.end === 'final_answer') tally.explicitFinal += 1
  if (score.pass) tally.passed += 1
  if (score.success) tally.passedClean += 1
  if (score.cleanStop && !score.pass && !isFine(score.turns.at(-1))) tally.silentFailures += 1
  if (RUNAWAYS.has(score.end)) tally.runaways += 1
  tally.calls += score.calls
  tally.redundantCalls += score.redundantCalls
  if (score.callMatch !== null) {
    tally.matchedCalls += score.callMatch.matched
    tally.matchableCalls += score.callMatch.made
    tally.goldCalls += score.callMatch.gold
  }
  if (score.trigger !== null) tally[score.trigger] += 1
}

const RUNAWAYS: ReadonlySet<string> = new Set(['runaway', 'repeat_loop', 'tool_error_spiral', 'budget_exhausted'])

/** Whether the last reply had a form in which nothing can be lost. */
function isFine(turn: ScoredTurn | undefined): boolean {
  return turn !== undefined && (turn.strict === 'well_formed' || isFinalAnswer(turn))
}

const READABLE: ReadonlySet<TurnLabel> = new Set<TurnLabel>([
  'hallucinated_tool',
  'double_encoded',
  'bad_args_schema',
  'recovered',
  'well_formed',
])

function addTurn(tally: Tally, turn: ScoredTurn): void {
  if (turn.strict === 'infra_error') return
  tally.turns += 1
  if (turn.cached) tally.cachedTurns += 1
  if (turn.attempts > 1) tally.retriedTurns += 1
  if (turn.strict === 'hallucinated_observation') tally.invented += 1
  if (turn.strict === 'leaked_marker') tally.leaked += 1
  if (turn.strict === 'truncated') tally.truncated += 1
  if (turn.strict === 'empty') tally.empty += 1
  if (!meantCall(turn)) return
  tally.attempts += 1
  if (turn.parsed === 'strict') tally.strictOk += 1
  if (turn.parsed === 'lenient') tally.recovered += 1
  if (turn.parsed !== null || READABLE.has(turn.lenient)) tally.readable += 1
  if (turn.lenient === 'hallucinated_tool') tally.unknownTool += 1
}
