import { describe, expect, it, test } from 'vitest'
import { dumps } from '../src/dumps.ts'
import { literalCalls } from '../src/literal-calls.ts'
import type { CallLayout } from '../src/literal-calls.ts'

const LIST: CallLayout = { form: 'list' }
const LINES: CallLayout = { form: 'lines', words: new Map([['true', true]]) }

/** Each call as `name {json}`; null for a text that is no calls. */
function read(text: string, layout: CallLayout = LIST): readonly string[] | null {
  return literalCalls(text, layout)?.map(({ name, arguments: given }) => `${name} ${dumps(given)}`) ?? null
}

describe('calls in a list', () => {
  test.each([
    ['[f()]', ['f {}']],
    ['\n [ a.b . c ( x = None , y=True, ), g(), ]\n', ['a.b.c {"x": null, "y": true}', 'g {}']],
    ['[f(a=12345678901234567890)]', ['f {"a": 12345678901234567890}']],
    ['[f(o={\'a\': "b", "c" "d": [1, [], {}]})]', ['f {"o": {"a": "b", "cd": [1, [], {}]}}']],
    ['[f(a="\\x41\\u00e9\\U0001F31E\\101\\ud83c\\udf1e")]', ['f {"a": "Aé🌞A🌞"}']],
    ["[f(a=\"x\\\r\ny\", b='''1\r2''')]", ['f {"a": "xy", "b": "1\\n2"}']],
    ['[ｆ(a=1)]', ['f {"a": 1}']],
    ['[f(from=1, class=None, None=2)]', ['f {"from": 1, "class": null, "None": 2}']],
    ['[match(type=1)]', ['match {"type": 1}']],
    ['# all\n[ # first\n f(a=\\\n1), # "last"\n]  # done\n# indeed', ['f {"a": 1}']],
  ])('%j', (text, calls) => {
    expect(read(text)).toEqual(calls)
  })

  it('reads numbers as Python spells them, and strings with every mark and prefix of text', () => {
    expect(read('[f(a=-5, b=- 2.5, c=1_000, d=0x1F, e=.5, g=1., h=1e3, i=00)]')).toEqual([
      'f {"a": -5, "b": -2.5, "c": 1000, "d": 31, "e": 0.5, "g": 1.0, "h": 1000.0, "i": 0}',
    ])
    expect(read(`[f(a='it\\'s', b="]", c="""a "b"\n""", d="x" 'y', e=r"\\d", g="\\d", h=u"z")]`)).toEqual([
      'f {"a": "it\'s", "b": "]", "c": "a \\"b\\"\\n", "d": "xy", "e": "\\\\d", "g": "\\\\d", "h": "z"}',
    ])
  })

  it('reads 200 brackets in each other, as Python does, and no more', () => {
    const nested = (depth: number): string => `[f(a=${'['.repeat(depth)}${']'.repeat(depth)})]`

    expect(read(nested(198))).toEqual([`f {"a": ${'['.repeat(198)}${']'.repeat(198)}}`])
    expect(read(nested(199))).toBeNull()
  })

  it('reads calls after any number of comments and blank lines', () => {
    expect(read(`${'# all\n \n'.repeat(5_000_000)}[f(a=1)]`)).toEqual(['f {"a": 1}'])
  })

  it('reads a string of any number of escaped surrogates', () => {
    const escapes = String.raw`\ud83d`.repeat(200_000)

    expect(literalCalls(`[f(a="${escapes}")]`, LIST)?.[0]?.arguments.get('a')).toHaveLength(200_000)
  })

  test.each([
    ...['[]', '[1, 2]', '[[f()]]', '[f]', 'f()', '[f()', '[f()] done', '[f()][g()]', '[f(),,g()]', '[f(,)]', '(f(),)'],
    ...['[f("x")]', '[f(*a)]', '[f(**{"a": 1})]', '[f(a=1, a=2)]', '[f(a=1)(b=2)]', '[f(a=1).b]', '[f() for x in y]'],
    ...[
      '[f(a=(1, 2))]',
      '[f(a=(1))]',
      '[f(a={1})]',
      '[f(a=+5)]',
      '[f(a=--5)]',
      '[f(a=1+2)]',
      '[f(a=-True)]',
      '[f(a=1j)]',
    ],
    ...[
      '[f(a=1e999)]',
      '[f(a=007)]',
      '[f(a=1__0)]',
      '[f(a=0x)]',
      '[f(a=Oslo)]',
      '[f(a=g())]',
      '[f(a=...)]',
      '[f(a=nan)]',
    ],
    ...[
      '[f(a=b"x")]',
      '[f(a=f"{1}")]',
      '[f(a="x" f"y")]',
      '[f(a="x" b"y")]',
      '[f(a=ur"x")]',
      '[f(a="x\ny")]',
      '[f(a="x)]',
    ],
    ...['[f(a={1: 2})]', '[f(a={"k": 1, "k": 2})]', '[f(a={**b})]', '[f(a={"k"})]', '[f(a=true)]', '[f(a="\\ud8")]'],
    ...['[class()]', '[a.None()]', '[get-weather()]', '[f(a-b=1)]', '[f(a := 1)]', '[f(a="\0")]'],
  ])('%j is none', (text) => {
    expect(read(text)).toBeNull()
  })

  it('takes no bracket that the text around lines would close', () => {
    expect(read('f()], [g()', LINES)).toBeNull()
  })
})

describe('calls on lines', () => {
  it('are one on a line, or have commas between them, and may use further words as values', () => {
    expect(read('\n  f(a=true,\n b=True)\n\n g(), h(),\r\ni()', LINES)).toEqual([
      'f {"a": true, "b": true}',
      'g {}',
      'h {}',
      'i {}',
    ])
  })

  test.each(['', 'f() g()', '[f()]', 'f();g()', 'f()\n, g()\n,, h()', 'print'])('%j is none', (text) => {
    expect(read(text, LINES)).toBeNull()
  })
})
