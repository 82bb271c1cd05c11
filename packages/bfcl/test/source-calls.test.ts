import { fc, test } from '@fast-check/vitest'
import { isLiteralDict, isLiteralList, attempt } from '@callspec/python'
import type { PyLiteral } from '@callspec/python'
import { describe, expect, it } from 'vitest'
import { javaCall } from '../src/source/java-call.ts'
import { javascriptCall } from '../src/source/javascript-call.ts'
import { runsOf } from '../../tidy/test/share.ts'

type Read = (source: string) => PyLiteral

/** The first call as `[name, { argument: source }]`; null for none, undefined where the text is refused. */
function callOf(read: Read, source: string): unknown {
  const found = attempt(() => read(source))
  if (found.kind === 'raised') return undefined
  const [call] = isLiteralList(found.value) ? found.value : []
  if (call === undefined || !isLiteralDict(call)) return null
  const [[name, args] = []] = [...call]
  return [name, args !== undefined && isLiteralDict(args) ? Object.fromEntries(args) : args]
}

/** So many of a thing. */
const MANY = runsOf(8000, 30_000)

describe('the first call of a JavaScript text', () => {
  it.each<readonly [string, unknown]>([
    [`f(a='x', b="y", c=z)`, ['f', { a: 'x', b: 'y', c: 'z' }]],
    ['a.b[0].f(x = [1, {"k": 2}] , y=-1.5)', ['a.b[0].f', { x: '[1, {"k": 2}]', y: '-1.5' }]],
    ['f(a={"k": v, s, ...t, m() { return }, [c]: 1})', ['f', { a: '{"k": v, s, ...t, m() { return }, [c]: 1}' }]],
    ['f(a=(x, y) => { return x + y }, b=z => z)', ['f', { a: '(x, y) => { return x + y }', b: 'z => z' }]],
    ['f(a=function (x) { if (x) return 1 })', ['f', { a: 'function (x) { if (x) return 1 }' }]],
    ['f(a=/[/"]+/g, b=x / y)', ['f', { a: '/[/"]+/g', b: 'x / y' }]],
    ['f(a=`${b + `c`}`)', ['f', { a: '`${b + `c`}`' }]],
    ['f(a="x" + "y")', ['f', { a: 'x" + "y' }]],
    ['f(a=b ? c : d, e=async g => g)', ['f', { a: 'b ? c : d', e: 'async g => g' }]],
    ['f(a=“x”)', ['f', { a: '“x”' }]],
    ['f(1, "x", false, g(), a==1, a+=1)', ['f', {}]],
    ['f(a=1)(b=2)', ['f(a=1)', { b: '2' }]],
    ['f?.(a=1)', ['f', {}]],
    ['f`x`', ['f', {}]],
    ['"f"(a=1)', ['"f"', { a: '1' }]],
    ['x\nf(a=1)\ng(b=2)', ['f', { a: '1' }]],
    ['const x = g(b=2); f(a=1);', ['f', { a: '1' }]],
    ['f(,)', ['f', {}]],
    ['// one\nf(a=1) /* two */', ['f', { a: '1' }]],
    ['[f(a=1)]', null],
    ['f(a=1), g(b=2)', null],
    ['x = f(a=1)', null],
    ['', null],
    ['f(x, y)', undefined],
    ['f(a=1, a=2)', undefined],
    ['f(a=1) g(b=2)', undefined],
    ['f(a=)', undefined],
    ['f(a=1', undefined],
    ['f(a=1))', undefined],
    ['f(a="x\ny")', undefined],
    ['f(a="\\xZZ")', undefined],
    ['f(a: 1)', undefined],
    ['f({"a" 1})', undefined],
    ['I cannot do that.', undefined],
    ['f(a=class)', undefined],
    ['f(a=1a)', undefined],
    ['f(a=`x)', undefined],
    ['f(a=())', undefined],
    ['f(a=x@y.z)', undefined],
  ])('%j', (source, call) => {
    expect(callOf(javascriptCall, source)).toEqual(call)
  })

  it('keeps a name without a value under the key null', () => {
    expect(javascriptCall('f(true)')).toEqual([new Map([['f', new Map([[null, 'true']])]])])
  })
})

