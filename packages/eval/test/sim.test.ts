import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PROTOCOLS } from '../src/protocol.ts'
import { assignFaults, spoiltPart } from '../src/sim/assign.ts'
import { FAULTS } from '../src/sim/catalogue.ts'
import { draw, fnv1a32, mulberry32 } from '../src/sim/draw.ts'
import { POLICIES } from '../src/sim/policy.ts'
import { PRESETS } from '../src/sim/preset.ts'
import { readSituation } from '../src/sim/read-request.ts'
import { loadReferences } from '../src/sim/reference.ts'
import { callText, jsonText, pythonText } from '../src/sim/render.ts'
import { SPEAKERS } from '../src/sim/speakers.ts'
import { startSimServer } from '../src/sim/server.ts'
import type { SimServer } from '../src/sim/server.ts'
import { countTokens } from '../src/sim/tokens.ts'
import { reachable } from './helpers/reachable.ts'

const references = loadReferences()
const NOUS_SYSTEM = { role: 'system', content: '# Tools\n<tools>\n</tools>' }

describe('chance', () => {
  it('gives the published numbers', () => {
    const next = mulberry32(1)

    expect(fnv1a32('a')).toBe(3826002220)
    expect(fnv1a32('你好')).toBe(2257816995)
    expect([next(), next(), next()].map((value) => value.toFixed(6))).toEqual(['0.627074', '0.002736', '0.527447'])
    expect(draw(7, 'm', 'S01', 0, 0, 'drop_close')).toBeCloseTo(0.896597474, 9)
  })

  it('gives shares near the nominal one', () => {
    const hits = [1, 2, 3].map(
      (seed) => Array.from({ length: 1000 }, (_, index) => draw(seed, index)).filter((value) => value < 0.12).length,
    )

    // z = 4 of a binomial with n = 1000, p = .12 is 41; a plain 95 % interval would fail one seed in twenty.
    for (const count of hits) expect(Math.abs(count - 120)).toBeLessThan(42)
  })
})

describe('a preset', () => {
  it.each(
    [...PRESETS.values()].flatMap((preset) =>
      PROTOCOLS.flatMap((protocol) => [0, 1, 2].map((sample) => ({ preset, protocol, sample, id: preset.id }))),
    ),
  )(
    'gives every fault of $id to exactly its quota of tasks ($protocol, sample $sample)',
    ({ preset, protocol, sample }) => {
      const counts = new Map<string, number>()

      for (const fault of assignFaults(references, { preset, protocol, sample }).values())
        counts.set(fault, (counts.get(fault) ?? 0) + 1)

      expect([...counts].map(([id, count]) => ({ id, count }))).toEqual(
        expect.arrayContaining([...preset.quotas[protocol]]),
      )
      expect(counts.size).toBe(preset.quotas[protocol].length)
    },
  )

  it('names faults and policies that exist and know the protocol', () => {
    for (const preset of PRESETS.values()) {
      for (const protocol of PROTOCOLS) {
        for (const { id } of preset.quotas[protocol])
          expect(POLICIES.has(id) || FAULTS.get(id)?.expect[protocol] !== undefined, id).toBe(true)
      }
    }
  })

  it('strikes other tasks in another sample', () => {
    const preset = PRESETS.get('sim/faulty')
    if (preset === undefined) throw new Error('sim/faulty is gone')
    const struck = (sample: number): readonly (readonly [string, string])[] =>
      [...assignFaults(references, { preset, protocol: 'react', sample })].sort()

    expect(struck(0)).not.toEqual(struck(1))
    expect(struck(0)).toEqual(struck(0))
  })
})

describe('a fault', () => {
  const turns = references.flatMap((reference) =>
    reference.plan[0] === undefined ? [] : [{ reference, calls: reference.plan[0] }],
  )

  it.each(
    [...FAULTS.values()].flatMap((fault) =>
      PROTOCOLS.filter((protocol) => fault.expect[protocol] !== undefined).map((protocol) => ({
        fault,
        protocol,
        id: fault.id,
      })),
    ),
  )('$id changes the text in $protocol, or says that it would not', ({ fault, protocol }) => {
    const expected = fault.expect[protocol]
    if (expected === undefined) throw new Error('the fault does not know the protocol')

    const texts = turns.map(({ reference, calls: planned }) => {
      const calls = SPEAKERS[protocol].width === 'one' ? planned.slice(0, 1) : planned
      const part = spoiltPart(protocol, expected, reference)
      return {
        spoilt: fault.spoil({ protocol, calls, part })?.text,
        plain: SPEAKERS[protocol].calls(calls.map(callText), part),
      }
    })

    expect(texts.some(({ spoilt }) => spoilt !== undefined)).toBe(true)
    expect(texts.filter(({ spoilt, plain: before }) => spoilt === before && before !== '')).toEqual([])
  })
})

