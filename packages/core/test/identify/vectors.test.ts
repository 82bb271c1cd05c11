import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { FORMATS } from '../../src/formats/index.ts'
import { identifyReply } from '../../src/identify/identify-reply.ts'
import { loads, isDict, isList } from '@callspec/python'
import type { PyDict } from '@callspec/python'

const FOLDER = new URL('../../../../../shared/vectors/formats/', import.meta.url)

interface Recorded {
  readonly id: string
  readonly format: string
  readonly text: string
  readonly tools: readonly PyDict[]
  readonly hasCall: boolean
}

/** Every strict reply of a format that is known. */
const RECORDED: readonly Recorded[] = existsSync(FOLDER) ? readdirSync(FOLDER).flatMap(recordedIn) : []

function recordedIn(folder: string): readonly Recorded[] {
  const lines = readFileSync(new URL(`${folder}/parse.jsonl`, FOLDER), 'utf8')
    .trimEnd()
    .split('\n')
  const known = new Set<unknown>(FORMATS.map(({ id }) => id))
  return lines.flatMap((line) => {
    const read = loads(line)
    if (!isDict(read) || read.get('profile') !== 'strict' || !known.has(read.get('format'))) return []
    const [input, expected] = [read.get('input') ?? null, read.get('expected') ?? null]
    if (!isDict(input) || !isDict(expected)) return []
    const [tools, calls] = [input.get('tools') ?? null, expected.get('calls') ?? null]
    return [
      {
        id: String(read.get('id')),
        format: String(read.get('format')),
        text: String(input.get('text')),
        tools: isList(tools) ? tools.filter(isDict) : [],
        hasCall: isList(calls) && calls.length > 0,
      },
    ]
  })
}

/** Of replies: how many are right, and which are not. */
function judged(replies: readonly Recorded[], isRight: (reply: Recorded) => boolean): readonly string[] {
  return replies.filter((reply) => !isRight(reply)).map(({ id }) => id)
}

describe.skipIf(RECORDED.length === 0)('recorded replies with a call', () => {
  const replies = RECORDED.filter(({ hasCall }) => hasCall)

  it.each([...new Set(replies.map(({ format }) => format))])('of %s are identified', (id) => {
    const own = replies.filter(({ format }) => format === id)

    const wrong = judged(own, ({ text, tools, format }) => identifyReply(text, { tools }).formats.includes(format))
    const blind = judged(own, ({ text, format }) => identifyReply(text).formats.includes(format))

    // Of each format, and so of all: 99 of 100.
    expect(wrong.length / own.length, wrong.join('\n')).toBeLessThanOrEqual(0.01)
    expect(blind.length / own.length, blind.join('\n')).toBeLessThanOrEqual(0.01)
  })

  it('are never taken with some certainty for another format alone', () => {
    const isRight = ({ text, format }: Recorded): boolean => {
      const { formats: found, ranking } = identifyReply(text)
      return found.includes(format) || found.length > 1 || (ranking[0]?.score ?? 0) < 0.5
    }

    expect(judged(replies, isRight)).toEqual([])
  })
})

describe.skipIf(RECORDED.length === 0)('recorded replies without a call', () => {
  it('hold one in no format, apart from a thought that another format does not know', () => {
    const replies = RECORDED.filter(({ hasCall }) => !hasCall)

    const wrong = judged(replies, ({ text, tools }) => identifyReply(text, { tools }).formats.length === 0)

    expect(wrong.filter((id) => !/thought|draft/.test(id))).toEqual([])
  })
})
