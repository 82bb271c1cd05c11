import { describe, expect, it } from 'vitest'
import type { Reference } from '@callspec/sim'
import { loadReferences } from '../../sim/test/helpers/parts.ts'
import { judgeEpisode, longestIdenticalRun, progress } from '../src/score/verdict.ts'
import type { MadeCall } from '../src/score/verdict.ts'
import { loadBuiltInSuite } from '../src/suite/read-suite.ts'
import type { Task, Verdict } from '../src/trace/task.ts'
import { callTool } from '../src/world/call-tool.ts'
import { createWorld } from '../src/world/world.ts'

const suite = loadBuiltInSuite()
const references = new Map(loadReferences().map((reference) => [reference.task, reference]))

interface Played {
  readonly calls: readonly { readonly name: string; readonly args: unknown }[]
  readonly final: string
}

function play(task: Task, { calls, final }: Played): ReturnType<typeof judgeEpisode> {
  let world = createWorld()
  const made: MadeCall[] = calls.map(({ name, args }) => {
    const answer = callTool({ name, arguments: args, schema: suite.tools.get(name)?.en.parameters ?? {} }, world)
    world = answer.world
    return { name, args, result: answer.text }
  })
  return judgeEpisode(task.verdict, { final, calls: made, world })
}

function reference(task: Task): Reference {
  const found = references.get(task.id)
  if (found === undefined) throw new Error(`no reference for ${task.id}`)
  return found
}

const planned = (task: Task): Played['calls'] => reference(task).plan.flat()
const passing = (played: (task: Task) => Played): readonly string[] =>
  suite.tasks.filter((task) => play(task, played(task)).pass).map((task) => task.id)

describe('the verdicts of the suite', () => {
  it('pass for all 42 reference plans', () => {
    expect(passing((task) => ({ calls: planned(task), final: reference(task).final }))).toHaveLength(42)
  })

  it('fail for "I do not know." without calls', () => {
    expect(passing(() => ({ calls: [], final: 'I do not know.' }))).toEqual([])
  })

  it('fail for the right calls with an empty answer', () => {
    expect(passing((task) => ({ calls: planned(task), final: ' \n' }))).toEqual([])
  })

  it('fail for the right calls and twelve more', () => {
    const spam = Array.from({ length: 12 }, () => ({ name: 'get_time', args: {} }))

    expect(passing((task) => ({ calls: [...planned(task), ...spam], final: reference(task).final }))).toEqual([])
  })

  it('fail for the right answer without the calls that a task demands', () => {
    const guessed = passing((task) => ({ calls: [], final: reference(task).final }))

    expect(guessed.filter((id) => suite.tasks.find((task) => task.id === id)?.verdict.must !== undefined)).toEqual([])
  })

  it('fail for one repeated call, with any answer', () => {
    const first = (task: Task): Played['calls'] =>
      Array.from({ length: 9 }, () => planned(task)[0] ?? { name: 'get_time', args: {} })

    expect(passing((task) => ({ calls: first(task), final: reference(task).final }))).toEqual([])
  })

  it('give every reason by its name', () => {
    const q06 = suite.tasks.find((task) => task.id === 'Q06')
    const t05 = suite.tasks.find((task) => task.id === 'T05')
    if (q06 === undefined || t05 === undefined) throw new Error('the suite has lost a task')

    expect(play(q06, { calls: [], final: 'none' }).reasons).toEqual([
      'answer_num',
      'missing_call:fs_list',
      'missing_call:fs_read',
      'missing_call:kv_set',
      'state:kv.log:errors',
    ])
    expect(
      play(t05, { calls: [{ name: 'send_message', args: { to: 'x', body: 'y' } }], final: 'sent' }).reasons,
    ).toEqual(['answer_re', 'missing_call:find_contact', 'forbidden_call:send_message', 'state:sent.length'])
  })
})

describe('a number in an answer', () => {
  const number = (final: string, num: number, tol?: number): boolean =>
    judgeEpisode({ answer: { num, ...(tol === undefined ? {} : { tol }) } }, { final, calls: [], world: createWorld() })
      .pass

  it('counts with thousands commas, full-width digits and a dash before it', () => {
    expect(number('about 469,787.5 yen', 469787.5)).toBe(true)
    expect(number('结果是２５。', 25)).toBe(true)
    expect(number('range 12-25', 25)).toBe(true)
  })

  it('does not count inside a longer one or outside the tolerance', () => {
    expect(number('251', 25)).toBe(false)
    expect(number('13.83', 13.81, 0.01)).toBe(false)
  })
})

