import { loads } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'
import { describe, expect, it } from 'vitest'
import { joinParts } from '../../src/conversation/conversation.ts'
import { formatNamed } from '../../src/formats/index.ts'

/** The text, or null for a refusal; a request is JSON with `messages` and perhaps `tools`. */
function promptText(id: string, request: string, version = 'strict'): string | null {
  const given = loads(request) as PyDict
  const outcome = formatNamed(id)?.prompt?.(
    {
      messages: given.get('messages') as readonly PyDict[],
      tools: given.get('tools') as readonly PyValue[] | null | undefined,
      options: new Map([['date_string', '1 Jan 2026']]),
    },
    version,
  )
  return outcome?.kind === 'prompted' ? joinParts(outcome.parts) : null
}

const CALL = '"tool_calls": [{"type": "function", "function": {"name": "f", "arguments": {}}}]'
const PARTS = '[{"type": "text", "text": "Hi."}]'

// Rendered by Jinja2 3.1.6 from the makers' templates, with the settings of transformers; a refusal is an exception there.
describe('a prompt is refused where the template of the maker raises', () => {
  it.each([
    ['qwen3-coder', `{"messages": [{"role": "user", "content": ${PARTS}}]}`],
    ['qwen3-coder', `{"messages": [{"role": "system", "content": ${PARTS}}]}`],
    ['qwen3-coder', `{"messages": [{"role": "assistant", "content": ${PARTS}}]}`],
    ['qwen3-coder', '{"messages": [{"role": "user", "content": 42}]}'],
    ['qwen3-coder', '{"messages": [{"role": "system", "content": null}]}'],
    ['seed-oss', '{"messages": []}'],
    ['functiongemma', '{"messages": [{"role": "user", "content": "Hi."}]}'],
    ['functiongemma', '{"messages": [{"role": "user", "content": "Hi."}], "tools": null}'],
    ['functiongemma', '{"messages": [{"role": "assistant", "content": "Hi.", "tool_calls": null}], "tools": []}'],
    [
      'functiongemma',
      '{"messages": [{"role": "assistant", "tool_calls": [{"name": "f", "arguments": {}}]}], "tools": []}',
    ],
    [
      'llama3-json',
      '{"messages": [{"role": "user", "content": "Hi."}, {"role": "assistant", "tool_calls": [{"function": {"name": "f"}}]}]}',
    ],
  ])('%s: %s', (id, request) => {
    expect(promptText(id, request)).toBeNull()
  })
})

describe('a prompt has what the template of the maker writes', () => {
  it.each([
    ['leaves out content next to calls that is not a text', `{"role": "assistant", "content": ${PARTS}, ${CALL}}`, ''],
    ['strips a text next to calls', `{"role": "assistant", "content": " Hi. ", ${CALL}}`, '\nHi.\n'],
  ])('qwen3-coder: %s', (_, message, said) => {
    expect(promptText('qwen3-coder', `{"messages": [${message}]}`)).toBe(
      `<|im_start|>assistant${said}\n<tool_call>\n<function=f>\n</function>\n</tool_call><|im_end|>\n`,
    )
  })

  it.each([
    [PARTS, "[{'type': 'text', 'text': 'Hi.'}]"],
    ['null', 'None'],
  ])('qwen3-coder: the result %s as Python prints it', (content, text) => {
    expect(promptText('qwen3-coder', `{"messages": [{"role": "tool", "content": ${content}}]}`)).toBe(
      `<tool_response>\n${text}\n</tool_response>\n<|im_end|>\n`,
    )
  })

  it.each(['qwen3-coder', 'seed-oss'])('%s: a system message without content counts as absent', (id) => {
    const tools = '"tools": [{"type": "function", "function": {"name": "f", "parameters": {"properties": {}}}}]'
    const prompt = promptText(id, `{"messages": [{"role": "system"}], ${tools}}`)

    expect(prompt).toMatch(/^<(?:\|im_start\||seed:bos)>system\nYou are /)
    expect(prompt).toBe(
      promptText(id, `{"messages": [{"role": "system"}, {"role": "user", "content": "x"}], ${tools}}`)?.replace(
        /<(?:\|im_start\||seed:bos)>user\nx.*$/s,
        '',
      ),
    )
  })

  it.each(['strict', 'llama-3.2'])('llama3-json, %s: arguments given as a text are a JSON string', (version) => {
    const call = (given: string): string =>
      `{"messages": [{"role": "user", "content": "Hi."}, {"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": ${given}}}]}]}`

    expect(promptText('llama3-json', call('"{\\"a\\": 1}"'), version)).toContain(
      '{"name": "f", "parameters": "{\\"a\\": 1}"}<|eot_id|>',
    )
    expect(promptText('llama3-json', call('{"a": 1}'), version)).toContain(
      '{"name": "f", "parameters": {"a": 1}}<|eot_id|>',
    )
  })

  it('functiongemma: an empty list of tools is accepted', () => {
    expect(promptText('functiongemma', '{"messages": [{"role": "user", "content": "Hi."}], "tools": []}')).toBe(
      '<start_of_turn>user\nHi.<end_of_turn>',
    )
  })
})
