import { describe, expect, it } from 'vitest'
import { grammarParts } from '../../src/format/grammar-format.ts'
import { FORMATS } from '../../src/formats/index.ts'
import { itemsAlike, named, shown, workOn } from '../grammar/read.ts'

/** Calls in a block of code, without the markers of their format. */

/** Formats whose calls are JSON objects, with the members of one. */
const JSON_FORMATS = FORMATS.flatMap((format) => {
  const { readCalls, states = {} } = grammarParts(format)?.grammar ?? {}
  if (
    readCalls === undefined ||
    readCalls.isAnyObject === true ||
    Object.values(states).some((state) => 'python' in state)
  )
    return []
  const name = format.id.startsWith('command') ? 'tool_name' : 'name'
  const given = format.id.startsWith('command') || format.id === 'llama3-json' ? 'parameters' : 'arguments'
  return [[format.id, format, `{"${name}": "f", "${given}": {"a": "b"}}`] as const]
})

it('there are such formats', () => {
  expect(JSON_FORMATS.map(([id]) => id)).toEqual(
    expect.arrayContaining(['nous', 'llama3-json', 'mistral-v3', 'granite-3', 'command-r7b', 'phi-4-mini']),
  )
})

describe.each(JSON_FORMATS)('%s: a call in a block of code', (_, format, call) => {
  const options = format.versions.includes('strict') ? { version: 'strict' } : {}
  const read = (text: string): readonly unknown[] => shown(itemsAlike(format, text, options))
  const text = `I call it:\n\`\`\`json\n${call}\n\`\`\``

  it('stays text, and is reported', () => {
    expect(read(text)).toEqual([text, `call-in-code 11–${text.length}`])
    expect(read(`${text}\nDone.`)).toEqual([`${text}\nDone.`, `call-in-code 11–${text.length}`])
    const list = `Both:\n\`\`\`json\n[${call}, ${call.replace('"f"', '"g"')}]\n\`\`\``
    const [, issue] = format.read(list, options).items
    expect(issue).toMatchObject({ message: expect.stringContaining('Names: "f", "g".') as string, weight: 'note' })
  })

  it('is not reported for other code, or code that is not JSON or not closed', () => {
    const unlike = [text.replace('json', 'py'), text.slice(0, -4), text.replace('}}', '}'), text.replace('"f"', '""')]
    for (const each of [...unlike, '```json\n{"a": 1}\n```', '```\nx\n```json\n```']) expect(read(each)).toEqual([each])
  })

  it('is read in linear time, with snapshots', () => {
    for (const piece of [`${text}\n`, text.slice(0, -3), '```json {']) {
      const [once = 0, twice = 0] = [20, 40].map((times) => workOn(format, `Hm. ${piece.repeat(times)}`, options))
      expect(twice).toBeLessThanOrEqual(2.2 * once)
    }
  })
})

it('qwen3-coder: calls are no JSON, so that JSON is a text', () => {
  const text = '```json\n{"name": "f", "arguments": {}}\n```'

  expect(shown(itemsAlike(named('qwen3-coder'), text, {}))).toEqual([text])
})
