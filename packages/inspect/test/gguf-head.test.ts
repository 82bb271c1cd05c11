import { describe, expect, it } from 'vitest'
import { gguf, uint64 } from '../../cli/test/helpers/gguf.ts'
import { readGgufHead } from '../src/index.ts'
import type { LoadPart } from '../src/index.ts'

const TEMPLATE = '{{ messages[0].content }}'
const MB = 2 ** 20

/** Loads from bytes, and notes which were asked for. */
function source(
  bytes: Uint8Array,
  size: number | null = bytes.length,
): { readonly load: LoadPart; readonly asked: number[][] } {
  const asked: number[][] = []
  return {
    asked,
    load: (start, end) => {
      asked.push([start, end])
      return Promise.resolve({ bytes: bytes.subarray(start, end), size })
    },
  }
}

const withVocabulary = (tokens: number): Buffer =>
  gguf([
    ['tokenizer.ggml.tokens', { type: 'texts', value: Array.from({ length: tokens }, (_, index) => `token-${index}`) }],
    ['tokenizer.ggml.eos_token_id', { type: 'uint32', value: 1 }],
    ['tokenizer.chat_template', { type: 'text', value: TEMPLATE }],
  ])

describe('the head of a GGUF', () => {
  it('is read from the first megabyte, whatever follows', async () => {
    const { load, asked } = source(withVocabulary(2), 40_000 * MB)

    const { templates, tokens } = await readGgufHead('m.gguf', load)

    expect(templates.map(({ text }) => text)).toEqual([TEMPLATE])
    expect(tokens).toEqual({ eos_token: 'token-1' })
    expect(asked).toEqual([[0, MB]])
  })

  it.each([['of a known size'], ['of an unknown size']])('loads more, each byte once, of a file %s', async (which) => {
    const bytes = Buffer.concat([withVocabulary(100_000), Buffer.alloc(8 * MB)])
    const { load, asked } = source(bytes, which === 'of a known size' ? bytes.length : null)

    const { templates } = await readGgufHead('m.gguf', load)

    expect(templates).toHaveLength(1)
    expect(asked).toEqual([
      [0, MB],
      [MB, 4 * MB],
    ])
  })

  it('is given up after 64 MB', async () => {
    const head = Buffer.concat([Buffer.from('GGUF'), Buffer.from([3, 0, 0, 0]), uint64(0), uint64(1)])
    const text = Buffer.concat([uint64(1), Buffer.from('k'), Buffer.from([8, 0, 0, 0]), uint64(100 * MB)])
    let loaded = 0
    const load: LoadPart = (start, end) => {
      const zeros = Buffer.alloc(end - start)
      if (start === 0) Buffer.concat([head, text]).copy(zeros)
      loaded = end
      return Promise.resolve({ bytes: zeros, size: null })
    }

    await expect(readGgufHead('m.gguf', load)).rejects.toThrow(
      'm.gguf: has more than 64 MB before the end of its metadata.',
    )
    expect(loaded).toBe(64 * MB)
  })

  it('is refused in one line wherever the file is cut, and where it is no GGUF', async () => {
    const whole = withVocabulary(3)
    const end = whole.length - 64
    for (let length = 0; length < end; length += 1) {
      const failure = await readGgufHead('m.gguf', source(whole.subarray(0, length)).load).catch(
        (error: unknown) => error,
      )
      expect(String(failure)).toMatch(/^InputError: m\.gguf: (?:is cut or damaged|claims 3 entries)[^\n]*$/)
    }
    await expect(readGgufHead('m.gguf', source(Buffer.from('<!doctype html>')).load)).rejects.toThrow('is not a GGUF')
  })
})
