import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createSimHandler, simulatedFetch, startSimServer } from '@callspec/sim'
import type { SimServer } from '@callspec/sim'
import { loadReferences } from '../../../sim/test/helpers/parts.ts'
import { createClient } from '../../src/client/client.ts'
import type { ClientOptions } from '../../src/client/client.ts'
import { quantile } from '../../src/statistics/rate.ts'
import { suite } from '../helpers/play.ts'
import { simulate, tally } from '../helpers/simulate.ts'
import type { Simulated } from '../helpers/simulate.ts'

const TASKS = suite.tasks.filter((task) => /^(?:S0[1-3]|P01|I01)$/.test(task.id))
const MESSAGES = [
  { role: 'system', content: '<tools>\n</tools>' },
  { role: 'user', content: 'Translate "good morning" into French.' },
]

const ends = ({ scores }: Simulated): Readonly<Record<string, number>> => tally(scores.map((score) => score.end))
const attempts = ({ episodes }: Simulated): readonly number[] => [
  ...new Set(episodes.flatMap(({ trace }) => trace.turns.map((turn) => turn.attempts))),
]

/** One request with this transport: how it came out, and how long the client waited between its attempts. */
async function ask(
  transport: string,
  options: Partial<ClientOptions> = {},
): Promise<{ readonly outcome: string; readonly waits: readonly number[] }> {
  const waits: number[] = []
  const client = createClient({
    ...{ baseUrl: 'http://simulated.test/v1', apiKey: 'EMPTY', timeoutMs: 1000, maxRetries: 3, stream: false },
    fetch: simulatedFetch(createSimHandler()),
    sleep: async (milliseconds) => void waits.push(milliseconds),
    ...options,
  })
  const model = `sim/oracle?transport=${transport}`
  const result = await client.complete({ model, messages: MESSAGES, parameters: {} })
  return { outcome: result.kind === 'done' ? result.value.text : result.error.failure.kind, waits }
}

describe('a server that fails for a while', () => {
  it.each([
    ['429(2,ms,30)', [30, 30]],
    ['429(1,s,2)', [2000]],
    ['503(3,ms,5)', [5, 5, 5]],
  ])('%s answers in the end, and the client waits as it is told', async (transport, waits) => {
    expect(await ask(transport)).toEqual({ outcome: 'Bonjour.', waits })
  })

  it('that names a moment which has passed is asked again later all the same, not at once', async () => {
    const { outcome, waits } = await ask('429(1,date)')

    expect([outcome, waits.length]).toEqual(['Bonjour.', 1])
    expect(waits[0]).toBeGreaterThan(0)
  })

  it.each(['408', '409', '429', '500(3)', '502(2)', '504', 'conn_reset(1)', 'stream_cut(2,1)'])(
    '%s gives the same result, with its attempts counted',
    async (transport) => {
      const run = await simulate({
        models: [`sim/oracle?transport=${transport}`],
        tasks: TASKS,
        formats: ['react'],
        stream: true,
        maxRetries: 3,
      })

      const tries = Number(/\((?:2,)?(\d)\)/.exec(transport)?.[1] ?? 1) + 1
      expect(run.scores.every((score) => score.success)).toBe(true)
      expect(attempts(run)).toEqual([tries])
      expect(run.ledger.every((row) => row.failed === tries - 1 && row.answered === 1)).toBe(true)
      expect(run.agreement.differences).toEqual([])
    },
  )

  it('fails where the client has less patience', async () => {
    expect((await ask('429(4)')).outcome).toBe('infra')
  })
})

const STALLED: Parameters<typeof simulate>[0] = {
  models: ['sim/oracle?transport=stall(2)'],
  tasks: TASKS,
  formats: ['react'],
  timeoutMs: 20,
}

