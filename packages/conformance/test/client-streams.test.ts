import type { Api, ApiLaw } from '@callspec/apis'
import { API_LAWS, APIS, projected } from '@callspec/apis'
import { describe, expect, it } from 'vitest'
import { fewOf, runsOf } from '../../tidy/test/share.ts'
import { answerDifference } from '../src/clients/client-answer.ts'
import { CHANGES, clientCases } from '../src/clients/client-cases.ts'
import type { ClientCase } from '../src/clients/client-cases.ts'
import { ownReading, randomOf, streamPieces, streamText } from '../src/clients/client-stream.ts'

/** Laws about texts that a client cannot judge: whether they hold a call, or a thought, that the server did not read, or lost bytes. */
const OF_SERVERS: readonly ApiLaw[] = ['C12', 'C17', 'M18', 'M19', 'R13', 'R18', 'R19']

/** Of these callspec's reader gives what was streamed: not what a reply without arguments means, or what the rest of the stream agrees on. */
const LOSSY: Readonly<Record<Api, readonly string[]>> = {
  chat: ['empty-arguments'],
  messages: [],
  responses: ['text-piece-lost', 'arguments-piece-lost'],
}

const SEEDS = fewOf([0, 1, 2, 3, 4, 5], 2)

const casesOf = (api: Api): readonly ClientCase[] => SEEDS.flatMap((seed) => clientCases(api, seed))

describe.each(APIS)('the streams of %s', (api) => {
  const cases = casesOf(api)
  const read = (item: ClientCase): ReturnType<typeof ownReading> => ownReading(streamText(item.stream), api)

  it('break the laws that their change names, and no others where what is said can be known', () => {
    const wrong = cases.flatMap((item) => {
      const laws = read(item)?.breaches.map(({ law }) => law) ?? []
      const { kind, laws: wanted } = item.change
      const isRight = kind === 'lost' ? wanted.every((law) => laws.includes(law)) : laws.join() === wanted.join()
      return isRight ? [] : [`${item.id}: ${laws.join(' ')} instead of ${wanted.join(' ')}`]
    })

    expect(wrong).toEqual([])
  })

  it('say the same under every sound change', () => {
    for (const item of cases.filter(({ change }) => change.kind === 'sound')) {
      const { items, finish, usage, error } = read(item) ?? {}
      const [own, said] = [items ?? [], item.said.items]

      expect({ id: item.id, finish, usage, error }).toEqual({
        ...{ id: item.id, error: null },
        ...{ finish: item.said.finish, usage: item.said.usage },
      })
      expect(api === 'chat' ? projected(own) : own, item.id).toEqual(api === 'chat' ? projected(said) : said)
    }
  })

  it('hold the reply, digit by digit, under every change after which it can be known', () => {
    const wrong = cases.flatMap((item) => {
      const reading = read(item)
      if (item.change.kind !== 'readable' || reading === null) return []
      const answer = { ...reading, error: null }
      const open = [...item.change.open, 'usage', 'finish'] as const
      const difference = answerDifference(answer, { api, omits: [], said: item.said, open })
      return difference === null ? [] : [item.change.id]
    })

    expect(new Set(wrong)).toEqual(new Set(LOSSY[api]))
  })

  it('are changed by each change, and have ids of their own', () => {
    const first = clientCases(api, 0)
    const used = new Set(first.map(({ change }) => change.id))

    expect(CHANGES[api].map(({ id }) => id).filter((id) => !used.has(id))).toEqual([])
    expect(new Set(first.map(({ id }) => id)).size).toBe(first.length)
  })

  it('break each law that a client can notice', () => {
    const broken = new Set(CHANGES[api].flatMap(({ laws }) => laws))
    const initial = { chat: 'C', messages: 'M', responses: 'R' }[api]
    const own = (Object.keys(API_LAWS) as ApiLaw[]).filter((law) => law.startsWith(initial))

    expect(own.filter((law) => !broken.has(law) && !OF_SERVERS.includes(law))).toEqual([])
  })

  it('are the same bytes for the same seed, however they are cut', () => {
    const [one, other] = [clientCases(api, 7), clientCases(api, 7)]
    for (const [at, item] of one.entries()) {
      const bytes = (each: ClientCase | undefined): readonly string[] =>
        each === undefined ? [] : streamPieces(each.stream, randomOf(each.seed)).map((piece) => piece.toString('hex'))

      expect(bytes(item)).toEqual(bytes(other[at]))
      expect(bytes(item).join('')).toBe(Buffer.from(streamText(item.stream)).toString('hex'))
    }
  })
})

describe('the numbers of a seed', () => {
  it('are within their limit', () => {
    const random = randomOf('a')
    const drawn = Array.from({ length: runsOf(100, 1000) }, () => random.below(3))

    expect(new Set(drawn)).toEqual(new Set([0, 1, 2]))
    expect(random.below(0)).toBe(0)
  })
})
