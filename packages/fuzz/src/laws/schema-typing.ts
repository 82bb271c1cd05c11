import type { ToolSpec } from '@callspec/core/qwen-agent'
import { isDict, isList } from '@callspec/python'
import type { PlainValue, PyValue } from '@callspec/python'
import { dumps, loads } from '@callspec/python/outcome'

import { NEAR_NUMBERS } from '../arbitraries/json.ts'
import type { Language } from '../language.ts'
import type { Law } from '../law.ts'
import type { Sample } from '../sample.ts'
import { wellFormedCalls } from './planned.ts'
import { callsIn, outcomeOf, sameArguments } from './reading.ts'

/** Where values stand as text, only the schema of the tool says what they are; where they do not, it changes nothing. */
export const schemaTyping: Law = {
  id: 'schema-typing',
  statement:
    'With the tools given, arguments are read with the types that their schemas say, as they were meant; what is none of its type stays a text.',
  guards: [16, 22],
  cost: 'linear',
  needs: 'plan',
  applies: () => true,
  ask: (sample, { language }) => {
    const written = writtenOf(sample, language)
    return written === null ? [] : [{ op: 'parse', text: written.text, tools: written.calls.map(toolOf) }]
  },
  judge: (sample, [answer], { language }) => {
    const { calls = [], text = '' } = writtenOf(sample, language) ?? {}
    const got = callsIn(outcomeOf(answer))
    const isRight = calls.every(({ name, json }, index) => {
      const call = got[index]
      return call !== undefined && sameArguments(call, { name, arguments: json })
    })
    if (isRight && got.length === calls.length) return null
    return { breach: 'type-differs', chunks: [text], expected: calls.map(({ json }) => json), got }
  },
}

interface TypedCall {
  readonly name: string
  readonly json: string
  readonly values: ReadonlyMap<PyValue, PyValue>
}

/** The calls with values of every type, and the reply that shows them; null where there is nothing to ask. */
function writtenOf(
  sample: Sample,
  language: Language,
): { readonly calls: readonly TypedCall[]; readonly text: string } | null {
  const planned = wellFormedCalls(sample, language) ?? []
  const calls = planned.flatMap(({ name, arguments: texts, typed }) => {
    const json = language.hasTextValues === true ? typed : texts
    const read = json === undefined ? null : loads(json)
    if (json === undefined || read?.kind !== 'returned' || !isDict(read.value)) return []
    return [{ name, json, values: read.value }]
  })
  // One name has one schema.
  const isClear = new Set(calls.map(({ name }) => name)).size === planned.length && planned.length > 0
  if (!isClear || calls.length < planned.length) return null
  if (language.hasTextValues !== true) return { calls, text: sample.text }
  const text = language.write({ prose: '', calls: calls.map(({ name, json }) => ({ name, arguments: json })) })
  return calls.every((call) => isShown(call, text)) ? { calls, text } : null
}

/** Some renderers print objects and lists in another language than JSON, which nobody reads back. */
function isShown({ values }: TypedCall, text: string): boolean {
  return [...values.values()].every((value) => {
    if (!isDict(value) && !isList(value)) return true
    const json = dumps(value)
    return json.kind === 'returned' && text.includes(json.value)
  })
}

function toolOf({ name, values }: TypedCall): ToolSpec {
  const properties = Object.fromEntries([...values].map(([key, value]) => [String(key), schemaOf(value)]))
  return { name, description: '', parameters: { type: 'object', properties, required: [] } }
}

function schemaOf(value: PyValue): PlainValue {
  if (typeof value === 'string') return { type: NEAR_NUMBERS.includes(value) ? 'integer' : 'string' }
  if (value === null) return { type: ['integer', 'null'] }
  if (typeof value === 'bigint') return { type: 'integer' }
  if (typeof value === 'boolean') return { type: 'boolean' }
  if (isList(value)) return { type: 'array' }
  return { type: isDict(value) ? 'object' : 'number' }
}