describe('a server that fails for good', () => {
  it.each([
    ['timeout', 'infra_error'],
    ['conn_reset', 'infra_error'],
    ['stream_cut(2)', 'infra_error'],
    ['stream_end(2)', 'infra_error'],
    ['stall(1)', 'infra_error'],
    ['bad_json_body', 'infra_error'],
    ['html_body', 'infra_error'],
    ['empty_body', 'infra_error'],
    ['huge_body(100000)', 'infra_error'],
    ['400', 'infra_error'],
    ['context_length', 'context_overflow'],
    ['content_filter', 'refused'],
    ['null_content', 'empty_output'],
  ])('%s ends episodes as %s, streamed or whole, and the ledger says the same', async (transport, end) => {
    for (const stream of [false, true]) {
      const run = await simulate({
        models: [`sim/oracle?transport=${transport}`],
        tasks: TASKS,
        formats: ['react'],
        stream,
        timeoutMs: 20,
      })

      expect(ends(run)).toEqual({ [end]: TASKS.length })
      expect(run.agreement.differences).toEqual([])
    }
  })

  // Its limit is 20 ms by the clock, which a busy machine may miss.
  it(
    'stall(2) is a failure of the server also where the reply had begun, and the ledger says the same',
    { retry: 2 },
    async () => {
      const whole = await simulate({ ...STALLED, stream: false })
      const streamed = await simulate({ ...STALLED, stream: true })

      expect(ends(whole)).toEqual({ infra_error: TASKS.length })
      expect(ends(streamed)).toEqual({ infra_error: TASKS.length })
      expect([...whole.agreement.differences, ...streamed.agreement.differences]).toEqual([])
    },
  )

  it.each(['401', '403', '404'])('%s is a matter of configuration', async (transport) => {
    expect(await ask(transport)).toEqual({ outcome: 'configuration', waits: [] })
  })

  it('in part of its replies breaks as many episodes as the ledger says', async () => {
    const run = await simulate({
      models: ['sim/flaky-infra'],
      formats: ['fncall-nous'],
      repeat: 3,
      stream: true,
      maxRetries: 1,
    })

    const lost = run.ledger.filter((row) => row.answered === 0)
    expect(lost.length).toBeGreaterThan(0)
    expect(ends(run)).toEqual({ infra_error: lost.length, no_tool_stop: 126 - lost.length })
    expect(run.agreement.differences).toEqual([])
  })
})

describe('a server with manners of its own', () => {
  it.each(['no_usage', 'usage_null'])('%s leaves the tokens unknown, not 0', async (transport) => {
    const run = await simulate({ models: [`sim/oracle?transport=${transport}`], tasks: TASKS, stream: true })

    expect(new Set(run.scores.map((score) => score.tokens))).toEqual(new Set([null]))
    expect(run.agreement.differences).toEqual([])
  })

  it.each([
    'finish(null)',
    'finish(eos_token)',
    'finish(tool_calls)',
    'choices(3)',
    'include_stop',
    'arguments_object',
  ])('%s changes no label', async (transport) => {
    const models = ['', `?transport=${transport}`].map((query) => `sim/oracle${query}`)

    const run = await simulate({ models, tasks: TASKS, stream: true })

    const labels = models.map((model) =>
      run.scores
        .filter(({ key }) => key.model === model)
        .map((score) => [score.end, ...score.turns.map((turn) => turn.strict)]),
    )
    expect(labels[1]).toEqual(labels[0])
    expect(run.agreement.differences).toEqual([])
  })

  it('may spell a thought in three ways, which get the same labels', async () => {
    const spelled = async (spelling: string): Promise<readonly string[]> => {
      const models = [`sim/oracle?fault=call_in_thought:0.5&transport=reasoning(${spelling})`]
      const run = await simulate({ models, formats: ['fncall-nous', 'native'], stream: true })
      expect(run.agreement.differences).toEqual([])
      return run.scores.flatMap((score) => score.turns.map((turn) => turn.strict))
    }

    const inline = await spelled('inline')

    expect(inline).toContain('call_in_thought')
    expect(await spelled('reasoning_content')).toEqual(inline)
    expect(await spelled('reasoning')).toEqual(inline)
  })

  it('may ignore stop words: then what runs past them is seen', async () => {
    const seen = async (model: string): Promise<readonly string[]> => {
      const run = await simulate({ models: [model], formats: ['fncall-qwen', 'react'], tasks: TASKS })
      expect(run.agreement.differences).toEqual([])
      return [...new Set(run.scores.flatMap((score) => score.turns.map((turn) => turn.strict)))].sort()
    }

    expect(await seen('sim/leaky-server')).toEqual(['final_answer', 'hallucinated_observation'])
    expect(await seen('sim/leaky-server?transport=finish(stop)')).toEqual(['final_answer', 'well_formed'])
  })

  it('may ignore the seed: then no two replies are the same', async () => {
    const { handle } = createSimHandler()
    const body = JSON.stringify({ model: 'sim/oracle?transport=ignore_seed', messages: MESSAGES, seed: 1 })
    const replies = [0, 1].map(() => {
      const response = handle({ method: 'POST', path: '/v1/chat/completions', header: () => null, body })
      return response.kind === 'answer' ? String(response.body[0]) : ''
    })

    expect(replies[0]).not.toBe(replies[1])
  })
})