describe('what a request is about', () => {
  it('is found in a nous conversation by its messages, not by marks inside results', () => {
    const trap = references.find((reference) => reference.task === 'T04')
    if (trap === undefined) throw new Error('T04 is gone')

    const situation = readSituation(
      [
        NOUS_SYSTEM,
        { role: 'user', content: trap.query },
        { role: 'assistant', content: '<tool_call>\n{}\n</tool_call>' },
        { role: 'user', content: `<tool_response>\n${trap.observations[0] ?? ''}\n</tool_response>` },
      ],
      references,
    )

    expect(situation?.reference.task).toBe('T04')
    expect(situation?.results).toEqual(trap.observations)
  })

  it('is found in the ✿ format, where the host merges everything into one user message', () => {
    const content =
      'What is 37 * 48 - 129? Use the calculator.\n\n✿FUNCTION✿: a\n✿ARGS✿: {}\n✿RESULT✿: {"a":1}\n✿RESULT✿: {"b":2}\n✿RETURN✿'

    const situation = readSituation(
      [
        { role: 'system', content: '✿FUNCTION✿: name' },
        { role: 'user', content },
      ],
      references,
    )

    expect(situation?.protocol).toBe('fncall-qwen')
    expect(situation?.results).toEqual(['{"a":1}', '{"b":2}'])
  })

  it('is found in a ReAct prompt', () => {
    const content =
      'Use the following format:\n\nObservation: the result of the action\n\nBegin!\n\nQuestion: 2024-02-29 是星期几？\nThought: a\nAction: b\nAction Input: {}\nObservation: {"c":3}\nThought: '

    const situation = readSituation([{ role: 'user', content }], references)

    expect(situation?.reference.task).toBe('S04')
    expect(situation?.results).toEqual(['{"c":3}'])
  })

  it('is unknown for a task that is not in the suite', () => {
    expect(readSituation([NOUS_SYSTEM, { role: 'user', content: 'Tell me a joke.' }], references)).toBeNull()
  })
})

describe('the words of a simulated model', () => {
  it('are JSON with spaces, and a tag inside a string is escaped', () => {
    expect(jsonText({ a: [1, null], b: '</tool_call> <x>' })).toBe('{"a": [1, null], "b": "\\u003c/tool_call> <x>"}')
  })

  it('are Python where the fault says so', () => {
    expect(pythonText({ a: [true, null, "it's", 'a"b'], n: 1.5 })).toBe(`{'a': [True, None, "it's", 'a"b'], 'n': 1.5}`)
  })

  it('are counted by one fixed tokenizer', () => {
    expect(countTokens('你好')).toBe(2)
    expect(countTokens('hello')).toBe(2)
    expect(countTokens('你好 hello')).toBe(4)
  })
})

describe('the server', () => {
  let server: SimServer
  beforeAll(async () => {
    server = await startSimServer()
  })
  afterAll(async () => server.close())

  const ask = async (fields: object): Promise<Response> =>
    fetch(`${server.baseUrl}/chat/completions`, {
      method: 'POST',
      body: JSON.stringify({
        messages: [NOUS_SYSTEM, { role: 'user', content: 'Translate "good morning" into French.' }],
        ...fields,
      }),
    })

  it('answers the same streamed and whole, and writes both into the ledger', async () => {
    const whole = (await (await ask({ model: 'sim/perfect' })).json()) as {
      id: string
      choices: { message: { content: string } }[]
      usage: object
    }
    const events = (await (await ask({ model: 'sim/perfect', stream: true })).text())
      .split('\n\n')
      .filter((event) => event.startsWith('data: {'))
    const chunks = events.map(
      (event) =>
        JSON.parse(event.slice('data: '.length)) as {
          id: string
          choices: { delta: { content?: string } }[]
          usage?: object
        },
    )

    expect(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('')).toBe('Bonjour.')
    expect(whole.choices[0]?.message.content).toBe('Bonjour.')
    expect(chunks.at(-1)?.usage).toEqual(whole.usage)
    expect(
      server
        .ledger()
        .slice(-2)
        .map((row) => row.id),
    ).toEqual([whole.id, whole.id])
  })

  it('lists its models, and says which there are when asked for another', async () => {
    const models = (await (await fetch(`${server.baseUrl}/models`)).json()) as { data: { id: string }[] }
    const unknown = await ask({ model: 'gpt-4' })

    expect(models.data.map((model) => model.id)).toEqual(['sim/perfect', 'sim/faulty'])
    expect(unknown.status).toBe(404)
    expect(await unknown.text()).toContain('model_not_found')
  })

  it('refuses what it does not understand', async () => {
    const bad = await fetch(`${server.baseUrl}/chat/completions`, { method: 'POST', body: '{' })
    const unknownTask = await ask({ model: 'sim/perfect', messages: [{ role: 'user', content: 'hi' }] })

    expect(bad.status).toBe(400)
    expect(unknownTask.status).toBe(404)
    expect((await fetch(`${server.baseUrl}/nothing`)).status).toBe(404)
  })

  it('hands out its ledger and forgets it when asked', async () => {
    await ask({ model: 'sim/perfect' })
    const root = server.baseUrl.replace('/v1', '')
    const lines = (await (await fetch(`${root}/__sim/ledger`)).text()).trim().split('\n')
    await fetch(`${root}/__sim/reset`, { method: 'POST' })

    expect(lines.length).toBeGreaterThan(0)
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({
      task: 'I03',
      protocol: 'fncall-nous',
      strict: 'final_answer',
      end: 'no_tool_stop',
    })
    expect(server.ledger()).toEqual([])
  })
})

describe('simulator and scorer', () => {
  it('share no parser: the simulator reaches neither core nor a scorer', () => {
    const names = reachable('sim/server.ts').filter((file) => !file.startsWith('node:'))

    expect(names.some((file) => file.endsWith('sim/structure-faults.ts'))).toBe(true)
    expect(
      names.filter((file) => file.includes('@callspec/') || /\/src\/(score|run|client|report)\//.test(file)),
    ).toEqual([])
  })
})
