import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Schema } from '@cfworker/json-schema'
import { Validator } from '@cfworker/json-schema'
import { describe, expect, it } from 'vitest'
import { folderWith, namesIn } from './helpers/folder.ts'
import { gguf } from './helpers/gguf.ts'
import { inProcess } from './helpers/in-process.ts'
import { modelHub } from './helpers/model-hub.ts'
import { CLOSED_PORT } from './helpers/servers.ts'

const CHAT =
  '{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}{% for c in m.tool_calls or [] %}<tool_call>\n{{ c.function | tojson }}\n</tool_call>{% endfor %}<|im_end|>\n' +
  '{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}'
const FILES = {
  'chat_template.jinja': CHAT,
  'tokenizer_config.json': '{"eos_token": "<|im_end|>"}',
  'config.json': '{"model_type": "qwen2"}',
}
const GGUF = gguf([
  ['tokenizer.ggml.tokens', { type: 'texts', value: ['<s>', '<|im_end|>'] }],
  ['tokenizer.chat_template', { type: 'text', value: CHAT }],
])

function schemaNamed(name: string): Schema {
  return JSON.parse(readFileSync(join(import.meta.dirname, `../schemas/${name}.schema.json`), 'utf8')) as Schema
}
const SCHEMA = schemaNamed('inspect')

interface Inspected {
  readonly model: string
  readonly files: readonly string[]
  readonly format: { readonly formats: readonly { readonly id: string }[]; readonly sure: string }
  readonly template: {
    readonly prompt: { readonly text: string }
    readonly lint: { readonly findings: readonly { readonly rule: string }[] }
  } | null
  readonly formatPrompt: { readonly outcome: { readonly kind: string } } | null
  readonly responseTemplate: {
    readonly kind: string
    readonly findings?: readonly object[]
    readonly trips?: readonly object[]
  }
  readonly engines: readonly { readonly engine: string; readonly format: string; readonly flags: readonly string[] }[]
  readonly difference: { readonly template: { readonly prompts: readonly object[] } } | null
}

/** What `--json` prints, which fits its schema. */
async function answer(words: readonly string[], options: Parameters<typeof inProcess>[1] = {}): Promise<Inspected> {
  const { code, stdout, stderr } = await inProcess(['inspect', ...words, '--json'], options)
  expect([code, stderr]).toEqual([0, expect.not.stringContaining('warning')])
  const found = JSON.parse(stdout) as Inspected
  expect(new Validator(SCHEMA, '2020-12').validate(found).errors).toEqual([])
  return found
}

const below = (
  path: string,
  files: Readonly<Record<string, string | Uint8Array>>,
): Record<string, string | Uint8Array> =>
  Object.fromEntries(Object.entries(files).map(([name, text]) => [path + name, text]))

