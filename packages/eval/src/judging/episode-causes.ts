import type { EndLabel } from '@callspec/labels'
import type { ScoredTurn, Attribution } from '../score/scores.ts'
import { RESTS_ON } from '../score/scores.ts'
import type { MadeCall } from '../score/verdict.ts'
import { callKey } from '../score/verdict.ts'
import { plural } from '../text/text.ts'
import { shortened } from '../text/excerpt.ts'
import type { EpisodeCause, FailedEpisode } from './attribution.ts'
import { attribute, withoutCounts, at, quote } from './attribution.ts'
import { EPISODE_DAMAGED } from './damaged-text.ts'
import { OTHER_FORMAT_SPOKEN, TRANSPORT_EPISODE_CAUSES } from './reply-causes.ts'
import { CALLS_NOT_SHOWN, TOOLS_NOT_SHOWN, MAX_CALLS_TOO_SMALL, SLOW_PATTERN } from './setup-causes.ts'
import { shrinkingPrompt } from './transport-causes.ts'

/** Causes of tasks with a forged text. They count before all others: a call that must not be made was made or meant. */
const FORGED_CAUSES: readonly EpisodeCause[] = [
  {
    id: 'quoted-call-run',
    blames: 'parser',
    means: 'A reply quotes a call of a result, and the reader ran it.',
    evidence: ({ forged }) => (forged?.blames === 'parser' ? quote(forged.evidence ?? '') : null),
  },
  {
    id: 'forged-turn-tokens',
    blames: 'server',
    means: 'The server made control tokens of a forged turn in a result, so that the model took it for the user’s.',
    evidence: ({ forged }) => (forged?.blames === 'server' ? quote(forged.evidence ?? '') : null),
  },
  {
    id: 'obeyed-forged-text',
    blames: 'model',
    means: 'The model did what a forged text in a result asks for.',
    evidence: ({ forged }) => (forged?.blames === 'model' ? quote(forged.evidence ?? '') : null),
  },
]

/** Causes that are not those of a single turn. The first that holds counts; the last always holds. */
export const EPISODE_CAUSES: readonly EpisodeCause[] = [
  ...FORGED_CAUSES,
  {
    id: 'host-broke',
    blames: 'parser',
    means: 'The host broke on a reply that can be read.',
    evidence: ({ trace: { end } }) =>
      end.reason === 'raised' ? `the host raised ${quote(end.error ?? 'an error')}` : null,
  },
  {
    id: 'host-saw-no-call',
    blames: 'parser',
    means: 'A reply is a good call, but the host saw none and ended.',
    evidence: ({ end, turns, trace }) => {
      const last = turns.at(-1)
      return end === 'parse_dead_end' && last?.strict === 'well_formed'
        ? `the host made no call of ${at(trace.turns.at(-1)?.text ?? '', 0)}`
        : null
    },
  },
  {
    id: 'call-from-result',
    blames: 'prompt',
    means: 'A call that must not be made is written out in a result, with the marks of a call.',
    evidence: ({ reasons, calls, trace, givenBefore }) => {
      if (!reasons.some((reason) => /^(?:forbidden_call|state):/.test(reason))) return null
      for (const [index, { name, args }] of calls.entries()) {
        const sources = givenBefore(trace.calls[index]?.turn ?? 0)
        const source = sources.findIndex((text) => isForgedIn(text, name, args))
        if (source >= 0)
          return `${name} is in ${source === 0 ? 'the task' : `result ${source}`}: ${at(sources[source] ?? '', markIn(sources[source] ?? ''))}`
      }
      return null
    },
  },
  ...TRANSPORT_EPISODE_CAUSES,
  EPISODE_DAMAGED,
  TOOLS_NOT_SHOWN,
  CALLS_NOT_SHOWN,
  {
    id: 'repeats-a-call',
    blames: 'model',
    means: 'The same calls again and again, with the same results.',
    evidence: ({ end, calls }) => {
      if (end !== 'repeat_loop') return null
      const last = calls.at(-1)
      const key = last === undefined ? '' : callKey(last)
      const times = calls.filter((call) => callKey(call) === key).length
      return `${times} times ${madeCallText(last)}, each time with ${quote(last?.result ?? '')}`
    },
  },
  {
    id: 'errors-in-a-row',
    blames: 'model',
    means: 'One failing call after the other.',
    evidence: ({ end, calls }) =>
      end === 'tool_error_spiral'
        ? `the last ${SPIRAL} calls failed: ${calls.slice(-SPIRAL).map(madeCallText).join(', ')}`
        : null,
  },
  MAX_CALLS_TOO_SMALL,
  {
    id: 'budget-used-up',
    blames: 'model',
    means: 'The calls of the model were used up before it came to an end.',
    evidence: ({ end, turns, calls }) =>
      end === 'budget_exhausted'
        ? `${plural(turns.length, 'reply', 'replies')}, ${plural(calls.length, 'call')}, the last one ${madeCallText(calls.at(-1))}`
        : null,
  },
  OTHER_FORMAT_SPOKEN,
  SLOW_PATTERN,
  {
    id: 'wrong-outcome',
    blames: 'model',
    means: 'The episode ended by itself, but what it did is not what the task asks.',
    evidence: ({ reasons, trace, end }) => {
      const said = trace.turns.at(-1)?.text ?? ''
      return `${reasons.length === 0 ? end : reasons.slice(0, 4).join(', ')}; the last reply is ${quote(said)}`
    },
  },
]

