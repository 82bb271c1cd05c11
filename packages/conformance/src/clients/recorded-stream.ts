import type { Api, ApiReply } from '@callspec/apis'
import { TOLERATED } from '@callspec/apis'
import { standardKind } from '@callspec/python'
import type { ClientCase } from './client-cases.ts'
import { ownReading, streamOf } from './client-stream.ts'
import type { StreamChange } from './stream-change.ts'
import { sound } from './stream-change.ts'

/** The case of a recorded stream: its reply is what callspec reads. null for a text that is no stream of events. */
export function recordedCase(id: string, text: string, api: Api): ClientCase | null {
  const reading = ownReading(text, api)
  if (reading === null) return null
  const meaning = meaningOf(reading)
  const laws = reading.breaches.map(({ law }) => law)
  const own = sound('recorded', 'nothing changed since it was recorded', () => ({}))
  return {
    ...{ id, api, seed: id },
    change: { ...own, ...meaning, laws },
    stream: streamOf([{ raw: text }]),
    said: { items: reading.items, finish: reading.finish ?? '', usage: reading.usage },
  }
}

/** What the laws that a stream breaks leave of its meaning. */
function meaningOf({ error, finish, items, breaches }: ApiReply): Pick<StreamChange, 'kind' | 'showsArguments'> {
  const calls = items.filter((item) => item.kind === 'call')
  const isNameless = calls.some(({ name }) => name === '')
  const isLost = error !== null || finish === null || isNameless || breaches.some(({ law }) => law === 'M4')
  const isBroken = finish !== 'length' && calls.some(({ arguments: args }) => standardKind(args) !== 'object')
  if (isLost || isBroken) return { kind: 'lost', showsArguments: !isLost }
  return { kind: breaches.some(({ law }) => !TOLERATED.has(law)) ? 'readable' : 'sound', showsArguments: false }
}
