import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { dumps, isDict, isList, loads, strip } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'
import { describe, expect, it } from 'vitest'
import { EXPORTED_FORMATS, exportTemplate } from '../src/export/index.ts'
import { cutEvery, loadTemplate, readReply, streamReply } from '../src/index.ts'
import type { ReadResult, ReadSettings, ResponseTemplate } from '../src/index.ts'
import { lintResponseTemplate } from '../src/lint/index.ts'
import { dictOf } from './helpers/vectors.ts'

function exported(format: string, target: 'transformers' | 'vllm' = 'transformers'): PyDict {
  const answer = exportTemplate(format, target)
  if (answer.kind !== 'exported') throw new Error(`${format} is not exported.`)
  return answer.template
}

function templateOf(format: string): ResponseTemplate {
  const loaded = loadTemplate(exported(format))
  if (loaded.kind === 'refused') throw new Error(loaded.fault.message)
  return loaded.template
}

describe('an export', () => {
  it.each(EXPORTED_FORMATS)('of %s loads for both readers, and the lint finds nothing', async (format) => {
    const found = await lintResponseTemplate(exported(format))

    expect(found.map(({ id }) => id)).toEqual([])
    expect(loadTemplate(exported(format, 'vllm')).kind).toBe('loaded')
    expect(dumps(exported(format, 'vllm'))).not.toMatch(/"(?:content|thinking)": \{[^{}]*"join"/)
  })

  it.each([
    [
      'nous',
      '<think>\nHm.\n</think>\n\nLet me look.\n<tool_call>\n{"name": "f", "arguments": {"x": 1}}\n</tool_call><|im_end|>\n',
    ],
    [
      'qwen3-coder',
      '<think>Hm.</think>Let me look.\n<tool_call>\n<function=f>\n<parameter=x>\n1\n</parameter>\n</function>\n</tool_call><|im_end|>',
    ],
    [
      'glm-4.5',
      '\n<think>Hm.</think>\nLet me look.\n<tool_call>f\n<arg_key>x</arg_key>\n<arg_value>1</arg_value>\n</tool_call><|observation|>',
    ],
    [
      'kimi-k2',
      '<think>Hm.</think>Let me look.<|tool_calls_section_begin|><|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{"x": 1}<|tool_call_end|><|tool_calls_section_end|><|im_end|>',
    ],
    [
      'harmony',
      '<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>commentary<|message|>Let me look.<|end|><|start|>assistant<|channel|>commentary to=functions.f <|constrain|>json<|message|>{"x": 1}<|call|>',
    ],
    [
      'minimax-m2',
      '<think>Hm.</think>Let me look.\n<minimax:tool_call>\n<invoke name="f">\n<parameter name="x">1</parameter>\n</invoke>\n</minimax:tool_call>[e~[',
    ],
  ])('of %s reads a thought, a text and a call, whole and in single characters', (format, reply) => {
    const template = templateOf(format)
    const tools = loads('[{"name": "f", "parameters": {"properties": {"x": {"type": "integer"}}}}]')
    const settings = { prefix: '', tools }

    const whole = readReply(template, reply, settings)
    const message = whole.kind === 'read' ? whole.message : new Map<string, PyValue>()
    expect([message.get('thinking'), message.get('content')]).toEqual(['Hm.', 'Let me look.'])
    expect(dumps(callsOf(message))).toBe('[["f", {"x": 1}]]')
    expect(streamed(template, reply, settings)).toEqual(whole)
  })

  it('says why a format cannot be one', () => {
    expect([
      exportTemplate('llama-4').kind,
      exportTemplate('deepseek-v3.2').kind,
      exportTemplate('react').kind,
    ]).toEqual(['not-possible', 'not-possible', 'not-written'])
  })
})

function callsOf(message: PyDict): PyValue {
  const calls = message.get('tool_calls') ?? []
  return isList(calls)
    ? calls.map((call) => {
        const called = isDict(call) ? dictOf(call.get('function') ?? null) : new Map<string, PyValue>()
        return [called.get('name') ?? null, called.get('arguments') ?? null]
      })
    : null
}

function streamed(template: ResponseTemplate, reply: string, settings: ReadSettings): ReadResult {
  const stream = streamReply(template, settings)
  for (const chunk of cutEvery(reply, 1)) stream.feed(chunk)
  return stream.end().result
}

const FORMATS = resolve(import.meta.dirname, '../../../../shared/vectors/formats')

/** Strict replies that an export reads as they are meant, of how many. */
const STRICT: readonly (readonly [format: string, right: number, of: number])[] = [
  ['qwen3.5', 41, 41],
  ['qwen3-coder', 92, 93],
  ['glm-4.5', 99, 103],
  ['glm-4.7', 100, 101],
  ['llama3-json', 50, 51],
  ['harmony', 73, 74],
  ['gemma-4', 40, 42],
  ['functiongemma', 25, 25],
  ['command-r7b', 53, 55],
  ['kimi-k2', 53, 53],
  ['deepseek-v3.1', 37, 37],
  ['deepseek-v3', 39, 39],
  ['minimax-m2', 88, 89],
  ['seed-oss', 81, 83],
  ['hy-v3', 80, 86],
  ['gigachat3', 94, 99],
  ['hunyuan-a13b', 89, 94],
  ['granite-3', 43, 45],
  ['phi-4-mini', 45, 46],
  ['mistral-v3', 52, 52],
  ['mistral-v11', 46, 49],
  ['mistral-v13', 50, 52],
]

describe.skipIf(!existsSync(FORMATS))('strict replies', () => {
  it.each(STRICT)('%s: %d of %d are right, and no stream differs', (format, right, of) => {
    const template = templateOf(format)
    const counts = { right: 0, of: 0 }
    const differing: string[] = []
    for (const line of strictLines(format)) {
      const input = dictOf(line.get('input') ?? null)
      const settings = {
        prefix: prefixOf(template, input.get('thought_in_content') === true),
        tools: input.get('tools') ?? null,
      }
      const text = String(input.get('text'))
      const result = readReply(template, text, settings)
      counts.of += 1
      if (isRight(dictOf(line.get('expected') ?? null), result)) counts.right += 1
      if (!isAlike(streamed(template, text, settings), result)) differing.push(String(line.get('id')))
    }

    expect(differing).toEqual([])
    expect(counts).toEqual({ right, of })
  })
})

function strictLines(format: string): readonly PyDict[] {
  const path = `${FORMATS}/${format === 'functiongemma' ? 'gemma-4' : format}/parse.jsonl`
  const lines = readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
  return lines
    .map((line) => dictOf(loads(line)))
    .filter((line) => line.get('profile') === 'strict' && line.get('format') === format && line.has('expected'))
}

function prefixOf(template: ResponseTemplate, isThinking: boolean): string {
  const anchor = template.anchor.kind === 'literals' ? (template.anchor.literals[0] ?? '') : ''
  const open = template.fields.find(({ name }) => name === 'thinking')?.open
  return isThinking ? anchor + (open?.kind === 'literals' ? (open.literals[0] ?? '') : '<think>') : anchor
}

function isRight(expected: PyDict, result: ReadResult): boolean {
  if (result.kind === 'raised') return false
  const { message } = result
  const same = (left: PyValue | undefined, right: PyValue | undefined): boolean =>
    strip(String(left ?? '')) === strip(String(right ?? ''))
  const wanted = expected.get('calls') ?? []
  const calls = isList(wanted)
    ? wanted
        .map(dictOf)
        .map((call) => [
          call.get('name') ?? null,
          call.has('value') ? (call.get('value') ?? null) : (call.get('arguments') ?? null),
        ])
    : []
  return (
    dumps(callsOf(message)) === dumps(calls) &&
    same(message.get('content'), expected.get('content')) &&
    same(message.get('thinking'), expected.get('reasoning'))
  )
}

function isAlike(left: ReadResult, right: ReadResult): boolean {
  if (left.kind === 'read' && right.kind === 'read') return dumps(left.message) === dumps(right.message)
  return left.kind === right.kind
}
