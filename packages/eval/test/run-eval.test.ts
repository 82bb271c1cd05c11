import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import { readModelName } from '@callspec/sim'
import { createClient } from '../src/client/client.ts'
import { compareWithLedger } from '../src/summary/ledger-agreement.ts'
import { summaryText } from '../src/store/run-report.ts'
import { EvalAborted } from '../src/play/refusals.ts'
import type { TraceLine } from '../src/trace/trace.ts'
import { EPISODE_RULES } from '../src/score/episode-rules.ts'
import { scoreEpisode } from '../src/judging/score-episode.ts'
import type { EpisodeScore } from '../src/score/scores.ts'
import { TURN_RULES } from '../src/score/label-turn.ts'
import { createSummarizer, factsOfEpisodes, summarize } from '../src/summary/summarizer.ts'
import { offeredTools } from '../src/trace/task.ts'
import type { Task } from '../src/trace/task.ts'
import { play, playWith, SPOKEN, suite } from './helpers/play.ts'
import type { PlayedRun } from './helpers/play.ts'
import { onlyLong } from '../../tidy/test/share.ts'

const scoresOf = ({ episodes }: PlayedRun): readonly EpisodeScore[] => episodes.map((episode) => episode.score)
const task = (id: string): Task => {
  const found = suite.tasks.find((candidate) => candidate.id === id)
  if (found === undefined) throw new Error(`the task ${id} is gone`)
  return found
}

describe('a perfect model', { timeout: 60_000 }, () => {
  let run: PlayedRun
  beforeAll(async () => {
    run = await play({ models: ['sim/perfect'] })
  }, 60_000)

  it('has no false alarms: everything is 100 %', () => {
    const rates = summarize(scoresOf(run)).map((row) => [
      row.protocol,
      row.rates.strict_parse_rate.rate,
      row.rates.parse_rate.rate,
      row.rates.clean_stop_rate.rate,
      row.rates.task_success.rate,
      row.turns,
    ])

    expect(rates).toEqual([
      ['fncall-qwen', 1, 1, 1, 1, 105],
      ['fncall-nous', 1, 1, 1, 1, 105],
      ['react', 1, 1, 1, 1, 113],
      ['native', 1, 1, 1, 1, 105],
      // A number and arguments for each of the 71 calls, then -1 and the answer.
      ['role-react', 1, 1, 1, 1, 226],
    ])
  })

  it('needs as many calls as the reference plans have, and gets the recorded results', () => {
    expect(summarize(scoresOf(run)).map((row) => (row.figures.calls_per_episode ?? 0) * row.episodes)).toEqual([
      71, 71, 71, 71, 71,
    ])
  })

  it('shows no flags but several calls in a turn', () => {
    const flags = new Set(scoresOf(run).flatMap((score) => score.turns.flatMap((turn) => turn.flags)))

    expect([...flags]).toEqual(['multi_call'])
  })

  it('agrees with the ledger', () => {
    expect(compareWithLedger(scoresOf(run), run.ledger)).toMatchObject({
      turns: 654,
      ...{ turnsAgreeing: 654, turnBlamesAgreeing: 654 },
      episodes: 210,
      ...{ episodesAgreeing: 210, successAgreeing: 210, blamesAgreeing: 210, callsAgreeing: 210 },
      differences: [],
    })
  })
})

describe('a model with known faults', { timeout: 60_000 }, () => {
  let run: PlayedRun
  beforeAll(async () => {
    run = await play({})
  }, 60_000)

  it('is measured exactly as it was made', () => {
    expect(compareWithLedger(scoresOf(run), run.ledger).differences).toEqual([])
  })

  it('shows every fault as often as its quota says', () => {
    const read = readModelName('sim/faulty')

    for (const protocol of SPOKEN) {
      const tasks = new Map<string, Set<string>>()
      for (const row of run.ledger) {
        if (row.fault !== null && row.protocol === protocol)
          tasks.set(row.fault, (tasks.get(row.fault) ?? new Set()).add(row.task))
      }
      if (read.kind !== 'model') throw new Error('sim/faulty is no model')
      const { faults = [], policies = [] } = read.spec.byFormat[protocol] ?? {}
      const wanted = [...faults, ...policies].flatMap(({ id, amount }) =>
        amount.kind === 'count' ? [[id, amount.count]] : [],
      )
      expect([...tasks].map(([fault, affected]) => [fault, affected.size]).sort()).toEqual(wanted.sort())
    }
  })

  const rescored = (rules: {
    readonly turnRules?: typeof TURN_RULES
    readonly episodeRules?: typeof EPISODE_RULES
  }): readonly string[] => {
    const scores = run.episodes.map(({ trace }) =>
      scoreEpisode(trace, { task: task(trace.key.task), tools: offeredTools(suite, task(trace.key.task)), ...rules }),
    )
    return compareWithLedger(scores, run.ledger).differences
  }

  it('is scored the same from the trace alone, whenever', () => {
    expect(rescored({})).toEqual([])
  })

  // infra_error needs a broken server; the last rule is what is left when no other fits.
  it.each(TURN_RULES.map((rule) => rule.label).filter((label) => label !== 'infra_error' && label !== 'no_tool_text'))(
    'is measured wrongly by a scorer without the turn rule %s',
    (label) => {
      expect(rescored({ turnRules: TURN_RULES.filter((rule) => rule.label !== label) }).length).toBeGreaterThan(0)
    },
  )

  it.each([
    'truncated',
    'empty_output',
    'parse_dead_end',
    'repeat_loop',
    'tool_error_spiral',
    'budget_exhausted',
    'final_answer',
  ] as const)('is measured wrongly by a scorer without the end rule %s', (label) => {
    expect(rescored({ episodeRules: EPISODE_RULES.filter((rule) => rule.label !== label) }).length).toBeGreaterThan(0)
  })

  it('is measured wrongly by a scorer that swaps two labels', () => {
    const swapped = TURN_RULES.map((rule) =>
      rule.label === 'malformed' ? { ...rule, label: 'bad_args_schema' as const } : rule,
    )

    expect(rescored({ turnRules: swapped }).length).toBeGreaterThan(0)
  })

  onlyLong(() => {
    it('gives the same summary one at a time, whole instead of streamed', async () => {
      const alone = await play({ concurrency: 1, stream: false })

      const summary = (of: PlayedRun): string => {
        const summarizer = createSummarizer({ run: factsOfEpisodes(scoresOf(of)) })
        for (const score of scoresOf(of)) summarizer.add(score)
        const text = summaryText(summarizer.finish({ ledger: compareWithLedger(scoresOf(of), of.ledger) }))
        // Real time passes here; a stream reports when it began.
        return text.replaceAll(/"(\w+_ms_p\d+)":[^,}]*/g, (_, name: string) => `"${name}":"?"`)
      }
      expect(summary(alone) === summary(run)).toBe(true)
    })
  })

  onlyLong(() => {
    it('gives other replies in another pass, with the same quotas', async () => {
      const [first, second] = await Promise.all([
        play({ formats: ['react'], seed: 1 }),
        play({ formats: ['react'], seed: 2 }),
      ])

      const affected = (of: PlayedRun): readonly string[] =>
        of.ledger
          .filter((row) => row.fault === 'F14')
          .map((row) => row.task)
          .sort()
      expect(affected(first)).not.toEqual(affected(second))
      expect([affected(first).length, affected(second).length]).toEqual([4, 4])
    })
  })

  it('is written down before it counts: every turn, call and end has a line', () => {
    const kinds = (kind: TraceLine['kind']): number => run.lines.filter((line) => line.kind === kind).length

    expect(kinds('turn')).toBe(scoresOf(run).reduce((sum, score) => sum + score.turns.length, 0))
    expect(kinds('call')).toBe(scoresOf(run).reduce((sum, score) => sum + score.calls, 0))
    expect(kinds('end')).toBe(210)
  })
})