describe('calls that a verdict names', () => {
  const call = (name: string, args: unknown = {}): MadeCall => ({ name, args, result: '' })
  const reasons = (verdict: Omit<Verdict, 'answer'>, ...calls: readonly MadeCall[]): readonly string[] =>
    judgeEpisode({ answer: { any: true }, ...verdict }, { final: 'x', calls, world: createWorld() }).reasons

  it('have to be made in their order where it says so', () => {
    const must = [{ name: 'a' }, { name: 'b' }]

    expect(reasons({ must, order: 'seq' }, call('b'), call('a'))).toEqual(['missing_call:b'])
    expect(reasons({ must, order: 'seq' }, call('a'), call('c'), call('b'))).toEqual([])
    expect(reasons({ must }, call('b'), call('a'))).toEqual([])
  })

  it('need a call each in an order, and may share one without', () => {
    const must = [{ name: 'a' }, { name: 'a' }]

    expect(reasons({ must, order: 'seq' }, call('a'))).toEqual(['missing_call:a'])
    expect(reasons({ must }, call('a'))).toEqual([])
  })

  it('must not be made even once, and every one that was is named', () => {
    const mustNot = [{ name: 'x' }, { name: 'y', args: { path: '/secret' } }]

    expect(reasons({ mustNot }, call('a'), call('x'))).toEqual(['forbidden_call:x'])
    expect(reasons({ mustNot }, call('a'), call('y', { path: '/secret', more: 1 }))).toEqual(['forbidden_call:y'])
    expect(reasons({ mustNot }, call('x'), call('y', { path: '/secret' }))).toHaveLength(2)
    expect(reasons({ mustNot }, call('y', { path: '/open' }), call('y'))).toEqual([])
  })

  it('match in depth, lists whole and objects in part', () => {
    const must = [{ name: 'a', args: { where: { x: 1 }, of: [1, { y: 2 }] } }]

    expect(reasons({ must }, call('a', { where: { x: 1, z: 2 }, of: [1, { y: 2 }], more: true }))).toEqual([])
    for (const args of [
      { where: { x: 2 }, of: [1, { y: 2 }] },
      { where: { x: 1 }, of: [1] },
      { where: 1, of: [] },
      {},
      [],
      null,
      'x',
    ])
      expect(reasons({ must }, call('a', args))).toEqual(['missing_call:a'])
  })

  it('are counted at both ends of what is allowed', () => {
    const two = [call('a'), call('b')]

    expect(reasons({ minCalls: 2, maxCalls: 2 }, ...two)).toEqual([])
    expect(reasons({ minCalls: 3 }, ...two)).toEqual(['too_few_calls'])
    expect(reasons({ maxCalls: 1 }, ...two)).toEqual(['too_many_calls'])
    expect(reasons({ maxIdentical: 2 }, call('a'), call('a'))).toEqual([])
    expect(reasons({ maxIdentical: 1 }, call('a'), call('b'), call('a'), call('a'))).toEqual(['too_many_identical'])
  })
})

describe('progress', () => {
  const call = (name: string): MadeCall => ({ name, args: {}, result: '' })

  it('counts the demanded calls in order where the verdict says so', () => {
    const must = [{ name: 'a' }, { name: 'b' }]

    expect(progress({ answer: {}, must, order: 'seq' }, [call('b'), call('a')])).toBe(0.5)
    expect(progress({ answer: {}, must }, [call('b'), call('a')])).toBe(1)
    expect(progress({ answer: {}, must }, [call('b'), call('b')])).toBe(0.5)
    expect(progress({ answer: {}, must }, [])).toBe(0)
    expect(progress({ answer: {} }, [call('a')])).toBeNull()
  })

  it('in order is as much as fits, not as much as comes first', () => {
    const must = ['a', 'b', 'c'].map((name) => ({ name }))

    expect(progress({ answer: {}, must, order: 'seq' }, [call('b'), call('c'), call('a')])).toBeCloseTo(2 / 3, 12)
  })
})

describe('an identical run', () => {
  it('ends where the result differs, and does not depend on key order', () => {
    const calls = [
      { name: 'a', args: { x: 1, y: 2 }, result: 'no' },
      { name: 'a', args: { y: 2, x: 1 }, result: 'no' },
      { name: 'a', args: { x: 1, y: 2 }, result: 'yes' },
    ]

    expect(longestIdenticalRun(calls)).toBe(2)
  })

  it('is as long as calls are alike, and one where no two are', () => {
    const made = (...names: readonly string[]): MadeCall[] => names.map((name) => ({ name, args: {}, result: '' }))

    expect(longestIdenticalRun(made('a', 'a', 'a', 'b'))).toBe(3)
    expect(longestIdenticalRun(made('a', 'b', 'a', 'b'))).toBe(1)
  })
})

describe('the arguments of an expected call', () => {
  const area = (args: unknown): MadeCall => ({ name: 'area', args, result: '' })
  const expected = { name: 'area', args: { base: 1 }, oneOf: { height: [2, 3] }, ifGiven: { unit: ['m', { k: 1 }] } }

  it.each([
    [{ base: 1, height: 3 }, true],
    [{ base: 1, height: 2, unit: { k: 1 } }, true],
    [{ base: 1, height: 2, unit: 'cm' }, false],
    [{ base: 1, height: 4 }, false],
    [{ base: 1 }, false],
    [{ base: 2, height: 2 }, false],
    ['base', false],
    [null, false],
  ])('may be one of several values, or left out: %j', (args, passes) => {
    const verdict: Verdict = { answer: {}, must: [expected] }

    expect(judgeEpisode(verdict, { final: null, calls: [area(args)], world: createWorld() }).pass).toBe(passes)
  })

  it.each([null, 'base', [2], 7])('are not %j where one of several values is asked for alone', (args) => {
    const verdict: Verdict = { answer: {}, must: [{ name: 'area', oneOf: { height: [2, 3] } }] }

    expect(judgeEpisode(verdict, { final: null, calls: [area(args)], world: createWorld() }).pass).toBe(false)
  })

  it('tell a list from an object whose keys are its places', () => {
    const verdict: Verdict = { answer: {}, must: [{ name: 'area', oneOf: { sides: [[4, 5]] } }] }
    const passes = (sides: unknown): boolean =>
      judgeEpisode(verdict, { final: null, calls: [area({ sides })], world: createWorld() }).pass

    expect([passes([4, 5]), passes({ 0: 4, 1: 5 }), passes([5, 4])]).toEqual([true, false, false])
  })

  it('are all that counts where no answer is asked for', () => {
    const verdict: Verdict = { answer: { num: 7 }, must: [expected] }
    const calls = [area({ base: 1, height: 2 })]
    const judged = (final: string | null): readonly string[] =>
      judgeEpisode(verdict, { final, calls, world: createWorld() }).reasons

    expect(judged(null)).toEqual([])
    expect(judged('')).toEqual(['no_final_answer'])
  })
})
