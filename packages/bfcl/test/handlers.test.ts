import { isLiteralDict, isLiteralList, toPlain } from '@callspec/python'
import type { PyLiteral, PyValue } from '@callspec/python'
import { describe, expect, it } from 'vitest'
import { handlerOfModel, BFCL_HANDLERS } from '../src/handlers/table.ts'
import type { BfclLanguage } from '../src/check-value.ts'

/** What a handler makes of an output, as plain data; undefined where it fails. */
function decode(handler: string, output: PyValue, language: BfclLanguage = 'python'): unknown {
  const read = BFCL_HANDLERS[handler]?.strict(output, language)
  if (read === undefined) throw new Error(`no handler ${handler}`)
  return read.kind === 'failed' ? undefined : plain(read.value)
}

function plain(value: PyLiteral): unknown {
  if (isLiteralList(value)) return value.map(plain)
  if (isLiteralDict(value)) return Object.fromEntries([...value].map(([key, member]) => [String(key), plain(member)]))
  return typeof value === 'bigint' ? toPlain(value) : value
}

const F1 = [{ f: { a: 1 } }]

describe('a handler of call lists', () => {
  it.each<readonly [string, string, unknown]>([
    ['gpt', '[f(a=1)]', F1],
    ['gpt', 'f(a=1)', undefined],
    ['gpt', '```python\n[f(a=1)]\n```', undefined],
    ['claude', ' f(a=1)', F1],
    ['claude', '  f(a=1)]', F1],
    ['claude', ' \n[f(a=1)]', undefined],
    ['claude', '', undefined],
    ['oss', ' [f(a=1)', F1],
    ['cohere', 'f(a=1)', F1],
    ['cohere', ' f(a=1)', F1],
    ['llama', '\nf(a=1)\n', F1],
    ['llama', '[f(a="x\ny")]', [{ f: { a: 'xy' } }]],
    ['mistral', 'f\\_g(a=1)', [{ f_g: { a: 1 } }]],
    ['gorilla', 'f(a=1), f(a=1)', [...F1, ...F1]],
    ['gorilla', '[f(a=1)]', undefined],
    ['nexus', 'f(a=1);f(a=1);', [...F1, ...F1]],
    ['nexus', "f(a='x;y');", [{ f: { a: 'x,y' } }]],
    ['nexus', "out_of_domain(user_query='x');", 'irrelevant'],
    ['nexus', 'out_of_domain(', undefined],
    ['arctic', "['f(a=1)', 'f(a=1)']", [...F1, ...F1]],
    ['nvidia', "['f(a=1)','f(a=1)'", undefined],
    ['nvidia', 'f(a=1)\n', F1],
    ['databricks', "['f(a=1)']", F1],
    ['databricks', "[f(a='x')]", [{ f: { a: 'x' } }]],
    ['databricks', "[f(a='x y')]", [{ f: { a: 'x y' } }]],
    ['databricks', "f(a='x y')", undefined],
    ['deepseek', 'Sure:\n```python\nx = [f(a=1)]\n```', F1],
    ['deepseek', '```[f(a=[1, 2])]```', undefined],
    ['deepseek', '[f(a=1)]', undefined],
    ['gemma', 'Sure: [f(a=1)] done', F1],
    ['gemma', '[f(a=1)] or [f(a=1)]', undefined],
    ['gemma', ']f(a=1)[', undefined],
    ['python', "```\n['f(a=1)']```", undefined],
    ['python', '```\n[f(a=1)]\n```', F1],
    ['python', 'f()', [{ f: {} }]],
  ])('%s: %j', (handler, output, calls) => {
    expect(decode(handler, output)).toEqual(calls)
  })

  it('fails for an output that is not a text', () => {
    for (const handler of ['gpt', 'claude', 'python', 'hermes', 'xlam', 'glm', 'granite'])
      expect(decode(handler, [new Map([['f', '{}']])])).toBeUndefined()
  })
})

