import type { FormatName } from '../../src/trace/format-names.ts'
import type { CallLine, EndLine, StopReason, TurnLine } from '../../src/trace/trace.ts'
import { scoreEpisode } from '../../src/judging/score-episode.ts'
import type { EpisodeScore } from '../../src/score/scores.ts'
import { loadBuiltInSuite } from '../../src/suite/read-suite.ts'
import { offeredTools } from '../../src/trace/task.ts'
import type { Task } from '../../src/trace/task.ts'
import { callLine, endLine, turnLine } from './trace.ts'

const suite = loadBuiltInSuite()

/** An episode in as few words as possible. A text is a reply. */
export interface Sketch {
  readonly protocol?: FormatName
  readonly turns: readonly (string | Partial<TurnLine>)[]
  readonly calls?: readonly Partial<CallLine>[]
  readonly reason?: StopReason
  readonly error?: EndLine['error']
  /** Id in the built-in suite; S01 unless given. */
  readonly task?: string
  /** What differs from that task. */
  readonly verdict?: Task['verdict']
  readonly maxTokens?: number
  /** What the task asks for; an answer unless given. */
  readonly until?: Task['until']
  /** Turns before a restart. */
  readonly superseded?: number
}

/** The score of a sketched episode. Calls are those of the right solution of S01 unless they say otherwise. */
export function score({
  protocol = 'fncall-nous',
  turns,
  calls = [],
  reason = 'answered',
  ...more
}: Sketch): EpisodeScore {
  const { error = null, task: id = 'S01', verdict, maxTokens, until, superseded } = more
  const found = suite.tasks.find((candidate) => candidate.id === id)
  if (found === undefined) throw new Error(`no task ${id}`)
  const task = {
    ...{ ...found, ...(verdict === undefined ? {} : { verdict }) },
    ...(until === undefined ? {} : { until }),
  }
  const key = { model: 'm', protocol, task: id, sample: 0 }
  const trace = {
    key,
    turns: turns.map((turn, index) => {
      const fields = typeof turn === 'string' ? { text: turn } : turn
      return turnLine(fields.text ?? '', { ...key, turn: index, usage: { prompt: 2, completion: 1 }, ...fields })
    }),
    calls: calls.map((call) =>
      callLine({
        ...{ ...key, name: 'calculator', arguments: '{"expression": "37*48-129"}', result: '{"result":1647}' },
        ...call,
      }),
    ),
    end: endLine({ ...key, reason, error, ...(superseded === undefined ? {} : { superseded }) }),
  }
  return scoreEpisode(trace, {
    task,
    tools: offeredTools(suite, task),
    ...(maxTokens === undefined ? {} : { maxTokens }),
  })
}
