import { describe, expect, it } from 'vitest'
import type { PickedFile } from '../page/model/choose-files.ts'
import { chooseFiles } from '../page/model/choose-files.ts'

const picked = (paths: readonly string[]): readonly PickedFile[] =>
  paths.map((path) => ({ path, open: () => Promise.reject(new Error('nothing is opened to choose')) }))

/** The name, the texts and the GGUF that are chosen. */
function chosen(...paths: readonly string[]): readonly unknown[] {
  const { name, modelName, texts, single, gguf } = chooseFiles(picked(paths))
  return [name, modelName, [...texts].map(([role, { path }]) => `${role} ${path}`), (single ?? gguf)?.path ?? null]
}

describe('of the files that were given', () => {
  it('those nearest to the top are the model', () => {
    expect(chosen('m/onnx/config.json', 'm/config.json', 'm/additional_chat_templates/rag.jinja', 'm/x.bin')).toEqual([
      'm',
      'm',
      ['config.json m/config.json', 'additional_chat_templates/rag.jinja m/additional_chat_templates/rag.jinja'],
      null,
    ])
  })

  it('the folder gives the name, also that of a copy of the cache of Hugging Face', () => {
    expect(chosen('hub/models--a--b/snapshots/123/config.json').slice(0, 2)).toEqual([
      'hub/models--a--b/snapshots/123',
      'a/b',
    ])
  })

  it('200,000 models are too many, and no fault of the page', () => {
    const paths = Array.from({ length: 200_000 }, (_, at) => `m/${at}/config.json`)

    expect(() => chooseFiles(picked(paths))).toThrow('m: has several models: m/0, m/1, m/2 and 199997 more.')
  })

  it('a single file may have any name', () => {
    expect(chosen('my template.txt')).toEqual(['my template.txt', null, [], 'my template.txt'])
  })

  it.each([
    ['m/b-00002-of-00002.gguf', 'm/b-00001-of-00002.gguf', 'm/mmproj-a.gguf', 'm/config.json'],
    ['m/mmproj-a.gguf', 'm/z-00001-of-00002.gguf'],
  ])('the first part of a GGUF is read where no text has a template: %s, %s', (...paths) => {
    expect(chosen(...paths).at(-1)).toMatch(/^m\/[bz]-00001-of-00002\.gguf$/)
  })

  it('a template goes before a GGUF', () => {
    expect(chosen('m/a.gguf', 'm/chat_template.jinja').slice(2)).toEqual([
      ['chat_template.jinja m/chat_template.jinja'],
      null,
    ])
  })

  it.each([
    [[], 'nothing was read: no file was given. In a folder a browser follows no links'],
    [['m/readme.md', 'n/x'], 'm, n: has none of chat_template.jinja, tokenizer_config.json, chat_template.json, '],
    [['models--a--b/blobs/1'], 'such as those in the cache of Hugging Face: give the files themselves.'],
    [
      ['m/a/config.json', 'm/b/config.json', 'm/c/x.gguf', 'm/d/tekken.json'],
      'm: has several models: m/a, m/b, m/c and 1 more.',
    ],
  ])('one line says what is wrong with %j', (paths, message) => {
    expect(() => chooseFiles(picked(paths))).toThrow(message)
  })
})
