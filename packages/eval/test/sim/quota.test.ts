import { describe, expect, it } from 'vitest'
import { readModelName } from '@callspec/sim'
import type { ModelSpec, Passes, Reference } from '@callspec/sim'
import {
  createExamples,
  createEpisodeDraws,
  dealOut,
  loadReferences,
  ModelNameError,
  SPOKEN_FORMATS,
} from '../../../sim/test/helpers/parts.ts'
import type { EpisodeDraw, SimFormat } from '../../../sim/test/helpers/parts.ts'
import { passAt } from '../../src/statistics/rate.ts'
import { mcnemar } from '../../src/statistics/exact.ts'
import { tally } from '../helpers/simulate.ts'

const references = loadReferences()
const examples = createExamples(references)

function specNamed(name: string): ModelSpec {
  const read = readModelName(name)
  if (read.kind !== 'model') throw new Error(read.message)
  return read.spec
}

function episodes(repeat: number): readonly { readonly reference: Reference; readonly sample: number }[] {
  return Array.from({ length: repeat }, (_, sample) => references.map((reference) => ({ reference, sample }))).flat()
}

function dealt(
  name: string,
  { format, repeat }: { readonly format: SimFormat; readonly repeat: number },
): Readonly<Record<string, number>> {
  const deal = dealOut(episodes(repeat), { spec: specNamed(name), format, examples })
  return tally([...deal.values()].map((share) => share.id))
}

/** Many tasks that differ in nothing but their names. */
function copies(count: number): readonly Reference[] {
  const [first] = references
  if (first === undefined) throw new Error('the suite is empty')
  return Array.from({ length: count }, (_, at) => ({ ...first, task: `S01@${at}`, query: `${at}: ${first.query}` }))
}

function wins(
  name: string,
  {
    tasks,
    format,
    repeat = 1,
    passes = null,
  }: {
    readonly tasks: readonly Reference[]
    readonly format: SimFormat
    readonly repeat?: number
    readonly passes?: Passes | null
  },
): readonly boolean[] {
  const drawOf = createEpisodeDraws(tasks, { examples, passes })
  const spec = specNamed(name)
  return tasks.flatMap((reference) =>
    Array.from({ length: repeat }, (_, sample): EpisodeDraw => drawOf({ spec, format, reference, sample })).map(
      (episodeDraw) => episodeDraw.policy === null,
    ),
  )
}

const share = (won: readonly boolean[]): number => won.filter(Boolean).length / won.length

describe('a quota', () => {
  it('of a rate is exact over all episodes, policies and faults alike', () => {
    const policies =
      'sim/repeat_forever@0.08,error_spiral@0.04,never_final@0.03,truncated@0.05,premature@0.12,plain_stop@0.06'

    expect(dealt(`${policies}?mode=quota`, { format: 'react', repeat: 25 })).toEqual({
      repeat_forever: 84,
      error_spiral: 42,
      never_final: 32,
      truncated: 53,
      premature: 126,
      plain_stop: 63,
    })
    expect(dealt('sim/oracle?mode=quota&fault=F03:0.12,F20:0.05', { format: 'fncall-nous', repeat: 10 })).toEqual({
      F03: 50,
      F20: 21,
    })
  })

  it('of a count is exact in every pass', () => {
    for (const format of SPOKEN_FORMATS) {
      const { faults = [], policies = [] } = specNamed('sim/faulty').byFormat[format] ?? {}
      const wanted = [...faults, ...policies].map(({ id, amount }) => [
        id,
        amount.kind === 'count' ? amount.count * 3 : 0,
      ])

      expect(dealt('sim/faulty', { format, repeat: 3 })).toEqual(Object.fromEntries(wanted.sort()))
    }
  })

  it('is exact inside every category and language when it is stratified', () => {
    const deal = dealOut(episodes(10), {
      spec: specNamed('sim/premature@0.3?mode=stratified'),
      format: 'react',
      examples,
    })

    const affected = tally(
      episodes(10)
        .filter(({ reference, sample }) => deal.has(`${sample}\u001f${reference.task}`))
        .map(({ reference }) => `${reference.category} ${reference.lang}`),
    )
    const sizes = tally(references.map(({ category, lang }) => `${category} ${lang}`))
    expect(affected).toEqual(
      Object.fromEntries(Object.entries(sizes).map(([name, size]) => [name, Math.round(size * 10 * 0.3)])),
    )
  })

  it('of a count is exact in every pass even if the server knows how many there are', () => {
    const drawOf = createEpisodeDraws(references, { examples, passes: { seed: 5, repeat: 3 } })
    const spec = specNamed('sim/faulty')

    const affected = [5, 6, 7].map((sample) => {
      const draws = references.map((reference) => drawOf({ spec, format: 'react', reference, sample }))
      return draws.filter((episodeDraw) => episodeDraw.policy !== null).length
    })

    expect(affected).toEqual([3, 3, 3])
  })

  it('affects other tasks in another pass, and the same ones when asked again', () => {
    const spec = specNamed('sim/faulty')
    const affected = (sample: number): readonly string[] =>
      [
        ...dealOut(
          references.map((reference) => ({ reference, sample })),
          { spec, format: 'react', examples },
        ),
      ]
        .map(([key, { id }]) => `${key.split('\u001f')[1] ?? ''} ${id}`)
        .sort()

    expect(affected(0)).not.toEqual(affected(1))
    expect(affected(0)).toEqual(affected(0))
  })

  it('that no suite can fill is refused, unless it is a preset', () => {
    const asked = { format: 'react' as const, examples }
    const one = references.slice(0, 1).map((reference) => ({ reference, sample: 0 }))

    expect(() => dealOut(episodes(1), { spec: specNamed('sim/oracle?mode=quota&fault=F24:0.5'), ...asked })).toThrow(
      ModelNameError,
    )
    expect(dealOut(one, { spec: specNamed('sim/faulty'), ...asked }).size).toBe(1)
  })
})

