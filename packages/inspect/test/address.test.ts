import { describe, expect, it } from 'vitest'
import { fetchModel, modelAddress, requestedAddresses } from '../src/index.ts'
import type { PartRequest, PartResponse } from '../src/index.ts'

const HUB = 'https://huggingface.co'

describe('the address of a model', () => {
  it.each([
    ['Qwen/Qwen3-8B', `${HUB}/Qwen/Qwen3-8B/resolve/main/`, 'Qwen/Qwen3-8B'],
    ['Qwen/Qwen3-8B@v1.0', `${HUB}/Qwen/Qwen3-8B/resolve/v1.0/`, 'Qwen/Qwen3-8B'],
    [`${HUB}/Qwen/Qwen3-8B`, `${HUB}/Qwen/Qwen3-8B/resolve/main/`, 'Qwen/Qwen3-8B'],
    [`${HUB}/Qwen/Qwen3-8B/tree/abc123`, `${HUB}/Qwen/Qwen3-8B/resolve/abc123/`, 'Qwen/Qwen3-8B'],
    ['http://127.0.0.1:8000/files/Mine/', 'http://127.0.0.1:8000/files/Mine/', 'Mine'],
    [`${HUB}/a/b/resolve/main/`, `${HUB}/a/b/resolve/main/`, 'a/b'],
    ['a/b@refs/pr/1', `${HUB}/a/b/resolve/refs%2Fpr%2F1/`, 'a/b'],
    [`${HUB}/a/b/tree/refs%2Fpr%2F1`, `${HUB}/a/b/resolve/refs%2Fpr%2F1/`, 'a/b'],
    [`${HUB}/a/b/tree/main/inner/one`, `${HUB}/a/b/resolve/main/inner/one/`, 'a/b'],
    ['https://hf.co/a/b', `${HUB}/a/b/resolve/main/`, 'a/b'],
    ['http://www.huggingface.co/a/b', `${HUB}/a/b/resolve/main/`, 'a/b'],
  ])('of %s is a folder', (given, base, modelName) => {
    expect(modelAddress(given)).toEqual({ kind: 'folder', base, modelName })
  })

  it.each([
    [`${HUB}/a/b/blob/main/config.json`, `${HUB}/a/b/resolve/main/config.json`, 'config.json'],
    [
      `${HUB}/a/b/resolve/main/q4/m%20x.gguf?download=true`,
      `${HUB}/a/b/resolve/main/q4/m%20x.gguf?download=true`,
      'm x.gguf',
    ],
    [`${HUB}/a/b?show_file_info=q4/m%20x.gguf`, `${HUB}/a/b/resolve/main/q4/m%20x.gguf`, 'm x.gguf'],
    ['http://127.0.0.1:1/m/chat_template.jinja#top', 'http://127.0.0.1:1/m/chat_template.jinja', 'chat_template.jinja'],
  ])('of %s is a file', (given, url, file) => {
    expect(modelAddress(given)).toEqual({ kind: 'file', url, file })
  })

  it.each(['http://127.0.0.1:8080', 'http://127.0.0.1:8080/', 'ftp://x/y', 'a/b/c', '../x', 'javascript:alert(1)', ''])(
    'is not %j',
    (given) => {
      expect(modelAddress(given).kind).toBe('wrong')
    },
  )
})

describe('fetching a model', () => {
  const folder = { kind: 'folder', base: 'http://h/m/', modelName: 'm' } as const
  const files =
    (texts: Readonly<Record<string, string>>) =>
    ({ url }: PartRequest): Promise<PartResponse> => {
      const text = texts[url.slice(folder.base.length)]
      const bytes = new TextEncoder().encode(text ?? '')
      return Promise.resolve(
        text === undefined ? { kind: 'absent' } : { kind: 'bytes', bytes, start: 0, size: bytes.length, isCut: false },
      )
    }

  it('asks for five small files, which can be shown before', () => {
    expect(requestedAddresses(folder).map((url) => url.slice(folder.base.length))).toEqual([
      'chat_template.jinja',
      'tokenizer_config.json',
      'chat_template.json',
      'config.json',
      'tekken.json',
    ])
  })

  it('keeps what is there, and of tekken.json its version, which no token pretends to be', async () => {
    const token = '{"token_str": "\\"version\\": \\"v3\\""}'
    const tekken = `{"vocab": [${token}], "config": {"pattern": "x", "version": "v13"}, "more": [${token}`

    const { texts } = await fetchModel(folder, files({ 'config.json': '{}', 'tekken.json': tekken }))

    expect([...texts]).toEqual([
      ['config.json', '{}'],
      ['tekken.json', '{"config": {"version": "v13"}}'],
    ])
  })

  it.each([
    [{}, 'http://h/m/: has none of chat_template.jinja, '],
    [{ 'config.json': ' <!DOCTYPE html><p>Sign in' }, 'http://h/m/config.json: the answer is a page, not a file.'],
    [
      { 'config.json': 'version https://git-lfs.github.com/spec/v1\n' },
      'http://h/m/config.json: the answer is a pointer of Git LFS',
    ],
  ])('refuses %j in one line', async (texts, message) => {
    await expect(fetchModel(folder, files(texts))).rejects.toThrow(message)
  })

  it('refuses a file that is too long, and says why an address fails', async () => {
    const bytes = new TextEncoder().encode('{}')
    const cut = fetchModel(folder, () => Promise.resolve({ kind: 'bytes', bytes, start: 0, size: null, isCut: true }))
    const failed = fetchModel(folder, () => Promise.resolve({ kind: 'failed', why: 'HTTP 500' }))

    await expect(cut).rejects.toThrow('http://h/m/chat_template.jinja: more than 32 MB. Is it the right file?')
    await expect(failed).rejects.toThrow('http://h/m/chat_template.jinja: HTTP 500.')
  })
})