describe('virtual time', () => {
  it('is lognormal: median and 95th percentile are those of the formula', () => {
    const { handle, ledger } = createSimHandler()
    for (let seed = 0; seed < 4000; seed += 1) {
      const body = JSON.stringify({ model: 'sim/oracle?transport=latency(800,0.6)', messages: MESSAGES, seed })
      handle({ method: 'POST', path: '/v1/chat/completions', header: () => null, body })
    }

    const times = Float64Array.from(ledger().map((row) => row.latencyMs)).sort()
    expect((quantile(times, 0.5) ?? 0) / 800).toBeCloseTo(1, 1)
    expect((quantile(times, 0.95) ?? 0) / (800 * Math.exp(1.644854 * 0.6))).toBeCloseTo(1, 1)
  })

  it('is sent in a header, the same for the same request', async () => {
    const once = async (): Promise<string | null> => {
      const body = JSON.stringify({ model: 'sim/oracle?transport=latency(50,0)', messages: MESSAGES })
      const response = await simulatedFetch(createSimHandler())('http://s.test/v1/chat/completions', {
        method: 'POST',
        body,
      })
      return response.headers.get('x-callspec-latency-ms')
    }

    expect([await once(), await once()]).toEqual(['50', '50'])
  })
})

describe('the same over a socket', () => {
  let server: SimServer
  beforeAll(async () => {
    server = await startSimServer({ references: loadReferences() })
  })
  afterAll(async () => server.close())

  it.each([
    ['write(1)', 'Bonjour.'],
    ['write(3),delta(1),crlf,comments', 'Bonjour.'],
    ['choices(2)', 'Bonjour.'],
    ['429(1,ms,1)', 'Bonjour.'],
    ['conn_reset', 'infra'],
    ['stream_cut(2)', 'infra'],
    ['stall(1)', 'infra'],
    ['stall(2)', 'infra'],
    ['timeout', 'infra'],
    ['html_body', 'infra'],
    ['401', 'configuration'],
  ])('%s comes out as %s', async (transport, outcome) => {
    const client = createClient({
      ...{
        baseUrl: server.baseUrl,
        apiKey: 'EMPTY',
        timeoutMs: outcome === 'infra' ? 300 : 30_000,
        maxRetries: 1,
        stream: true,
      },
      sleep: async () => {},
    })

    const model = `sim/oracle?transport=${transport}`
    const result = await client.complete({ model, messages: MESSAGES, parameters: {} })

    expect(result.kind === 'done' ? result.value.text : result.error.failure.kind).toBe(outcome)
  })

  it('takes as long as it says where time is to be real', async () => {
    const slow = await startSimServer({ realLatency: true })
    try {
      const began = performance.now()
      const body = JSON.stringify({ model: 'sim/oracle?transport=latency(60,0)', messages: MESSAGES })
      await (await fetch(`${slow.baseUrl}/chat/completions`, { method: 'POST', body })).text()

      // Timers may end a millisecond early; how much later is the machine's business.
      expect(performance.now() - began).toBeGreaterThan(58)
    } finally {
      await slow.close()
    }
  })
})