describe('runner and scorers', () => {
  it('do not reach the simulated models or the reference plans', () => {
    const folder = fileURLToPath(new URL('../src', import.meta.url))
    const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))

    expect(sources).toContain(join('suite', 'read-suite.ts'))
    expect(sources.filter((file) => readFileSync(join(folder, file), 'utf8').includes('@callspec/sim'))).toEqual([])
  })

  it('get tasks without a solution', () => {
    expect(Object.keys(task('S01'))).toEqual([
      'id',
      'category',
      'lang',
      'query',
      'tools',
      'verdict',
      'goldCalls',
      'maxModelCalls',
      'maxIdentical',
    ])
  })
})

describe('a run', { timeout: 60_000 }, () => {
  const options = { tasks: suite.tasks.slice(0, 5), models: ['m'], concurrency: 2 }

  it('ends at once where no server listens', async () => {
    const client = createClient({
      // The system gives this port to no server of another test.
      baseUrl: 'http://127.0.0.1:2/v1',
      apiKey: 'EMPTY',
      timeoutMs: 1000,
      maxRetries: 3,
      stream: true,
    })

    await expect(playWith(client, options)).rejects.toThrow(EvalAborted)
  })

  it('ends after three refusals in a row, or after as many as there are episodes', async () => {
    for (const [tasks, expected] of [
      [5, 3],
      [1, 1],
    ] as const) {
      const lines: TraceLine[] = []
      let asked = 0
      const refuse = async (): Promise<Response> => {
        asked += 1
        return new Response('{"error": {"message": "bad key"}}', {
          status: 401,
          headers: { 'content-type': 'application/json' },
        })
      }
      const client = createClient({
        baseUrl: 'http://model.test/v1',
        apiKey: 'wrong',
        timeoutMs: 1000,
        maxRetries: 3,
        stream: true,
        fetch: refuse,
      })

      await expect(
        playWith(client, {
          ...options,
          concurrency: 1,
          formats: ['react'],
          tasks: suite.tasks.slice(0, tasks),
          write: (line) => lines.push(line),
        }),
      ).rejects.toThrow('401 bad key')

      expect([asked, lines]).toEqual([expected, []])
    }
  })

  it('counts what the server broke as infra_error, apart from what the model did', async () => {
    let requests = 0
    const broken = async (): Promise<Response> => {
      requests += 1
      return new Response('{}', { status: 500 })
    }
    const client = createClient({
      baseUrl: 'http://model.test/v1',
      apiKey: 'x',
      timeoutMs: 1000,
      maxRetries: 1,
      stream: false,
      fetch: broken,
      sleep: async () => {},
    })

    const episodes = await playWith(client, { ...options, formats: ['react'] })

    const [row] = summarize(episodes.map((episode) => episode.score))
    expect(row).toMatchObject({
      episodes: 5,
      infra: 5,
      ends: { infra_error: 5 },
      rates: { strict_parse_rate: { rate: null }, task_success: { rate: null }, infra_rate: { rate: 1 } },
      figures: { calls_per_episode: null, tokens_per_episode: null },
    })
    expect(requests).toBe(10)
  })

  it('ends with the reason of its signal', async () => {
    const controller = new AbortController()
    const write = (): void => controller.abort(new Error('stopped by hand'))

    await expect(play({ signal: controller.signal, write })).rejects.toThrow('stopped by hand')
  })
})
