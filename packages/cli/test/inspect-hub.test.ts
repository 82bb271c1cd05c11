import { readFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { folderWith } from './helpers/folder.ts'
import { gguf } from './helpers/gguf.ts'
import type { HubModel } from './helpers/hugging-face.ts'
import { huggingFace, STRANGER, TOKEN } from './helpers/hugging-face.ts'
import { inProcess } from './helpers/in-process.ts'
import { modelHub } from './helpers/model-hub.ts'

const CHAT = '{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}'
const FILES = { 'chat_template.jinja': CHAT, 'config.json': '{"model_type": "qwen3"}' }
const TEKKEN = Buffer.from(`{"config": {"version": "v13"}, "vocab": ["${'x'.repeat(200_000)}"]}`)
const [NOW, BEFORE] = ['a'.repeat(40), 'b'.repeat(40)]
const OPEN: HubModel = {
  revisions: {
    main: { ...FILES, 'tekken.json': TEKKEN },
    'refs/pr/1': FILES,
    [NOW]: FILES,
    [BEFORE]: { ...FILES, 'chat_template.jinja': `${CHAT} ` },
  },
}
const HEAD = gguf([['tokenizer.chat_template', { type: 'text', value: CHAT }]])
const MODELS = {
  'acme/open': OPEN,
  'acme/gated': { ...OPEN, access: 'gated' },
  'acme/private': { ...OPEN, access: 'private' },
  'acme/disabled': { ...OPEN, access: 'disabled' },
  'acme/gguf': { revisions: { main: { 'q4/m.gguf': Buffer.concat([HEAD, Buffer.alloc(3_000_000)]) } } },
} as const

const bearer = (token: string): readonly string[] => ['--header', `authorization: Bearer ${token}`]

async function run(
  words: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<{ readonly code: number | null; readonly stdout: string; readonly last: string }> {
  const { code, stdout, stderr } = await inProcess(['inspect', ...words], { env })
  return { code, stdout, last: stderr.trimEnd().split('\n').at(-1) ?? '' }
}

describe('callspec inspect of a site that answers as huggingface.co does', () => {
  it('follows redirects to the same host and to another, which sees neither token nor cookie', async () => {
    const hub = await huggingFace({ models: MODELS })
    const env = { HF_ENDPOINT: `${hub.url}//` }

    const { code, stdout } = await run(['acme/gated', ...bearer(TOKEN)], env)

    expect([code, stdout]).toEqual([0, expect.stringContaining('chat_template.jinja, config.json, tekken.json')])
    expect(hub.asked.filter((path) => path.startsWith('/api/resolve-cache/'))).toHaveLength(2)
    expect(hub.headers.every(({ authorization }) => authorization === `Bearer ${TOKEN}`)).toBe(true)
    expect(hub.askedOfFiles).toEqual([expect.stringMatching(/ bytes=0-65535$/)])
    expect(hub.headersOfFiles.map(({ authorization, cookie, referer }) => [authorization, cookie, referer])).toEqual([
      [undefined, undefined, undefined],
    ])
  })

  it('sends the token nowhere again after a redirect to another host, not even back', async () => {
    const to = (location: string, response: ServerResponse): true => {
      response.writeHead(302, { location }).end()
      return true
    }
    const first = await modelHub(
      { '/back.jinja': CHAT },
      { answer: ({ url }, response) => url === '/a.jinja' && to(`${other.url}/b.jinja`, response) },
    )
    const other = await modelHub({}, { answer: (_, response) => to(`${first.url}/back.jinja`, response) })

    const { code } = await run([`${first.url}/a.jinja`, ...bearer(TOKEN)], {})

    expect([code, first.asked]).toEqual([0, ['/a.jinja', '/back.jinja']])
    expect([...first.headers, ...other.headers].map(({ authorization }) => authorization)).toEqual([
      ...[`Bearer ${TOKEN}`, undefined, undefined],
    ])
  })

  it('says that another site, to which a mirror leads, is sent no token', async () => {
    const hub = await huggingFace({ models: MODELS })
    const mirror = await modelHub(
      {},
      {
        answer: ({ url = '' }, response) => {
          response.writeHead(302, { location: hub.url + url }).end()
          return true
        },
      },
    )

    const { code, last } = await run(['acme/gated', ...bearer(TOKEN)], { HF_ENDPOINT: mirror.url })

    expect([code, last]).toEqual([
      2,
      `callspec: ${mirror.url}/acme/gated/resolve/main/: HTTP 401: the model is gated: accept its terms on its page. ` +
        `The address leads to ${hub.url.replace('http://', '')}, which is sent no token: give the address there.`,
    ])
    expect(JSON.stringify(hub.headers)).not.toContain(TOKEN)
  })

  it('reads a GGUF of the other host by ranges, also from the address of its page', async () => {
    const hub = await huggingFace({ models: MODELS })

    for (const path of ['resolve/main/q4/m.gguf', 'blob/main/q4/m.gguf', 'tree/main?show_file_info=q4%2Fm.gguf']) {
      const { code, stdout } = await run([`${hub.url}/acme/gguf/${path}`], {})
      expect([code, stdout]).toEqual([0, expect.stringContaining('m.gguf')])
    }

    expect(hub.askedOfFiles.map((path) => path.split(' ').at(-1))).toEqual(
      Array.from({ length: 3 }, () => 'bytes=0-1048575'),
    )
  })

  it('finds a renamed model, a revision with slashes, a folder in a model, and the revision before', async () => {
    const models = {
      ...MODELS,
      'acme/sub': { revisions: { main: { 'inner/config.json': '{"model_type": "qwen3"}' } } },
    }
    const hub = await huggingFace({ models, renamed: { 'acme/old': 'acme/open' } })
    const env = { HF_ENDPOINT: hub.url }

    const [old, slashes, folder, previous] = [
      await run(['acme/old'], env),
      await run(['acme/open@refs/pr/1'], env),
      await run([`${hub.url}/acme/sub/tree/main/inner`], env),
      await run(['acme/old', '--against', 'previous'], env),
    ]

    expect([old.code, slashes.code, folder.code, previous.code]).toEqual([0, 0, 0, 0])
    expect(hub.asked).toContain('/acme/open/resolve/refs%2Fpr%2F1/config.json')
    expect(previous.stdout).toContain(`Difference to acme/old@${BEFORE}`.slice(0, 40))
  })

  it('writes what it fetched', async () => {
    const hub = await huggingFace({ models: MODELS })
    const cwd = folderWith({})

    const { code } = await inProcess(['inspect', 'acme/open', '-o', 'x'], { cwd, env: { HF_ENDPOINT: hub.url } })

    expect([code, readFileSync(join(cwd, 'x/chat_template.jinja'), 'utf8')]).toEqual([0, CHAT])
  })

  const SEND = "Send a token: --header 'authorization: Bearer ${HF_TOKEN}'."
  it.each([
    ['acme/absent', [], `HTTP 401: there is no such model, or it asks for a login. ${SEND}`],
    ['acme/absent', bearer(TOKEN), 'HTTP 404: there is no such model, or the token may not read it.'],
    ['acme/absent', bearer('hf_old'), 'HTTP 401: the token is not valid.'],
    ['acme/private', [], `HTTP 401: there is no such model, or it asks for a login. ${SEND}`],
    ['acme/private', bearer(STRANGER), 'HTTP 404: there is no such model, or the token may not read it.'],
    ['acme/gated', [], `HTTP 401: the model is gated: accept its terms on its page. ${SEND}`],
    [
      'acme/gated',
      bearer('hf_old'),
      'HTTP 401: the model is gated: accept its terms on its page. The authorization that was sent does not open it.',
    ],
    [
      'acme/gated',
      bearer(STRANGER),
      'HTTP 403: the model is gated, and the account of the token may not read it: ask for access on the page of the model.',
    ],
    ['acme/disabled', [], 'HTTP 403: the site has disabled the model.'],
    ['acme/open@nowhere', [], 'HTTP 404: the model has no such revision.'],
  ])('says in one line why it cannot read %s with %j', async (name, words, message) => {
    const hub = await huggingFace({ models: MODELS })

    const { code, last } = await run([name, ...words], { HF_ENDPOINT: hub.url })

    const [model, revision = 'main'] = name.split('@')
    expect([code, last]).toEqual([2, `callspec: ${hub.url}/${model}/resolve/${revision}/: ${message}`])
  })

  it('says how long a site that limits requests asks to wait', async () => {
    const hub = await huggingFace({ models: MODELS, isLimited: true })

    const { code, last } = await run(['acme/open'], { HF_ENDPOINT: hub.url })

    expect([code, last]).toEqual([
      2,
      `callspec: ${hub.url}/acme/open/resolve/main/: HTTP 429: too many requests. Try again in 55 s.`,
    ])
  })

  it('says that a model has files, but none that it reads', async () => {
    const hub = await huggingFace({ models: MODELS })

    const { last } = await run(['acme/gguf'], { HF_ENDPOINT: hub.url })

    expect(last).toContain('has none of chat_template.jinja, ')
    expect(last).toContain('(HTTP 404). Give the address of a model or of a raw file, such as a .gguf.')
  })

  it.each([
    [{ HF_ENDPOINT: 'hf-mirror.com' }, [], 'HF_ENDPOINT: hf-mirror.com is not an http address.'],
    [{ HF_ENDPOINT: 'http://user:word@127.0.0.1' }, [], 'HF_ENDPOINT: the address holds a name or password.'],
    [{}, bearer('${HF_TOKEN}'), 'the variable HF_TOKEN, which the header authorization is to hold, is not set.'],
  ])('names what is wrong in the environment: %j', async (env, words, message) => {
    const { code, last } = await run(['acme/open', ...words], env)

    expect([code, last]).toEqual([2, expect.stringContaining(message)])
    expect(last).not.toContain('word@')
  })
})