describe('the first call of a Java text', () => {
  it.each<readonly [string, unknown]>([
    [`A.method(a='x y', b="y", c=z)`, ['A.method', { a: 'x y', b: 'y', c: 'z' }]],
    ['method(a=new String[]{"x", "y"})', ['method', { a: 'new String[]{"x","y"}' }]],
    ['method(a=new int[][]{{1, 2}, {3}})', ['method', { a: 'new int[]{{1,2},{3}}' }]],
    ['method(a=new HashMap<String, Object>() {{ put("k", 1); }})', ['method', { a: 'new HashMap<String,Object>()' }]],
    ['method(a=new java.util.X<>(g( 1 ), y))', ['method', { a: 'new java.util.X<>(g( 1 ), y)' }]],
    ['method(a=g( b ).h( c ))', ['method', { a: 'g( b ).h( c )' }]],
    ['method(a="x" + y - 1, b=A . B)', ['method', { a: '"x"+y-1', b: 'A.B' }]],
    ['method(a=1 + /* one */ 2)', ['method', { a: '1+/* one */2' }]],
    ['method(a=(x, y) -> { return x; }, b=A::b)', ['method', { a: '(x,y)->{returnx;}', b: 'A::b' }]],
    ['method(a=(String) b, c=d ? e : f)', ['method', { a: '(String)b', c: 'd?e:f' }]],
    [
      'method(a=100L, b=1.5f, c=0x1F, d=String.class)',
      ['method', { a: '100L', b: '1.5f', c: '0x1F', d: 'String.class' }],
    ],
    ["method(a=\"x\ny\", b='it\\'s')", ['method', { a: 'x\ny', b: "it\\'s" }]],
    ['method(a="""x""")', ['method', { a: '""x""' }]],
    ['a.b(c=1).d(e=2)', ['a.b(c=1).d', { e: '2' }]],
    ['int x = method(a=1);', ['method', { a: '1' }]],
    ['return method(a=1); other(b=2);', ['method', { a: '1' }]],
    ['[method(a=1, b=2)]', ['method', { a: '1', b: '2' }]],
    ['method("x", 1, g(2))', ['method', {}]],
    ['f(a=1);', ['f', { a: '1' }]],
    ['"method(a=1)"', null],
    ['', null],
    ['f(a=1)', undefined],
    ['method(a=1) other(b=2)', undefined],
    ['method(a=[1, 2])', undefined],
    ['method(a={"k": 1})', undefined],
    ["method(a='')", undefined],
    ['method(a=new int[3])', undefined],
    ["'method'(a=1, b=2)", undefined],
    ['method(x, other)', undefined],
    ['method(a=1, a=2)', undefined],
    ['method(a=1', undefined],
    ['method(a=/a/b/c)', undefined],
    ['method(a=“x”)', undefined],
    ['I cannot do that, sorry.', undefined],
    ['method(a=new X<Y(1))', undefined],
  ])('%j', (source, call) => {
    expect(callOf(javaCall, source)).toEqual(call)
  })

  it('is cut at a wrong position after a character beyond ASCII, because byte offsets are applied to characters', () => {
    expect(callOf(javaCall, 'method(a="é", bcd="x")')).toEqual(['method', { a: 'é"', 'cd=': '"' }])
    expect(callOf(javaCall, 'method(a="x", b="é")')).toEqual(['method', { a: 'x', b: 'é"' }])
  })

  it('has an empty name after a last comma', () => {
    expect(javaCall('method(a=1, )')).toEqual([new Map([['method', new Map<PyLiteral, PyLiteral>([['a', '1'], [null, '']])]])]) // prettier-ignore
  })
})

describe('any source text', () => {
  const PIECES = [
    ...[
      'f(',
      ')',
      '[',
      ']',
      '{',
      '}',
      'a',
      '=',
      ',',
      ';',
      ':',
      '?',
      '.',
      '"',
      "'",
      '`',
      '${',
      '\\',
      '\n',
      ' ',
      '1',
      '/',
      '//',
    ],
    ...[
      '=>',
      '->',
      '::',
      '<',
      '>',
      'new ',
      'int',
      'function ',
      'async ',
      'return ',
      '+',
      '!',
      '++',
      'é',
      '/*',
      '*/',
      '...',
    ],
  ]
  const anything = fc.array(fc.constantFrom(...PIECES), { maxLength: 25 }).map((parts) => parts.join(''))

  test.prop([anything])('gives a call, none, or is refused', (text) => {
    expect(['returned', 'raised']).toContain(attempt(() => javaCall(text)).kind)
    expect(['returned', 'raised']).toContain(attempt(() => javascriptCall(text)).kind)
  })

  it.each([
    ['brackets', (n: number) => `method(a=${'('.repeat(n)}1${')'.repeat(n)})`],
    ['lists', (n: number) => `method(a=${'['.repeat(n)}${']'.repeat(n)})`],
    ['objects', (n: number) => `method(a=${'{k:'.repeat(n)}1${'}'.repeat(n)})`],
    ['arrays', (n: number) => `method(a=new int[]${'{'.repeat(n)}${'}'.repeat(n)})`],
    ['calls', (n: number) => `${'f('.repeat(n)}${')'.repeat(n)}`],
    ['assignments', (n: number) => `method(a${'=a'.repeat(n)})`],
    ['conditions', (n: number) => `method(a=${'a?'.repeat(n)}1${':1'.repeat(n)})`],
    ['arrows', (n: number) => `method(a=${'a=>'.repeat(n)}1)`],
  ])('%s inside of each other are refused, however many', (_name, text) => {
    expect(attempt(() => javaCall(text(MANY))).kind).toBe('raised')
    expect(attempt(() => javascriptCall(text(MANY))).kind).toBe('raised')
  })

  it.each([
    ['names', (n: number) => `method(a=b${'.b'.repeat(n)})`],
    ['indices', (n: number) => `method(a=b${'[0]'.repeat(n)})`],
    ['sums', (n: number) => `method(a=1${'+1'.repeat(n)})`],
    ['signs', (n: number) => `method(a=${'!'.repeat(n)}b)`],
    ['results', (n: number) => `method(a=b${'.b()'.repeat(n)})`],
    ['arguments', (n: number) => `method(${'1, '.repeat(n)}a=1)`],
  ])('%s side by side are read, however many', (_name, text) => {
    expect(callOf(javaCall, text(MANY))).toBeTruthy()
    expect(callOf(javascriptCall, text(MANY))).toBeTruthy()
  })
})