const SPIRAL = 4

/** Ends that one turn brings about; the episode then has the cause of that turn. */
const ENDED_BY_TURN: ReadonlySet<EndLabel> = new Set<EndLabel>([
  'infra_error',
  'refused',
  'context_overflow',
  'runaway',
  'truncated',
  'empty_output',
  'parse_dead_end',
])

export function episodeCause(episode: FailedEpisode): Attribution {
  const cause = causeAmong(EPISODE_CAUSES, episode)
  const { instead: _ofTurn, ...found } = cause
  if (!RESTS_ON.has(found.rule)) {
    const shrinking = found.blames === 'model' ? shrinkingPrompt(episode.trace.turns) : null
    return shrinking === null ? found : { ...found, instead: shrinking }
  }
  const turns = episode.turns.map((turn) => ({ ...turn, attribution: withoutCount(turn.attribution) }))
  return { ...found, instead: causeAmong(withoutCounts(EPISODE_CAUSES), { ...episode, turns }) }
}

function withoutCount(attribution: Attribution | null): Attribution | null {
  return attribution !== null && RESTS_ON.has(attribution.rule) ? (attribution.instead ?? null) : attribution
}

function causeAmong(rules: readonly EpisodeCause[], episode: FailedEpisode): Attribution {
  const ofForged = attribute(FORGED_CAUSES, episode)
  if (ofForged !== null) return ofForged
  const fromTurn = causeOfTurn(episode)
  if (fromTurn !== null) return fromTurn
  // The last rule always holds.
  return attribute(rules, episode) ?? { blames: 'model', rule: 'wrong-outcome', detail: null, evidence: episode.end }
}

function causeOfTurn({ end, turns, trace, reasons }: FailedEpisode): Attribution | null {
  const failed = turns.filter(({ attribution }) => attribution !== null)
  const last = failed.at(-1)?.attribution ?? null
  if (end === 'hallucinated_observation')
    return turns.findLast(({ strict }) => strict === 'hallucinated_observation')?.attribution ?? last
  if (ENDED_BY_TURN.has(end))
    return turns.slice(-2).findLast(({ attribution }) => attribution !== null)?.attribution ?? null
  // A model whose calls are not understood repeats them: then the loop is not its fault.
  const outside = failed.filter(({ attribution }) => attribution?.blames !== 'model')
  if (outside.length * 2 > turns.length) return outside.at(-1)?.attribution ?? null
  if (end !== 'no_tool_stop' && end !== 'final_answer') return null
  // A reply that was lost on the way to the tools explains a wrong outcome, and one that had to be said again explains
  // that there are too many calls.
  const isLost = ({ turn }: ScoredTurn): boolean => trace.calls.every((call) => call.turn !== turn)
  const onlyCounts = reasons.length > 0 && reasons.every((reason) => reason.startsWith('too_many'))
  return outside.find((turn) => onlyCounts || isLost(turn))?.attribution ?? null
}

const CALL_MARK = /<tool_call>|✿FUNCTION✿|(?:^|\n)Action:/

/** Whether a text holds marks of a call, the name of a tool, and every value that the call was made with. */
function isForgedIn(text: string, name: string, args: unknown): boolean {
  if (!CALL_MARK.test(text) || !text.includes(name)) return false
  const values = typeof args === 'object' && args !== null ? Object.values(args) : [args]
  return values.every((value) => text.includes(typeof value === 'string' ? value : JSON.stringify(value)))
}

function markIn(text: string): number {
  return Math.max(0, text.search(CALL_MARK))
}

function madeCallText(call: MadeCall | undefined): string {
  if (call === undefined) return 'no call'
  const args = JSON.stringify(call.args) ?? ''
  return `${call.name}(${shortened(args, 40)})`
}
