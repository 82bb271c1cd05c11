import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { joinParts } from '../../src/conversation/conversation.ts'
import type { Format } from '../../src/format/format.ts'
import { isJson, loads, isDict, isList } from '@callspec/python'
import { FORMATS } from '../../src/formats/index.ts'
import type { PyDict, PyValue } from '@callspec/python'
import { callsOf } from '../../src/reply/item.ts'
import type { ReplyItem } from '../../src/reply/item.ts'

const FOLDER = new URL('../../../../../shared/vectors/formats/', import.meta.url)

/** The lines of a format under one operation; none where the vectors are not at hand. */
function linesOf(format: Format, op: 'parse' | 'render'): readonly PyDict[] {
  return [format.id, ...SIBLINGS.filter(([id]) => id === format.id).map(([, folder]) => folder)].flatMap((folder) => {
    const file = new URL(`${folder}/${op}.jsonl`, FOLDER)
    if (!existsSync(file)) return []
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
    return lines.map((line) => loads(line) as PyDict).filter((line) => line.get('format') === format.id)
  })
}

/** Formats whose lines are in the folder of another one. */
const SIBLINGS = [
  ['kimi-k2-thinking', 'kimi-k2'],
  ['deepseek-r1', 'deepseek-v3'],
  ['deepseek-v4', 'deepseek-v3.2'],
  ['llama-4', 'pythonic'],
  ['olmo-3', 'pythonic'],
  ['lfm2', 'pythonic'],
  ['lfm2.5', 'pythonic'],
  ['functiongemma', 'gemma-4'],
] as const

const WITH_VECTORS = FORMATS.filter((format) => existsSync(FOLDER) && linesOf(format, 'parse').length > 0)

describe.skipIf(WITH_VECTORS.length === 0)('recorded answers', () => {
  it.each(WITH_VECTORS.map((format) => [format.id, format] as const))('%s reads every strict reply', (_, format) => {
    for (const line of linesOf(format, 'parse').filter((each) => each.get('profile') === 'strict')) {
      const input = dictIn(line, 'input')
      const { items } = format.read(textIn(input, 'text'), {
        tools: listIn(input, 'tools') as readonly PyDict[],
        thoughtInContent: input.get('thought_in_content') === true,
        thinking: asksForThoughts(input),
      })

      expect([line.get('id'), readingOf(items, format)]).toEqual([line.get('id'), wantedReading(line, format)])
      expect([line.get('id'), kindsOf(items)]).toEqual([line.get('id'), wantedKinds(line) ?? kindsOf(items)])
    }
  })

  it.each(WITH_VECTORS.map((format) => [format.id, format] as const))('%s writes every strict prompt', (_, format) => {
    for (const line of linesOf(format, 'render')) {
      const version = textIn(line, 'profile')
      if (!format.versions.includes(version)) continue
      const input = dictIn(line, 'input')
      const outcome = format.prompt?.(
        {
          messages: listIn(input, 'messages') as readonly PyDict[],
          tools: input.get('tools') as readonly PyValue[] | null | undefined,
          options: new Map([...input].filter(([key]) => key !== 'messages' && key !== 'tools')),
        },
        version,
      )
      const text = outcome?.kind === 'prompted' ? joinParts(outcome.parts) : null

      expect([line.get('id'), text]).toEqual([
        line.get('id'),
        line.has('expected') ? dictIn(line, 'expected').get('text') : null,
      ])
    }
  })

  it.each(WITH_VECTORS.map((format) => [format.id, format] as const))('%s reads back what it writes', (_, format) => {
    for (const line of linesOf(format, 'parse').filter((each) => each.get('profile') === 'strict')) {
      const input = dictIn(line, 'input')
      const options = { tools: listIn(input, 'tools') as readonly PyDict[] }
      const { items } = format.read(textIn(input, 'text'), options)
      if (items.some(({ kind }) => kind === 'issue')) continue

      expect(readingOf(format.read(format.write(items), options).items, format)).toEqual(readingOf(items, format))
    }
  })
})

/** Formats whose lines leave ids out. */
const WITHOUT_IDS: ReadonlySet<string> = new Set(['command4'])

function readingOf(items: readonly ReplyItem[], { id: format, traits }: Format): unknown {
  const saying = (kind: 'text' | 'reasoning'): string =>
    items.map((item) => (item.kind === kind ? item.text : '')).join('')
  return {
    content: squeezed(saying('text')),
    reasoning: squeezed(saying('reasoning')),
    calls: callsOf(items).map(({ name, id, arguments: text, isFree }) => [
      name,
      traits.ids && !WITHOUT_IDS.has(format) ? id : null,
      isFree === true && !isJson(text) ? text : plain(loads(text)),
    ]),
  }
}

function wantedReading(line: PyDict, { traits }: Format): unknown {
  const expected = dictIn(line, 'expected')
  return {
    content: squeezed(String(expected.get('content') ?? '')),
    reasoning: squeezed(String(expected.get('reasoning') ?? '')),
    calls: (listIn(expected, 'calls') as readonly PyDict[]).map((call) => [
      call.get('name'),
      traits.ids ? (call.get('id') ?? null) : null,
      // Free text that is no JSON has no value.
      call.has('value') ? plain(call.get('value') ?? null) : textIn(call, 'arguments'),
    ]),
  }
}

/** The kinds of the items in their order. Neighbouring texts may be joined. */
function kindsOf(items: readonly ReplyItem[]): readonly unknown[] {
  return joined(items.map(({ kind }) => kind).filter((kind) => kind !== 'issue'))
}

function joined(kinds: readonly unknown[]): readonly unknown[] {
  return kinds.filter((kind, at) => kind === 'call' || kind !== kinds[at - 1])
}

/** Null for a line that does not say them. */
function wantedKinds(line: PyDict): readonly unknown[] | null {
  const items = dictIn(line, 'expected').get('items') ?? null
  return isList(items) ? joined((items as readonly PyDict[]).map((item) => item.get('type') ?? null)) : null
}

/** Whether the request switched thinking on, for formats whose thoughts are words otherwise. */
function asksForThoughts(input: PyDict): boolean {
  const request = input.get('request') ?? null
  return isDict(request) && request.get('thinking') === true
}

/** White space at the ends and where items were joined does not count. */
function squeezed(text: string): string {
  return text.replaceAll(/\s/g, '')
}

/** Integers and floats told apart, keys in no order. */
function plain(value: PyValue): unknown {
  if (isDict(value)) return new Map([...value].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([k, v]) => [k, plain(v)]))
  if (isList(value)) return value.map(plain)
  return typeof value === 'bigint' ? `int ${value}` : value
}

function dictIn(dict: PyDict, key: string): PyDict {
  const value = dict.get(key) ?? null
  if (!isDict(value)) throw new Error(`${key} is no object`)
  return value
}

function listIn(dict: PyDict, key: string): readonly PyValue[] {
  const value = dict.get(key) ?? null
  return isList(value) ? value : []
}

function textIn(dict: PyDict, key: string): string {
  return String(dict.get(key) ?? '')
}
