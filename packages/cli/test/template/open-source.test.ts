import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openTemplateSource } from '../../src/template/source.ts'
import { SOURCE_OPTIONS } from '../../src/template/options.ts'
import { parseArguments } from '../../src/arguments.ts'
import type { TemplateSource } from '@callspec/template/source'
import { answering } from '../helpers/answering.ts'
import { folderWith } from '../helpers/folder.ts'
import { gguf, uint64 } from '../helpers/gguf.ts'
import type { GgufValue } from '../helpers/gguf.ts'
import { CLOSED_PORT } from '../helpers/servers.ts'

function open(source: string, words: readonly string[] = []): Promise<TemplateSource> {
  const command = {
    name: 'x',
    usage: [],
    about: '',
    options: SOURCE_OPTIONS,
    examples: [],
    run: () => Promise.resolve(0),
  }
  return openTemplateSource(source, { options: parseArguments(command, words).options, environment: {} })
}

function configOf(value: unknown): string {
  return JSON.stringify(value)
}

describe('files with a template', () => {
  it('takes a .jinja file unchanged, with its last line break', async () => {
    const folder = folderWith({ 'x.jinja': '{{ messages }}\n' })

    const source = await open(join(folder, 'x.jinja'))

    expect(source).toMatchObject({ kind: 'text', template: '{{ messages }}\n', tokens: {}, others: [] })
  })

  it('gives the special tokens of a configuration, written as texts and as objects', async () => {
    const folder = folderWith({
      'tokenizer_config.json': configOf({
        bos_token: '<s>',
        eos_token: { content: '</s>', lstrip: false },
        pad_token: null,
        added_tokens_decoder: { 7: { content: '<|x|>', special: true }, 8: { content: 'word', special: false } },
        chat_template: 'T',
      }),
    })

    const source = await open(join(folder, 'tokenizer_config.json'))

    expect(source).toMatchObject({
      template: 'T',
      place: 'chat_template',
      tokens: { bos_token: '<s>', eos_token: '</s>' },
      specials: ['<|x|>', '<s>', '</s>'],
    })
  })

  it('chooses among named templates by --name, and default without it', async () => {
    const chat_template = [
      { name: 'default', template: 'D' },
      { name: 'tool_use', template: 'T' },
    ]
    const path = join(folderWith({ 'c.json': configOf({ chat_template }) }), 'c.json')

    expect(await open(path)).toMatchObject({ template: 'D', others: ['tool_use'], name: `${path}#default` })
    expect(await open(path, ['--name', 'tool_use'])).toMatchObject({ template: 'T', others: ['default'] })
    await expect(open(path, ['--name', 'tool_us'])).rejects.toThrow(
      'has no template "tool_us". It has: default, tool_use.',
    )
  })

  it('prefers chat_template.jinja in a folder, with the tokens of the configuration in it', async () => {
    const folder = folderWith({
      'chat_template.jinja': 'J',
      'tokenizer_config.json': configOf({ chat_template: 'C', eos_token: '</s>' }),
      'additional_chat_templates/rag.jinja': 'R',
    })

    expect(await open(folder)).toMatchObject({ template: 'J', tokens: { eos_token: '</s>' }, others: ['rag'] })
    expect(await open(folder, ['--name', 'rag'])).toMatchObject({ template: 'R' })
  })

  it.each([
    ['c.json', '{"eos_token": "</s>"}', 'has no chat_template. Newer models keep it in chat_template.jinja'],
    ['c.json', '{"chat_template": 7}', 'chat_template is neither a text nor a list'],
    ['c.json', '{\n  "chat_template": tru }', 'is not JSON: Expecting value: line 2 column 20'],
    ['c.json', '', 'is empty. It must contain JSON.'],
    ['x.jinja', Uint8Array.of(0x41, 0x0a, 0xff), ':2: not UTF-8'],
    ['x.jinja', 'x'.repeat(5_000_000), 'are too many for a chat template'],
  ])('refuses %s %#', async (name, data, message) => {
    const folder = folderWith({ [name]: data })

    await expect(open(join(folder, name))).rejects.toThrow(message)
  })

  it('says what was looked for in a folder without a template', async () => {
    const folder = folderWith({ 'model.gguf': '' })

    await expect(open(folder)).rejects.toThrow(
      'no chat_template.jinja, and no chat_template in chat_template.json or tokenizer_config.json. It contains model.gguf',
    )
  })
})

const ENTRIES: readonly (readonly [string, GgufValue])[] = [
  ['general.name', { type: 'text', value: 'x' }],
  ['some.scores', { type: 'int32s', value: [1, 2, 3] }],
  ['some.float', { type: 'float32', value: 1.5 }],
  ['tokenizer.ggml.tokens', { type: 'texts', value: ['a', '<s>', '</s>', '<|im_end|>'] }],
  ['tokenizer.ggml.token_type', { type: 'int32s', value: [1, 3, 3, 3] }],
  ['tokenizer.ggml.bos_token_id', { type: 'uint32', value: 1 }],
  ['tokenizer.ggml.eos_token_id', { type: 'uint32', value: 3 }],
  ['tokenizer.chat_template', { type: 'text', value: 'é{{ messages }}' }],
  ['tokenizer.chat_template.tool_use', { type: 'text', value: 'T' }],
]

