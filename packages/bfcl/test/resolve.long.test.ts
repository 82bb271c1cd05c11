import { fc, test } from '@fast-check/vitest'
import { isLiteralDict, attempt } from '@callspec/python'
import type { PyLiteral } from '@callspec/python'
import { describe, expect, it } from 'vitest'
import { resolveCalls, resolveLaterCalls } from '../src/python/resolve.ts'

/** The value of `a` in `[f(a=SOURCE)]`; undefined where the list is refused. */
function valueOf(source: string): PyLiteral | undefined {
  const read = attempt(() => resolveCalls(`[f(a=${source})]`))
  const [call] = read.kind === 'returned' ? read.value : []
  const args = call !== undefined && isLiteralDict(call) ? call.get('f') : undefined
  return args !== undefined && isLiteralDict(args) ? args.get('a') : undefined
}

function isRefused(source: string): boolean {
  return attempt(() => resolveCalls(source)).kind === 'raised'
}

const call = (name: PyLiteral, args: readonly (readonly [PyLiteral, PyLiteral])[] = []): PyLiteral =>
  new Map([[name, new Map(args)]])

describe('a list of calls', () => {
  it('may have any brackets or no brackets, and names may have dots', () => {
    const both = [call('f', [['a', 1n]]), call('m.g', [['b', 'x']])]

    for (const source of [
      '[f(a=1), m.g(b="x")]',
      '(f(a=1), m . g (b="x"),)',
      '{f(a=1), m.g(b="x")}',
      'f(a=1), m.g(b="x")',
    ])
      expect(resolveCalls(source)).toEqual(both)
  })

  it('of the first release has texts for calls without keywords, and needs brackets around one call', () => {
    expect(resolveCalls('[f( 1,2 ), g(a=1)]')).toEqual(['f(1, 2)', call('g', [['a', 1n]])])
    expect(isRefused('f(a=1)')).toBe(true)
  })

  it('of later releases has calls without arguments, and may be one call', () => {
    expect(resolveLaterCalls('f(1, 2)')).toEqual([call('f')])
    expect(resolveLaterCalls('[f()]')).toEqual([call('f')])
  })

  it('drops positional arguments, takes the last of two equal keywords, and keeps ** without a name', () => {
    expect(resolveCalls('[f(1, *b, a=1, a=2, **c)]')).toEqual([call('f', [['a', 2n], [null, 'c']])]) // prettier-ignore
  })

  it('leaves out an expression before a name', () => {
    expect(resolveCalls('[f(1).g(a=1), x[0](a=1)]')).toEqual([call('g', [['a', 1n]]), call('', [['a', 1n]])])
  })

  it.each([
    ['prose', 'I cannot do that.'],
    ['an element that is not a call', '[f(a=1), 2]'],
    ['an indentation', ' [f(a=1)]'],
    ['spaces after the last line feed', '[f(a=1)]\n  '],
    ['a second line', '[f(a=1)]\n[f(a=1)]'],
    ['a keyword of Python as a name', '[f(class=1)]'],
    ['a constant as a name', '[f(None=1)]'],
    ['a positional argument after a keyword', '[f(a=1, b)]'],
    ['a bracket too many', '[f(a=1)]]'],
    ['a bracket too few', '[f(a=1'],
    ['a line break in a text', '[f(a="x\ny")]'],
    ['a typographic quote', '[f(a=“x”)]'],
    ['a leading zero', '[f(a=007)]'],
    ['a null byte', '[f(a="\0")]'],
    ['half a surrogate', '[f(a="\ud800")]'],
    ['bytes next to text', '[f(a=b"x" "y")]'],
    ['a generator next to an argument', '[f(x for x in y, a=1)]'],
    ['an empty text', ''],
    ['a single star', '*a'],
  ])('is refused: %s', (_name, source) => {
    expect(isRefused(source)).toBe(true)
  })
})

