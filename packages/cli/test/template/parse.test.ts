import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { folderWith } from '../helpers/folder.ts'
import { inProcess } from '../helpers/in-process.ts'

const TEMPLATE = {
  start_anchor: '[BOT]',
  defaults: { role: 'assistant' },
  fields: {
    thinking: { open: '<t>', close: '</t>' },
    tool_calls: {
      open: '<c>',
      close: '</c>',
      repeats: true,
      content: 'json',
      transform: { type: 'function', function: '{content}' },
    },
    content: { close_pattern: '<end>\\s*|$' },
  },
}
const TOOLS = [{ function: { name: 'f', parameters: { properties: { n: { type: 'integer' } } } } }]

function modelFolder(files: Readonly<Record<string, string>> = {}): string {
  return folderWith({ 'tokenizer_config.json': JSON.stringify({ response_template: TEMPLATE }), ...files })
}

describe('callspec template parse', () => {
  it('prints the message of a reply, with what the prompt has begun of it and arguments typed by tools', async () => {
    const folder = modelFolder({
      'reply.txt': 'Hm.</t><c>{"name": "f", "arguments": {"n": "7", "m": 1.0}}</c>',
      'prompt.txt': '[USER]Hi[BOT]<t>',
      'tools.json': JSON.stringify(TOOLS),
    })
    const of = (name: string): string => join(folder, name)

    const { code, stdout } = await inProcess([
      ...['template', 'parse', folder, of('reply.txt'), '--prompt', of('prompt.txt'), '--tools', of('tools.json')],
    ])

    expect(code).toBe(0)
    expect(stdout.replace(/\s+/g, ' ')).toBe(
      '{ "message": { "role": "assistant", "thinking": "Hm.", "tool_calls": [ { "type": "function", "function": ' +
        '{ "name": "f", "arguments": { "n": 7, "m": 1.0 } } } ] } } ',
    )
  })

  it('prints events, and says where the stream differs from the whole', async () => {
    const folder = modelFolder({ 'reply.txt': 'one\ntwo' })

    const run = await inProcess([
      ...['template', 'parse', folder, join(folder, 'reply.txt'), '--prompt', '', '--stream', '4', '--events'],
    ])

    expect(run.code).toBe(1)
    expect(run.stdout.split('\n').slice(0, 3)).toEqual([
      '["open", "content"]',
      '["chunk", "content", "one"]',
      '["close", "content", "one"]',
    ])
    expect(run.stderr).toContain('the whole reply gives another message than the stream')
  })

  it('prints a raise with its kind, and what vLLM keeps', async () => {
    const folder = modelFolder({ 'reply.txt': 'x<c>{</c>' })

    const run = await inProcess(['template', 'parse', folder, join(folder, 'reply.txt'), '--prompt', ''])

    expect([run.code, run.stdout]).toEqual([1, expect.stringContaining('"kind": "json"')])
    expect(run.stderr).toContain(
      'vLLM leaves out what cannot be read, and keeps: {"message": {"role": "assistant", "content": "x"}',
    )
  })

  it.each([
    ['no prompt', ['--reader', 'vllm'], 'Which prompt? Give --prompt FILE'],
    ['events without pieces', ['--prompt', '', '--events'], '--events needs --stream N'],
  ])('needs %s to be given', async (_, flags, message) => {
    const folder = modelFolder({ 'reply.txt': 'x' })

    const run = await inProcess(['template', 'parse', folder, join(folder, 'reply.txt'), ...flags])

    expect([run.code, run.stderr]).toEqual([2, expect.stringContaining(message)])
  })

  it.each([
    [
      '{"fields": {"a": {"open": ""}}}',
      "refuses this template (empty-literal): ValueError: Field 'a': 'open' literals",
    ],
    ['{"chat_template": ""}', 'has no response template'],
    ['{', 'x.json'],
  ])('says in one line what is wrong with %s', async (text, message) => {
    const folder = folderWith({ 'x.json': text, 'reply.txt': 'x' })

    const run = await inProcess([
      'template',
      'parse',
      join(folder, 'x.json'),
      join(folder, 'reply.txt'),
      '--prompt',
      '',
    ])

    expect([run.code, run.stderr]).toEqual([2, expect.stringContaining(message)])
    expect(run.stderr.trim().split('\n')).toHaveLength(1)
  })

  it('reads the older response_schema, and warns', async () => {
    const schema = { type: 'object', properties: { content: { type: 'string', 'x-regex': '^(.*?)<end>' } } }
    const folder = folderWith({ 'x.json': JSON.stringify({ response_schema: schema }), 'reply.txt': 'Noon.<end>' })

    const run = await inProcess(['template', 'parse', join(folder, 'x.json'), join(folder, 'reply.txt')])

    expect([run.code, JSON.parse(run.stdout)]).toEqual([0, { message: { content: 'Noon.' } }])
    expect(run.stderr).toContain('deprecated')
  })

  it('answers each line of a batch, with templates that are named or of the source', async () => {
    const folder = modelFolder({
      'named.json': JSON.stringify([{ id: 'a', template: { start_anchor: 'x', fields: { content: {} } } }]),
      'batch.jsonl':
        '{"id": 1, "op": "parse", "template": "a", "input": {"text": "<c>", "prefix": ""}}\n' +
        '\n{"id": "2", "op": "parse", "input": {"text": "<t>Hm.", "prefix": ""}}\n{"id": 3, "op": "lint"}\n',
    })

    const run = await inProcess([
      ...[
        'template',
        'parse',
        folder,
        '--batch',
        join(folder, 'batch.jsonl'),
        '--templates',
        join(folder, 'named.json'),
      ],
    ])

    expect(run.stdout).toBe(
      '{"id": 1, "actual": {"message": {"content": "<c>"}}}\n' +
        '{"id": "2", "actual": {"message": {"role": "assistant", "thinking": "Hm."}}}\n{"id": 3, "actual": null}\n',
    )
  })

  it('names the line of a batch that cannot be answered', async () => {
    const folder = modelFolder({
      'batch.jsonl': '\n{"id": 1, "op": "parse", "template": "none", "input": {"text": ""}}\n',
    })

    const run = await inProcess(['template', 'parse', '--batch', join(folder, 'batch.jsonl')])

    expect([run.code, run.stderr]).toEqual([2, expect.stringContaining('batch.jsonl:2: There is no template "none".')])
  })
})