describe('callspec inspect', () => {
  it('prints a section for each question on a screen, each with the command that says more', async () => {
    const cwd = folderWith(below('m/', FILES))

    const { code, stdout, stderr } = await inProcess(['inspect', 'm'], { cwd })

    const lines = stdout.split('\n')
    expect([code, stderr]).toEqual([0, ''])
    expect(lines.slice(0, 4)).toEqual([
      'm',
      '  chat_template.jinja, tokenizer_config.json, config.json',
      '',
      'Format  nous (sure)',
    ])
    expect(lines.filter((line) => /^[A-Z]/.test(line)).map((line) => line.split('  ')[0])).toEqual([
      ...['Format', 'Prompt', 'Lint', 'Forged text', 'Response template', 'Engines'],
    ])
    expect(lines.filter((line) => line.startsWith('  → '))).toEqual([
      '  → callspec formats m',
      '  → callspec template render m --variables request.json',
      '  → callspec template lint m',
      '  → callspec template forge m',
      '  → callspec formats nous --response-template',
      '  → callspec compat --model m --engine vllm',
    ])
    expect(stdout).toContain('--tool-call-parser hermes')
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80)
    expect(lines.length).toBeLessThan(60)
  })

  it('prints only commands that work', async () => {
    const request = JSON.stringify({ messages: [{ role: 'user', content: 'Hi' }] })
    const cwd = folderWith({ ...below('m/', FILES), 'old.jinja': CHAT, 'request.json': request })
    const { stdout } = await inProcess(['inspect', 'm', '--against', 'old.jinja'], { cwd })

    const commands = [...stdout.matchAll(/→ callspec (.*)/g)].map(([, words = '']) => words.split(' '))

    expect(commands).toHaveLength(7)
    for (const words of commands)
      expect([words, (await inProcess(words, { cwd })).code]).toEqual([words, expect.toBeOneOf([0, 1])])
  })

  it('takes one file, a GGUF, and a folder with only a configuration', async () => {
    const cwd = folderWith({ 'a.jinja': CHAT, 'model.gguf': GGUF, 'm/config.json': '{"model_type": "gpt_oss"}' })

    const [file, head, config] = [
      await answer(['a.jinja'], { cwd }),
      await answer(['model.gguf'], { cwd }),
      await answer(['m'], { cwd }),
    ]

    expect([file, head, config].map(({ format }) => format.formats.map(({ id }) => id))).toEqual([
      ['nous'],
      ['nous'],
      ['harmony'],
    ])
    expect([file, head, config].map(({ files }) => files)).toEqual([
      ['chat_template.jinja'],
      ['model.gguf'],
      ['config.json'],
    ])
    expect([head.template === null, config.template]).toEqual([false, null])
    expect(head.engines.find(({ engine }) => engine === 'vllm')?.flags[0]).toContain('--tool-call-parser')
  })

  it('writes the prompt as the format does where a model has no chat template', async () => {
    const cwd = folderWith({ 'm/tekken.json': '{"config": {"version": "v13"}, "vocab": []}' })

    const { stdout } = await inProcess(['inspect', 'm'], { cwd })

    expect(stdout).toContain('Template  No chat_template.jinja, and no chat_template in')
    expect(stdout).toMatch(/Prompt {2}\d+ characters, as mistral-v13 \(strict\) writes it; it ends with\n/)
    expect(stdout).toContain('[TOOL_RESULTS]')
  })

  it('knows the name of a model in the cache of Hugging Face', async () => {
    const cwd = folderWith({ 'models--zai-org--GLM-4.6/snapshots/abc/config.json': '{}' })

    const { format } = await answer([join(cwd, 'models--zai-org--GLM-4.6/snapshots/abc')])

    expect(format.formats.map(({ id }) => id)).toEqual(['glm-4.5'])
  })

  it('renders the conversation and the tools of the user', async () => {
    const cwd = folderWith({
      'a.jinja': '{{ messages[0].content }}|{{ tools | tojson }}|{{ add_generation_prompt }}',
      'v.json': '{"messages": [{"role": "user", "content": "Mine."}]}',
      't.json': '{"tools": [{"name": "clock", "inputSchema": {"type": "object"}}]}',
    })

    const { template } = await answer(['a.jinja', '--variables', 'v.json', '--tools', 't.json'], { cwd })

    const tool =
      '{"type": "function", "function": {"name": "clock", "description": "", "parameters": {"type": "object"}}}'
    expect(template?.prompt.text).toBe(`Mine.|[${tool}]|True`)
  })

  it('inspects the template that is for tools where a model has several, and names it in its commands', async () => {
    const config = {
      chat_template: [
        { name: 'default', template: 'x' },
        { name: 'tool_use', template: CHAT },
      ],
    }
    const cwd = folderWith({ 'm/tokenizer_config.json': JSON.stringify(config) })

    const { stdout } = await inProcess(['inspect', 'm'], { cwd })
    const other = await inProcess(['inspect', 'm', '--name', 'default'], { cwd })

    expect(stdout).toContain('Format  nous (sure)')
    expect(stdout).toContain('from chat_template "tool_use" (others: default)')
    expect(stdout).toContain('→ callspec template lint m --name tool_use\n')
    expect(other.stdout).toContain('Prompt  1 character, from chat_template "default"')
  })

  it('prints JSON as its schema says of every outcome', async () => {
    const response = {
      start_anchor: '<|im_start|>assistant\n',
      fields: { content: { close_pattern: '<\\|im_end\\|>\\s*|$' } },
    }
    const withResponse = (text: string, value: object): string =>
      JSON.stringify({ chat_template: text, response_template: value, bos_token: '<s>' })
    const cwd = folderWith({
      'named/tokenizer_config.json': JSON.stringify({
        chat_template: ['default', 'tool_use'].map((name) => ({ name, template: CHAT })),
        response_schema: {},
      }),
      'read/tokenizer_config.json': withResponse(CHAT, response),
      'broken/tokenizer_config.json': withResponse('{% for %}', { fields: { a: { close: '' } } }),
      'refuses.jinja': "{{ raise_exception('no') }}",
      'old.jinja': `{{ functions }}${CHAT.replace('m.content', 'm.content | upper')}`,
      'bare/tekken.json': '{"config": {"version": "v13"}, "vocab": []}',
      'unknown/config.json': '{"model_type": "unheard-of"}',
      'other.json': '[{"role": "unheard-of", "content": "Mine."}]',
    })

    const found: Inspected[] = []
    for (const words of [
      ['named'],
      ['read', '--against', 'old.jinja'],
      ['broken', '--against', 'read'],
      ['refuses.jinja', '--against', 'read'],
      ['bare'],
      ['bare', '--variables', 'other.json', '--against', 'bare'],
      ['unknown', '--against', 'bare'],
    ])
      found.push(await answer(words, { cwd }))

    expect(found.map(({ responseTemplate }) => responseTemplate.kind)).toEqual([
      ...['schema', 'read', 'refused', 'none', 'none', 'none', 'none'],
    ])
    expect(found.map(({ formatPrompt }) => formatPrompt?.outcome.kind)).toEqual([
      ...[undefined, undefined, undefined, undefined, 'prompted', 'refused', undefined],
    ])
    expect([found[1]?.responseTemplate.findings?.length, found[1]?.responseTemplate.trips?.length]).toEqual([
      expect.any(Number),
      41,
    ])
  })

  it('has findings in its schema as the lint has them', () => {
    const of = ({ $defs }: Schema): readonly unknown[] => {
      const parts = $defs as Readonly<Record<string, unknown>>
      return ['finding', 'responseFinding', 'conversation', 'forgery'].map((name) => parts[name])
    }

    expect(of(SCHEMA)).toEqual(of(schemaNamed('template-lint')))
  })

  it('compares with another copy', async () => {
    const cwd = folderWith({ ...below('m/', FILES), 'old.jinja': CHAT.replace('m.content', 'm.content | trim') })

    const { difference } = await answer(['m', '--against', 'old.jinja'], { cwd })
    const { stdout } = await inProcess(['inspect', 'm', '--against', 'old.jinja'], { cwd })

    expect(difference?.template.prompts.length).toBeGreaterThan(0)
    expect(stdout).toContain('Difference to old.jinja  another text of the chat template; prompts differ in')
    expect(stdout).toContain('→ callspec template diff old.jinja m')
  })

  it.each([
    [[], {}, 'callspec inspect needs a MODEL'],
    [['./absent'], {}, './absent: no such file or folder.'],
    [['m'], { 'm/readme.md': '' }, "m: not a model's folder: it has none of chat_template.jinja"],
    [['m'], { 'm/x.gguf': '' }, 'm/x.gguf: is cut or damaged'],
    [['m'], { 'm/tokenizer_config.json': '{' }, 'm/tokenizer_config.json: is not JSON'],
    [['m.gguf'], { 'm.gguf': GGUF.subarray(0, 60) }, 'm.gguf: is cut or damaged'],
    [['a.jinja', '--against', './b'], { 'a.jinja': 'x' }, './b: no such file or folder.'],
    [['a.jinja', '--against', 'previous'], { 'a.jinja': 'x' }, '--against previous needs a model that is fetched'],
    [['a.jinja', '-o', 'x'], { 'a.jinja': 'x' }, '-o writes what is fetched'],
    [['a.jinja', '--name', 'x'], { 'a.jinja': 'y' }, 'has no template "x". It has: default.'],
    [['http://127.0.0.1:1/'], {}, 'This is the address of a site or a server, not of a model.'],
    [['http://user:word@127.0.0.1/m/'], {}, 'holds a name or password'],
  ])('names the mistake of %j in one line', async (words, files, message) => {
    const { code, stdout, stderr } = await inProcess(['inspect', ...words], { cwd: folderWith(files) })

    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain(message)
    expect(stderr.trimEnd()).not.toContain('\n')
  })

  it('lets no file touch the terminal', async () => {
    const evil = '\u001b[31m\u202e'
    const cwd = folderWith({
      'chat_template.jinja': `${evil}{{ raise_exception("${evil}") }}`,
      'config.json': JSON.stringify({ model_type: `qwen2 ${evil}`, _name_or_path: `x/qwen3 ${evil}` }),
    })

    const { stdout } = await inProcess(['inspect', '.'], { cwd, isTerminal: true, env: { NO_COLOR: '1' } })

    expect(stdout).not.toMatch(/[\u001b\u202e]/)
    expect(stdout).toContain('\\u001b')
  })
})