describe('an argument', () => {
  it.each<readonly [string, PyLiteral]>([
    [`'a' "b" r'\\c'`, 'ab\\c'],
    [`"""x\ny"""`, 'x\ny'],
    [`u"\\u00e9\\x41\\101\\/"`, 'éAA\\/'],
    ['1_000', 1000n],
    ['0x1F', 31n],
    ['0o17', 15n],
    ['1.', 1],
    ['1e3', 1000],
    ['2j', { kind: 'complex', real: 0, imaginary: 2 }],
    ['True', true],
    ['None', null],
    ['true', 'true'],
    ['...', '...'],
    ['-5', -5n],
    ['+5', -5n],
    ['not True', -1n],
    ['[1, (2,), {"b": 3.0}]', [1n, { kind: 'tuple', items: [2n] }, new Map([['b', 3]])]],
    ['{1: "a", True: "b"}', new Map([[1n, 'b']])],
    ['g()', 'g()'],
    ['g( [1,2],x , not y,"z" )', "g([1, 2], x, not y, 'z')"],
    ['m.g(x)(y)', 'm.g(x)(y)'],
    ['g(b=[1])', new Map([['g', new Map([['b', [1n]]])]])],
    ['x[ 0 ]', 'x[0]'],
    ['x[1:2, ::3]', 'x[(1:2, ::3)]'],
    ['x[*b]', 'x[(*b,)]'],
    ['g((1+2)*3 ** -4, 5 .real, u"a")', "g((1 + 2) * 3 ** (-4), 5 .real, u'a')"],
    ['\\\n1 # one\n', 1n],
  ])('%s', (source, value) => {
    expect(valueOf(source)).toEqual(value)
  })

  it.each<readonly [string, PyLiteral]>([
    ['7 // -2', -4n],
    ['7 % -2', -1n],
    ['-7.5 // 2', -4],
    ['1 / 4', 0.25],
    ['2 ** 10', 1024n],
    ['2 ** -1', 0.5],
    ['1 << 3 | 1', 9n],
    ['0.1 + 0.2', 0.30000000000000004],
    ['"a" + "b" * 2', 'abb'],
    ['[1] + [2] * 2', [1n, 2n, 2n]],
    ['(1,) + (2,)', { kind: 'tuple', items: [1n, 2n] }],
    ['True + 1', 2n],
    ['10 ** -5', 0.00001],
    ['3.7 ** 5', 693.4395700000001],
    ['10 ** 40 / 3', 3.333333333333333e39],
    ['sum([1, 2.5]) / len("abc")', 3.5 / 3],
    ['max(1, 2) - min([3, 4]) + abs(-5)', 4n],
    ['round(2.5) + round(3.14159, 2)', 5.140000000000001],
    ['int("12") * float("0.5")', 6],
    ['str(5) + "%"', '5%'],
  ])('%s is calculated', (source, value) => {
    expect(valueOf(source)).toEqual(value)
  })

  it.each([
    ...['a.b', '-x', '-"a"', '{1, 2}', '[*x]', '{**x}', '{[1]: 2}', 'f"x"', 'lambda: 0', 'a if b else c', 'a and b'],
    ...[
      '1 < 2',
      '[i for i in x]',
      '(b := 1)',
      'await b',
      '1 / 0',
      '1 + x',
      'x + 1',
      '"a" - "b"',
      '2 ** 10 ** 10',
      '--1',
    ],
    ...['1 + len(5)', '1 + len(a=[])', '1 + math.sqrt(4)', '[[0] * 999] * 999', '"x" * 99999', '"" * 10 ** 400'],
  ])('%s is refused', (source) => {
    expect(valueOf(source)).toBeUndefined()
  })
})

describe('any text', () => {
  const PIECES = [
    ...[
      '[',
      ']',
      '(',
      ')',
      '{',
      '}',
      'f',
      '(a=',
      '1',
      '0x',
      "'",
      '"',
      '"""',
      '\\',
      '\n',
      ' ',
      ',',
      '=',
      ':',
      '.',
      '*',
      '**',
    ],
    ...[
      '-',
      '+',
      '/',
      '//',
      'not ',
      ' in ',
      ' if ',
      ' else ',
      ' for ',
      'lambda ',
      'await ',
      ':=',
      'b"',
      'f"',
      '#',
      '\r',
      '\0',
      'é',
    ],
  ]

  test.prop([fc.array(fc.constantFrom(...PIECES), { maxLength: 25 }).map((parts) => parts.join(''))])(
    'gives calls or is refused, and nothing else is thrown',
    (text) => {
      expect(['returned', 'raised']).toContain(attempt(() => resolveCalls(text)).kind)
      expect(['returned', 'raised']).toContain(attempt(() => resolveLaterCalls(text)).kind)
    },
  )

  it.each([
    ['brackets', (n: number) => `[f(a=${'['.repeat(n)}${']'.repeat(n)})]`],
    ['calls', (n: number) => `[f(a=${'g('.repeat(n)}${')'.repeat(n)})]`],
    ['sums', (n: number) => `[f(a=${'1+'.repeat(n)}1)]`],
    ['powers', (n: number) => `[f(a=${'1**'.repeat(n)}1)]`],
    ['signs', (n: number) => `[f(a=${'-'.repeat(n)}1)]`],
    ['lambdas', (n: number) => `[f(${'lambda:'.repeat(n)}1, a=1)]`],
    ['conditions', (n: number) => `[f(${'1 if 1 else '.repeat(n)}1, a=1)]`],
    ['names', (n: number) => `[f(a=g(x${'.x'.repeat(n)}))]`],
    ['open texts', (n: number) => `[f(a=${'"""'.repeat(n)}`],
  ])('a hundred thousand %s inside of each other are refused', (_name, text) => {
    expect(isRefused(text(100_000))).toBe(true)
  })
})
