import { describe, expect, it } from 'vitest'
import { FORMATS } from '../../src/formats/index.ts'
import { replyOf } from '../../src/reply/event.ts'
import type { ReplyEvent } from '../../src/reply/event.ts'
import { callsOf } from '../../src/reply/item.ts'
import type { ReplyItem } from '../../src/reply/item.ts'

const CALL: ReplyItem = { kind: 'call', name: 'clock', arguments: '{"zone": "UTC"}', id: null }
const TEXT: ReplyItem = { kind: 'text', text: 'It is noon.' }

/** Every version in which a format reads, and every token that may end a reply of it. */
const STOPS = FORMATS.flatMap((format) =>
  (format.readVersions ?? format.versions).flatMap((version) => {
    const { stops } = format.inVersion?.(version) ?? format
    return [...stops.end, ...stops.handOver].map((stop) => [format.id, version, stop, format] as const)
  }),
)

const isOfReference = (version: string): boolean => version.startsWith('qwen-agent@')

describe.each(STOPS.filter(([, version]) => !isOfReference(version)))(
  '%s at %s: a reply that still ends with %s',
  (_, version, stop, format) => {
    it.each([
      ['a call', [CALL], ''],
      ['a call, and a line feed behind it', [CALL], '\n'],
      ['a text', [TEXT], ''],
    ])('is read as without it, and noted: %s', (_name, items, behind) => {
      const text = (format.inVersion?.(version) ?? format).write(items)
      const whole = format.read(text, { version })
      const left = format.read(text + stop + behind, { version })

      const issues = left.items.filter((item) => item.kind === 'issue')
      expect(callsOf(left.items)).toEqual(callsOf(whole.items))
      expect(callsOf(left.items).length).toBe(callsOf(items).length)
      expect(issues.map(({ code, weight }) => [code, weight])).toEqual([['stop-token-left', 'note']])
      expect(issues[0]).toMatchObject({ start: text.length, end: text.length + stop.length })
    })
  },
)

describe.each(STOPS.filter(([, version]) => isOfReference(version)))(
  '%s at %s, where the reference takes a stop token for text: one at the end, %s,',
  (_, version, stop, format) => {
    it.each([1, 3, 100])('is noted in chunks of %s', (size) => {
      for (const behind of ['', '\n', ' '.repeat(40)]) {
        const text = format.write([TEXT])
        const whole = text + stop + behind
        const reader = format.createReader({ version })
        const events: ReplyEvent[] = []
        for (let at = 0; at < whole.length; at += size) events.push(...reader.push(whole.slice(at, at + size)))
        const last = replyOf([...events, ...reader.end()]).items.at(-1)

        expect(last).toMatchObject({ kind: 'issue', code: 'stop-token-left', weight: 'note', start: text.length })
        expect(last).toEqual(format.read(whole, { version }).items.at(-1))
        expect(last).toEqual(reader.snapshot().items.at(-1))
      }
    })

    it('is not one where text follows it', () => {
      const { items } = format.read(`It is${stop} noon.`, { version })

      expect(items.filter((item) => item.kind === 'issue' && item.code === 'stop-token-left')).toEqual([])
    })
  },
)