describe('callspec inspect of an address', () => {
  const ROOT = '/acme/toy/resolve/main/'

  it('fetches five files of owner/name, says so, and writes them for other commands', async () => {
    const hub = await modelHub(below(ROOT, FILES))
    const cwd = folderWith({})

    const { code, stdout, stderr } = await inProcess(['inspect', 'acme/toy', '-o', 'toy'], {
      cwd,
      env: { HF_ENDPOINT: `${hub.url}/` },
    })

    expect([code, stderr]).toEqual([0, `callspec: fetches 5 files below ${hub.url}${ROOT}\n`])
    expect(stdout).toContain('Format  nous (sure)')
    expect(stdout).toContain('→ callspec template lint toy')
    expect(hub.asked.toSorted()).toEqual([
      ...['chat_template.jinja', 'chat_template.json', 'config.json'].map((name) => ROOT + name),
      `${ROOT}tekken.json bytes=0-65535`,
      `${ROOT}tokenizer_config.json`,
    ])
    expect(namesIn(join(cwd, 'toy'))).toEqual(Object.keys(FILES).toSorted())
    expect(readFileSync(join(cwd, 'toy/chat_template.jinja'), 'utf8')).toBe(CHAT)
  })

  it('prefers a folder here, and sends no key by itself', async () => {
    const hub = await modelHub(below(ROOT, FILES))
    const env = { HF_ENDPOINT: hub.url, OPENAI_API_KEY: 'k1', HF_TOKEN: 'k2', CALLSPEC_HEADER: 'x-key: k3' }

    await answer(['acme/toy'], { cwd: folderWith(below('acme/toy/', FILES)), env })
    expect(hub.asked).toEqual([])
    await answer(['acme/toy'], { env })
    expect(JSON.stringify(hub.headers)).not.toMatch(/k[123]/)
    await answer(['acme/toy', '--header', 'authorization: Bearer ${HF_TOKEN}'], { env })
    expect(hub.headers.filter(({ authorization }) => authorization === 'Bearer k2')).toHaveLength(5)
  })

  it.each([[true], [false]])('reads a GGUF from the first megabyte of its file (ranges: %s)', async (knowsRanges) => {
    const hub = await modelHub({ '/m.gguf': Buffer.concat([GGUF, Buffer.alloc(6_000_000)]) }, { knowsRanges })

    const { format, files } = await answer([`${hub.url}/m.gguf`])

    expect([format.formats[0]?.id, files]).toEqual(['nous', ['m.gguf']])
    expect(hub.asked).toEqual(['/m.gguf bytes=0-1048575'])
  })

  it('compares with a revision', async () => {
    const hub = await modelHub({ ...below(ROOT, FILES), '/acme/toy/resolve/v1/chat_template.jinja': `${CHAT} ` })

    const { difference } = await answer(['acme/toy', '--against', 'acme/toy@v1'], { env: { HF_ENDPOINT: hub.url } })

    expect(difference?.template.prompts.length).toBeGreaterThan(40)
  })

  it('finds the newest commit with other templates', async () => {
    const ids = ['a', 'b', 'c', 'd', 'e'].map((letter) => letter.repeat(40))
    const at = (id: string | undefined): string => `/acme/toy/resolve/${id ?? ''}/`
    const hub = await modelHub({
      ...below(ROOT, FILES),
      '/api/models/acme/toy/commits/main': JSON.stringify(ids.map((id) => ({ id, title: 'x' }))),
      // A commit may change other files, and the first one may have no file at all.
      ...below(at(ids[1]), { ...FILES, 'config.json': '{}' }),
      ...below(at(ids[3]), { ...FILES, 'chat_template.jinja': `${CHAT} ` }),
      ...below(at(ids[4]), { 'chat_template.jinja': 'older' }),
    })
    const env = { HF_ENDPOINT: hub.url }

    const { stdout, stderr } = await inProcess(['inspect', 'acme/toy', '--against', 'previous'], { env })

    expect(stdout).toContain(`Difference to acme/toy@${'d'.repeat(40)}`.slice(0, 40))
    expect(stderr).toContain(
      `callspec: looks for the commit before with other templates, by ${hub.url}/api/models/acme/toy/commits/main\n`,
    )
    expect(hub.asked.some((path) => path.startsWith(at(ids[4])))).toBe(false)
  })

  it.each([
    ['[{"id": "aaaaaaa"}]', 'has only one revision.'],
    [
      '[{"id": "aaaaaaa"}, {"id": "bbbbbbb"}, {"id": "../../x"}, 7]',
      'its templates are the same in the commit before it.',
    ],
    ['{"error": "no"}', 'the site lists no commits.'],
    [null, 'the site lists no commits.'],
  ])('says in one line why there is no commit before: %s', async (list, message) => {
    const hub = await modelHub({
      ...below(ROOT, FILES),
      ...below('/acme/toy/resolve/bbbbbbb/', FILES),
      ...(list === null ? {} : { '/api/models/acme/toy/commits/main': list }),
    })

    const { code, stderr } = await inProcess(['inspect', 'acme/toy', '--against', 'previous'], {
      env: { HF_ENDPOINT: hub.url },
    })

    expect([code, stderr.split('\n')]).toEqual([
      2,
      [expect.any(String), expect.any(String), expect.stringContaining(message), ''],
    ])
  })

  it('follows redirects without the headers of the user', async () => {
    const other = await modelHub({ '/raw/a.jinja': CHAT })
    const hub = await modelHub(
      {},
      {
        answer: (_, response) => {
          response.writeHead(302, { location: `${other.url}/raw/a.jinja` }).end()
          return true
        },
      },
    )

    const { format } = await answer([`${hub.url}/a.jinja`, '--header', 'x-key: secret'])

    expect(format.formats[0]?.id).toBe('nous')
    expect([hub.headers[0]?.['x-key'], other.headers[0]?.['x-key']]).toEqual(['secret', undefined])
  })

  it.each([
    [200, '<!doctype html><p>Sign in', 'the answer is a page, not a file'],
    [
      401,
      'Invalid username or password.',
      "HTTP 401: there is no such model, or it asks for a login. Send a token: --header 'authorization: Bearer ${HF_TOKEN}'.",
    ],
    [404, '', 'there is no such file (HTTP 404).'],
    [500, 'Oh\u001b[31m\nno', 'HTTP 500: Oh\\u001b[31m no.'],
    [302, 'file:///etc/passwd', 'a redirect to "file:///etc/passwd", which is not followed.'],
  ])('says in one line what an answer of %i means', async (status, body, message) => {
    const { url } = await modelHub(
      {},
      {
        answer: (_, response) => {
          response.writeHead(status, status === 302 ? { location: body } : {}).end(body)
          return true
        },
      },
    )

    const { code, stdout, stderr } = await inProcess(['inspect', `${url}/a.jinja`])

    expect([code, stdout]).toEqual([2, ''])
    expect(stderr.split('\n').slice(1)).toEqual([
      `callspec: ${url}/a.jinja: ${message}${message.endsWith('.') ? '' : '. Give the address of the raw file.'}`,
      '',
    ])
  })

  it('ends with endless answers, slow ones, and ports without a listener', async () => {
    const endless = await modelHub(
      {},
      {
        answer: (_, response) => {
          const chunk = Buffer.alloc(2 ** 20, 'x')
          const more = (): void => {
            while (response.write(chunk));
          }
          response.on('drain', more)
          more()
          return true
        },
      },
    )
    const slow = await modelHub({}, { answer: () => true })

    const [one, two, three] = [
      await inProcess(['inspect', `${endless.url}/a.jinja`]),
      await inProcess(['inspect', `${slow.url}/a.jinja`, '--timeout', '1s']),
      await inProcess(['inspect', `http://127.0.0.1:${CLOSED_PORT}/a.jinja`]),
    ]

    expect([one.code, two.code, three.code]).toEqual([2, 2, 2])
    expect(one.stderr).toContain('more than 32 MB. Is it the right file?')
    expect(two.stderr).toContain('no response within 1 s.')
    expect(three.stderr).toContain('cannot be fetched (ECONNREFUSED).')
  })

  it('names a port that fetch blocks', async () => {
    const { code, stderr } = await inProcess(['inspect', 'http://127.0.0.1:6666/a.jinja'])

    expect(code).toBe(2)
    expect(stderr).toContain(
      'callspec: http://127.0.0.1:6666/a.jinja: cannot be fetched: fetch blocks port 6666, as browsers do. Serve the files on another port.\n',
    )
  })
})