describe('a skill', () => {
  it('is how often a task is solved', () => {
    expect(
      Math.abs(share(wins('sim/oracle?skill=0.7', { tasks: references, format: 'react', repeat: 50 })) - 0.7),
    ).toBeLessThan(0.04)
    expect(share(wins('sim/oracle?skill=1', { tasks: references, format: 'react' }))).toBe(1)
    expect(share(wins('sim/oracle?skill=0', { tasks: references, format: 'react' }))).toBe(0)
  })

  it('makes the passes of a task hang together when tasks differ in difficulty', () => {
    const spread = (sigma: number): number => {
      const won = wins(`sim/oracle?skill=0.5&sigma=${sigma}`, { tasks: references, format: 'react', repeat: 40 })
      const shares = references.map((_, at) => share(won.slice(at * 40, (at + 1) * 40)))
      return shares.reduce((sum, each) => sum + (each - 0.5) ** 2, 0) / shares.length
    }

    // Independent passes: p(1-p)/n = .00625. With sigma = 2 most of the variance is between the tasks.
    expect(spread(0)).toBeLessThan(0.015)
    expect(spread(2)).toBeGreaterThan(0.05)
  })

  it('can be shared by two formats, so that discordant counts are known', () => {
    const tasks = copies(2000)
    const [react, nous] = (['react', 'fncall-nous'] as const).map((format) =>
      wins('sim/oracle?pair=react:0.6,fncall-nous:0.8&rho=1', { tasks, format }),
    )

    const onlyReact = react?.filter((won, at) => won && nous?.[at] === false).length
    const onlyNous = nous?.filter((won, at) => won && react?.[at] === false).length
    expect(onlyReact).toBe(0)
    expect(Math.abs((onlyNous ?? 0) - 400)).toBeLessThan(80)
  })

  it.each([
    [774, 168, 16, 3.8e-33],
    [400, 55, 41, 0.184],
    [400, 30, 30, 1],
  ])('can be fixed: both %i, only the first %i, only the second %i, p = %f', (both, b, c, p) => {
    const tasks = copies(1000)
    const name = `sim/oracle?mode=quota&pair=react,native&both=${both}&b=${b}&c=${c}`
    const first = wins(name, { tasks, format: 'react' })
    const second = wins(name, { tasks, format: 'native' })

    const onlyFirst = first.filter((won, at) => won && second[at] === false).length
    const onlySecond = second.filter((won, at) => won && first[at] === false).length
    expect([first.filter(Boolean).length, second.filter(Boolean).length]).toEqual([both + b, both + c])
    expect([onlyFirst, onlySecond]).toEqual([b, c])
    expect(mcnemar(onlyFirst, onlySecond) / p).toBeCloseTo(1, 2)
  })

  it('can be fixed by task: so many passes of each', () => {
    const tasks = references.slice(0, 3)
    const won = wins('sim/oracle?wins=4,2,0', { tasks, format: 'react', repeat: 4, passes: { seed: 0, repeat: 4 } })

    const tries = tasks.map((_, at) => ({ passed: won.slice(at * 4, (at + 1) * 4).filter(Boolean).length, of: 4 }))
    expect(tries.map(({ passed }) => passed)).toEqual([4, 2, 0])
    expect(passAt(tries).map(({ all }) => all.toFixed(6))).toEqual(['0.500000', '0.388889', '0.333333', '0.333333'])
  })

  it('says what it needs', () => {
    const tasks = references.slice(0, 3)

    expect(() => wins('sim/oracle?wins=4', { tasks, format: 'react' })).toThrow('wins needs to know the passes')
    expect(() => wins('sim/oracle?mode=quota&pair=react,native&both=9', { tasks, format: 'react' })).toThrow(
      'both, b and c are 9 episodes, but there are 3.',
    )
  })
})
