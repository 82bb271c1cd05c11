import { expect, it } from 'vitest'
import { compare } from '../../core/bench/measure.ts'
import { extractState } from '../src/next-state.ts'
import { extractStruct } from '../src/extract-struct.ts'
import { attempt } from '@callspec/python'
import { someOf } from '../../tidy/test/share.ts'

const READERS: { readonly [name: string]: (text: string) => unknown } = {
  extractState,
  extractStruct: (text) => attempt(() => extractStruct(text, 'dict')),
}

const TEXTS: { readonly [name: string]: (size: number) => string } = {
  'digits and signs': (size) => '7-'.repeat(size / 2),
  'white space': (size) => `${' '.repeat(size)}x`,
  'opening braces': (size) => `${'{'.repeat(size - 1)}}`,
  'pairs of braces': (size) => '{}'.repeat(size / 2),
  'a long list': (size) => `{"a": [${'1,'.repeat(size / 2)}]}`,
  'a long text': (size) => `{"a": "${'\\x41'.repeat(size / 4)}"}`,
}

const CASES = Object.keys(READERS).flatMap((reader) => Object.keys(TEXTS).map((text) => [reader, text] as const))

/** A quadratic reader takes 16 times as long per character. */
it.each(someOf(CASES))(
  '%s takes no more than 5 times as long per character at 256 KB than at 16 KB: %s',
  (reader, kind) => {
    const [read, text] = [READERS[reader], TEXTS[kind]]
    if (read === undefined || text === undefined) throw new Error('callspec: no such row')
    const [short, long] = [text(16_384), text(262_144)]

    const ms = compare({ short: () => read(short), long: () => read(long) }, 3)

    expect(ms.long / ms.short).toBeLessThan(5 * 16)
  },
)