describe('a GGUF', () => {
  it('gives its templates and special tokens', async () => {
    const path = join(folderWith({ 'm.gguf': gguf(ENTRIES) }), 'm.gguf')

    expect(await open(path)).toMatchObject({
      template: 'é{{ messages }}',
      place: 'tokenizer.chat_template',
      tokens: { bos_token: '<s>', eos_token: '<|im_end|>' },
      specials: ['<s>', '</s>', '<|im_end|>'],
      others: ['tool_use'],
    })
  })

  it('is refused in one line wherever the file is cut', async () => {
    const whole = gguf(ENTRIES).subarray(0, -64)
    const folder = folderWith(
      Object.fromEntries(Array.from({ length: whole.length }, (_, end) => [`${end}.gguf`, whole.subarray(0, end)])),
    )

    for (let end = 0; end < whole.length; end += 1) {
      await expect(open(join(folder, `${end}.gguf`))).rejects.toThrow(/^[^\n]*(?:is cut or damaged|It is cut)[^\n]*$/)
    }
  })

  it.each([
    [
      'absurd counts',
      Buffer.concat([gguf([]).subarray(0, 16), uint64(2n ** 62n), Buffer.alloc(99)]),
      'entries of metadata',
    ],
    [
      'absurd lengths',
      Buffer.concat([gguf([]).subarray(0, 16), uint64(1), uint64(2n ** 63n), Buffer.alloc(99)]),
      'cut or damaged',
    ],
    ['another file', Buffer.from('PK\u0003\u0004'.repeat(9)), 'is not a GGUF: it begins with the bytes 50 4b 03 04'],
    ['another byte order', Buffer.from('47475546000000030000000000000000', 'hex'), 'version 50331648'],
    ['no template', gguf(ENTRIES.slice(0, 7)), 'has no tokenizer.chat_template in its metadata'],
    ['a part', gguf([['split.count', { type: 'uint32', value: 3 }]]), 'It is one of 3 parts'],
  ])('with %s is refused in one line', async (_, data, message) => {
    const path = join(folderWith({ 'm.gguf': data }), 'm.gguf')

    await expect(open(path)).rejects.toThrow(message)
  })
})

describe('a server', () => {
  it('shows the text of its template at /props, next to /v1', async () => {
    const url = await answering({ '/props': { body: { chat_template: 'T', bos_token: '<s>', eos_token: '</s>' } } })

    expect(await open(`${url}/v1`)).toMatchObject({
      kind: 'text',
      template: 'T',
      place: '/props chat_template',
      tokens: { bos_token: '<s>', eos_token: '</s>' },
      server: { view: 'text' },
    })
  })

  it('is asked for prompts where it shows no text', async () => {
    const url = await answering({
      '/apply-template': (body) => ({ body: { prompt: `<${body}>` } }),
    })

    const source = await open(url)

    expect(source).toMatchObject({ kind: 'server', server: { view: 'prompts' } })
    expect(await source.server?.applyTemplate('{"messages":[1.0]}')).toEqual({
      kind: 'rendered',
      text: '<{"messages":[1.0]}>',
    })
  })

  it('is asked for numbers of tokens where it shows no prompts', async () => {
    const asked: unknown[] = []
    const url = await answering({
      '/v1/models': { body: { data: [{ id: 'm' }] } },
      '/v1/chat/completions': (body) => {
        asked.push(JSON.parse(body))
        return { body: { usage: { prompt_tokens: 9 } } }
      },
    })

    const source = await open(url)

    expect(source).toMatchObject({ kind: 'server', server: { view: 'token-counts', model: 'm' } })
    expect(await source.server?.countTokens('{"messages":[]}')).toEqual({ kind: 'counted', tokens: 9 })
    expect(asked.at(-1)).toEqual({ model: 'm', max_tokens: 1, temperature: 0, messages: [] })
  })

  it('says what it refuses of a conversation, apart from having no such door', async () => {
    let refuse = false
    const url = await answering({
      '/apply-template': () =>
        refuse ? { status: 500, body: { error: { message: 'no\nnull' } } } : { body: { prompt: 'x' } },
    })
    const { server } = await open(url)
    refuse = true

    expect(await server?.applyTemplate('{"messages":[]}')).toEqual({
      kind: 'raised',
      error: { type: 'ServerError', message: 'HTTP 500: no\\nnull' },
    })
    expect(await server?.countTokens('{"messages":[]}')).toEqual({ kind: 'failed', reason: 'HTTP 404 with HTML' })
  })

  it('that shows nothing is refused in one line', async () => {
    const url = await answering({ '/props': { body: '<html>' } })

    await expect(open(url)).rejects.toThrow(
      `${url}: the server shows nothing of its chat template. /props: HTTP 200 with HTML; /apply-template: HTTP 404 with HTML; ` +
        "usage of /v1/chat/completions: HTTP 404 with HTML. Give the template's file instead.",
    )
  })

  it.each([CLOSED_PORT, 1, 6666])('that is not there is refused in one line, also at port %i', async (port) => {
    const url = `http://127.0.0.1:${port}`

    await expect(open(url)).rejects.toThrow(`${url}: no response from the server (ECONNREFUSED). Is it running?`)
  })
})