describe('a handler of native calls', () => {
  it.each<readonly [string, PyValue, unknown]>([
    ['gpt-fc', [new Map([['f', '{"a": 1}']])], F1],
    ['gpt-fc', [new Map([['f', new Map([['a', 1n]])]])], undefined],
    ['gpt-fc', 'I need to know more.', undefined],
    ['gpt-fc', '', []],
    ['gpt-fc', null, undefined],
    ['gpt-fc', [new Map([['f', '{"a": 1']])], undefined],
    ['gpt-fc', [new Map<string, PyValue>()], undefined],
    ['mistral-fc', [new Map([['f', '[]']])], [{ f: [] }]],
    ['gemini', new Map([['f', '{"a": 1}']]), F1],
    ['gemini', ['I need to know more.'], undefined],
    ['gemini', '', undefined],
    ['cohere-fc', [new Map([['f', new Map([['a', 1n]])]])], F1],
    ['native', [new Map([['f', new Map([['a', 1n]])]])], F1],
  ])('%s: %j', (handler, output, calls) => {
    expect(decode(handler, output)).toEqual(calls)
  })

  it('does not change values for Java, except one handler that makes texts', () => {
    const output = [new Map([['f', new Map<string, PyValue>([['a', true], ['b', [1n]]])]])] // prettier-ignore

    expect(decode('cohere-fc', output, 'java')).toEqual([{ f: { a: true, b: [1] } }])
    expect(decode('cohere-fc-optimized', output, 'java')).toEqual([{ f: { a: 'true', b: '[1]' } }])
    expect(decode('cohere-fc-optimized', output)).toEqual([{ f: { a: true, b: [1] } }])
  })
})

describe('a handler of calls in JSON', () => {
  it.each<readonly [string, string, unknown]>([
    ['hermes', '<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>', F1],
    ['hermes', '<tool_call>{"name": "f", "arguments": {"a": 1}}</tool_call>', []],
    ['hermes', `<tool_call>\n{'name': 'f', 'arguments': {"a": 1}}\n</tool_call>`, F1],
    ['hermes', '<tool_call>\n{"name": "f", "arguments": {"a": "it\'s"}}\n</tool_call>', undefined],
    ['hermes', '<tool_call>\n{"name": "f"}\n</tool_call>', undefined],
    ['hermes', '<tool_call>\n</tool_call>\n{"name"', []],
    ['glm', 'f\n{"a": 1}\ng\n{"b": 2}', F1],
    ['glm', 'f', ['f']],
    ['glm', 'f\n\n{"a": 1}', undefined],
    ['granite', '<function_call> {"name": "f", "arguments": {"a": 1}}', F1],
    ['granite', '<function_call> {"name": "no_function", "arguments": {}}', ['No function is called']],
    ['granite', '<function_call> {"name": "f"', ['{"name": "f"']],
    ['granite', '<function_call> {"name": " f "}', [{ f: {} }]],
    ['granite', '<function_call> [1]', undefined],
    ['xlam', '{"tool_calls": [{"name": "f", "arguments": {"a": 1}}]}', F1],
    ['xlam', '[{"name": "f", "arguments": {"a": 1}}, 2]', F1],
    ['xlam', '{"name": "f", "arguments": {"a": 1}}', []],
    ['xlam', 'no JSON', 'no JSON'],
    ['xlam', '1', undefined],
    ['xlam', '{"tool_calls": null}', undefined],
    ['xlam', '{"tool_calls": "f"}', []],
    ['xlam', '[{"name": ["f"]}]', undefined],
    ['glaive', `<functioncall> {"name": "f", "arguments": '{"a": 1}'}`, F1],
    ['glaive', 'f', undefined],
  ])('%s: %j', (handler, output, calls) => {
    expect(decode(handler, output)).toEqual(calls)
  })

  it('turns values into texts for Java and JavaScript as the reference does', () => {
    const call = '{"name": "f", "arguments": {"a": [1, true], "b": "x"}}'

    expect(decode('hermes', `<tool_call>\n${call}\n</tool_call>`, 'java')).toEqual([{ f: { a: '[1, True]', b: 'x' } }])
    expect(decode('glaive', call, 'javascript')).toEqual([{ f: { a: '[1, True]', b: 'x' } }])
    expect(decode('xlam', `[${call}]`, 'java')).toEqual([{ f: { a: [1, true], b: 'x' } }])
  })
})

describe('the handler of a model', () => {
  it.each([
    ['gpt-4-0613', 'gpt'],
    ['gpt-4-0613-FC', 'gpt-fc'],
    ['NousResearch/Hermes-2-Pro-Llama-3-8B', 'hermes'],
    ['meetkai_functionary-small-v3.2-FC', 'functionary'],
    ['mistral-large-2407-FC-Any', 'mistral-fc'],
    ['claude-instant-1.2', 'claude'],
    ['command-r-plus-FC-optimized', 'cohere-fc-optimized'],
    ['gpt-4', null],
  ])('%s: %s', (model, handler) => {
    expect(handlerOfModel(model, 'simple')).toBe(handler)
    expect(handlerOfModel(model, 'simple_python')).toBeNull()
  })

  it('exists for every model of the release', () => {
    const known = new Set(Object.keys(BFCL_HANDLERS))

    for (const model of [
      'snowflake/arctic',
      'databricks-dbrx-instruct',
      'google/gemma-7b-it',
      'yi-large-fc',
      'Nexusflow-Raven-v2',
    ])
      expect(known).toContain(handlerOfModel(model, 'relevance'))
  })
})
