import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FAULTS } from '../src/inject.ts'
import { readModelName } from '../src/model-name.ts'
import type { ModelSpec } from '../src/model-spec.ts'
import { POLICIES } from '../src/policies.ts'
import { PRESETS } from '../src/model-spec.ts'
import { SPOKEN_FORMATS } from '../src/spoken-formats.ts'

function specOf(name: string): ModelSpec {
  const read = readModelName(name)
  if (read.kind !== 'model') throw new Error(read.message)
  return read.spec
}

describe('the name of a simulated model', () => {
  it('says which faults occur how often', () => {
    const { byFormat, seed, mode, scope } = specOf('sim/oracle?fault=py_literals:0.12,F20:0.05&seed=7')

    expect(byFormat['react']?.faults).toEqual([
      { id: 'F03', argument: 0, amount: { kind: 'rate', rate: 0.12 } },
      { id: 'F20', argument: 0, amount: { kind: 'rate', rate: 0.05 } },
    ])
    expect({ seed, mode, scope }).toEqual({ seed: 7, mode: 'bernoulli', scope: 'turn' })
  })

  it('says which policies are followed how often, with their numbers', () => {
    expect(specOf('sim/repeat_forever@0.08,truncated(2)@0.05').byFormat['native']?.policies).toEqual([
      { id: 'repeat_forever', argument: 0, amount: { kind: 'rate', rate: 0.08 } },
      { id: 'truncated', argument: 2, amount: { kind: 'rate', rate: 0.05 } },
    ])
    expect(specOf('sim/recover_after_nudge').byFormat['react']?.policies[0]?.argument).toBe(1)
  })

  it('may speak of one format only', () => {
    const { byFormat } = specOf('sim/oracle?fault=F03:0.1&protocol.react.fault=F03:0.2&protocol.native.skill=0.5')

    expect(byFormat['react']?.faults[0]?.amount).toEqual({ kind: 'rate', rate: 0.2 })
    expect(byFormat['fncall-nous']?.faults[0]?.amount).toEqual({ kind: 'rate', rate: 0.1 })
    expect([byFormat['native']?.skill, byFormat['react']?.skill]).toEqual([0.5, null])
  })

  it('shares the rate of all faults among those that a format knows', () => {
    const { byFormat } = specOf('sim/oracle?fault=all:0.5')

    for (const format of SPOKEN_FORMATS) {
      const rates = byFormat[format]?.faults.map(({ amount }) => (amount.kind === 'rate' ? amount.rate : 0)) ?? []
      expect(new Set(rates).size).toBe(1)
      expect(rates.reduce((sum, rate) => sum + rate, 0)).toBeCloseTo(0.5, 9)
    }
  })

  it('drops a fault that a format cannot have', () => {
    expect(specOf('sim/oracle?fault=F14:1').byFormat['fncall-nous']?.faults).toEqual([])
  })

  it('is the same model with another transport', () => {
    const plain = specOf('sim/oracle?fault=F03:0.1')
    const broken = specOf('sim/oracle?fault=F03:0.1&transport=429(2),write(1)')

    expect(broken.identity).toBe(plain.identity)
    expect(broken.transport.map(({ name, arguments: args, rate }) => [name, args, rate])).toEqual([
      ['429', ['2'], 1],
      ['write', ['1'], 1],
    ])
  })

  it('may be a preset with something changed', () => {
    const spec = specOf('sim/faulty?seed=9')

    expect(spec.seed).toBe(9)
    expect(spec.byFormat['react']?.faults.length).toBeGreaterThan(5)
    expect(spec.identity).toBe('sim/faulty?seed=9')
  })

  it.each([
    ['gpt-4', 'does not exist'],
    ['sim/gpt', 'does not exist'],
    ['sim/', 'does not exist'],
    ['sim/oracle?a=1?b=2', 'does not exist'],
    ['', 'does not exist'],
  ])('%j is unknown', (name, part) => {
    expect(readModelName(name)).toMatchObject({ kind: 'unknown', message: expect.stringContaining(part) as string })
  })

  it.each([
    ['sim/oracle?fault=F03:1.2', 'the rate of F03 is "1.2"; rates go from 0 to 1.'],
    ['sim/oracle?fault=F03:-1', 'the rate of F03 is "-1"; rates go from 0 to 1.'],
    ['sim/oracle?fault=F03:x', 'the rate of F03 is "x"; rates go from 0 to 1.'],
    ['sim/oracle?fault=F03:0.7,F04:0.4', 'the rates of fault sum up to 1.1; they must not exceed 1.'],
    ['sim/repeat_forever@0.7,cycle2@0.4', 'the rates of policy sum up to 1.1; they must not exceed 1.'],
    ['sim/oracle?fault=F99:0.1', 'there is no fault "F99".'],
    ['sim/oracle?faults=F03:0.1', 'there is no key "faults".'],
    ['sim/oracle?protocol.x.fault=F03:0.1', 'there is no format "x".'],
    ['sim/oracle?protocol.react.seed=1', 'there is no key "protocol.react.seed".'],
    ['sim/oracle?fault', '"fault" is not key=value.'],
    ['sim/oracle?seed=-1', 'seed is "-1"; it must be a whole number of at least 0.'],
    ['sim/oracle?mode=random', 'mode is "random"; it can be bernoulli, quota, stratified.'],
    ['sim/oracle?mode=quota&scope=turn', 'mode=quota counts episodes, so scope=turn is not possible.'],
    ['sim/oracle?fault=F07*3', 'a number of tasks, such as F07*3, needs mode=quota.'],
    ['sim/empty_at(x)@0.1', 'the number of empty_at is "x"; it goes from 0 to 100.'],
    ['sim/repeat_forever(2)@0.1', 'the policy repeat_forever takes no number.'],
    ['sim/oracle?transport=teapot', 'there is no transport "teapot".'],
    ['sim/oracle?transport=latency(slow)', '"latency(slow)" of transport takes numbers.'],
    ['sim/oracle?transport=huge_body(1e12)', '"huge_body(1e12)" of transport takes numbers.'],
    [
      'sim/oracle?transport=reasoning(aloud)',
      '"reasoning(aloud)" of transport takes reasoning_content, reasoning or inline.',
    ],
    ['sim/oracle?transport=429(1,soon)', '"429(1,soon)" of transport takes a number, then s, ms, date or none'],
    [
      'sim/oracle?transport=429@0.6,500@0.6',
      'the rates of failures of transport sum up to 1.2; they must not exceed 1.',
    ],
    ['sim/oracle?pair=react:0.5', 'pair is "react:0.5"; it needs two of'],
    ['sim/oracle?wins=4,x', 'wins is "4,x"; it must be whole numbers, such as 4,2,0.'],
    ['sim/nobody@0.1', 'there is no policy "nobody".'],
  ])('%s makes no sense, and says why in one line', (name, reason) => {
    const read = readModelName(name)

    expect(read.kind).toBe('invalid')
    expect(read.kind === 'invalid' ? read.message : '').toContain(`${JSON.stringify(name)} makes no sense: ${reason}`)
    expect(read.kind === 'invalid' ? read.message : '').not.toContain('\n')
  })

  it.each([
    ['sim/perfct', 'sim/perfct', 'sim/perfect'],
    ['sim/oracl', 'sim/oracl', 'sim/oracle'],
    ['sim/oracle?falt=F03:0.1', 'falt', 'fault'],
    ['sim/oracle?fault=drop_clse:0.1', 'drop_clse', 'drop_close'],
    ['sim/oracle?protocol.raect.fault=F03', 'raect', 'react'],
    ['sim/oracle?protocol.react.falt=F03', 'falt', 'fault'],
    ['sim/oracle?mode=quotas', 'quotas', 'quota'],
    ['sim/oracle?transport=ignore_stp', 'ignore_stp', 'ignore_stop'],
    ['sim/looper_forever@0.1', 'looper_forever', 'repeat_forever'],
  ])('%s tells which word is unknown, and what could stand there', (name, word, meant) => {
    const read = readModelName(name)

    const unknownWord = read.kind === 'model' ? null : read.unknownWord
    expect(unknownWord?.word).toBe(word)
    expect(unknownWord?.known).toContain(meant)
  })

  it('is quoted by its beginning only when it is long, and not read at all when it is very long', () => {
    const long = readModelName(`sim/oracle?fault=${'x'.repeat(5000)}`)
    const veryLong = readModelName(`sim/oracle?fault=${'('.repeat(1_000_000)}`)

    expect(long.kind === 'invalid' && long.message.length < 1500).toBe(true)
    expect(veryLong.kind === 'unknown' && veryLong.message.length < 1500).toBe(true)
  })

  it('never throws for any text', () => {
    const piece = fc.constantFrom(
      'sim/',
      'oracle',
      '?',
      '&',
      '=',
      'fault',
      'F03',
      ':',
      '@',
      '*',
      '0.5',
      ',',
      '(',
      ')',
      'protocol.react.',
    )

    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(piece).map((pieces) => pieces.join('')),
        ),
        (name) => {
          expect(['model', 'unknown', 'invalid']).toContain(readModelName(name).kind)
        },
      ),
      { numRuns: 1000 },
    )
  })
})

describe('the presets', () => {
  it.each([...PRESETS.keys()])('%s is a model', (name) => {
    expect(readModelName(name).kind).toBe('model')
  })

  it('name only faults and policies that exist', () => {
    for (const name of PRESETS.keys()) {
      for (const { faults, policies } of Object.values(specOf(name).byFormat)) {
        for (const { id } of faults) expect(FAULTS.has(id), `${name} ${id}`).toBe(true)
        for (const { id } of policies) expect(POLICIES.has(id), `${name} ${id}`).toBe(true)
      }
    }
  })
})
