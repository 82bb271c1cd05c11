import { describe, expect, it } from 'vitest'
import { allMatches, compilePattern, searchPartially, searchPattern } from '../src/regex/pattern.ts'
import { PatternLimitError } from '../src/regex/search.ts'

/** `start-end` of the first match, with a `~` if it is partial; null for none. */
function partial(pattern: string, text: string): string | null {
  const match = searchPartially(compilePattern(pattern), text)
  return match === null ? null : `${match.isPartial ? '~' : ''}${match.start}-${match.end}`
}

function search(pattern: string, text: string): string | null {
  const match = searchPattern(compilePattern(pattern), text)
  return match === null ? null : `${match.start}-${match.end}`
}

describe('a pattern', () => {
  it.each([
    ['\\s+', 'a\u0085\u3000b', '1-3'],
    ['\\s', '\ufeff\u001c', null],
    ['\\w+', '天气é\u200d²', '0-4'],
    ['\\d+', '٣4', '0-2'],
    ['a$', 'a\n', '0-1'],
    ['a\\Z', 'a\n', null],
    ['(?i)stop', 'ſTOP', '0-4'],
    ['a++ab', 'aaab', null],
    ['(?>a|ab)c', 'abc', null],
    ['(?<=a+)b', 'xaab', '3-4'],
    ['(?<!a)b', 'ab', null],
    ['a{,2}b', 'aaab', '1-4'],
    ['{a}', '{a}', '0-3'],
    ['[[:alpha:]]+', '1é!', '1-2'],
    ['\\p{L}+', '1é!', '1-2'],
    ['.', '\n', '0-1'],
    ['(?x) a b # c', 'ab', '0-2'],
    ['(?(1)a|b)', 'b', null],
  ])('%s on %j matches %j', (pattern, text, expected) => {
    if (pattern.includes('(?(1)')) expect(() => search(pattern, text)).toThrow('invalid group reference')
    else expect(search(pattern, text)).toBe(expected)
  })

  it.each(['(', 'a)', '*a', 'a**', '\\y', '\\Q', '[a', '[b-a]', 'x{2,1}', '\\1', '(?P<1>a)', '\\p{Foo}', '(?z)'])(
    '%s is refused',
    (pattern) => {
      expect(() => compilePattern(pattern)).toThrow(/ at position \d+$/)
    },
  )

  it('may give one name to two groups: the last that took part counts', () => {
    const pattern = compilePattern('(?P<n>a)|(?P<n>b)')

    expect(['a', 'b'].map((text) => searchPattern(pattern, text)?.named.get('n'))).toEqual(['a', 'b'])
  })

  it('matches nothing once at each place', () => {
    const matches = Array.from(allMatches(compilePattern('x*'), 'axb'), ({ start, end }) => [start, end])

    expect(matches).toEqual([
      [0, 0],
      [1, 2],
      [2, 2],
      [3, 3],
    ])
  })
})

describe('a partial search', () => {
  it.each([
    ['abc', 'xab', '~1-3'],
    ['abc', 'xabd', '~4-4'],
    ['^abc', 'xab', null],
    ['abcd|bc', 'abc', '1-3'],
    ['x(?=y)', 'x', '~0-1'],
    ['\\)(?:\\]<end>)?', ')]', '0-1'],
    ['<go\\b[^>]*?\\bn=1>', '<go ', '~4-4'],
    ['(?<!a)b', 'a', '~1-1'],
    ['<t>\\s*', '<t>', '0-3'],
    ['to=\\S+?<c>', 'to=a z', '~0-6'],
  ])('of %s in %j finds %j', (pattern, text, expected) => {
    expect(partial(pattern, text)).toBe(expected)
  })
})

describe('work', () => {
  /** Milliseconds of one search. */
  function time(pattern: string, text: string): number {
    const compiled = compilePattern(pattern)
    const start = performance.now()
    searchPartially(compiled, text)
    return performance.now() - start
  }

  it.each([
    ['\\s*<tool_call>', ' '.repeat(200_000)],
    ['(?:a*)*b', 'a'.repeat(50_000)],
    ['(?=[\\s\\S]*?</think>)', '<'.repeat(200_000)],
    ['(?:(?!<x>)[\\s\\S])*</y>', 'a'.repeat(50_000)],
    ['[^<]*<a>', 'a'.repeat(200_000)],
  ])('of %s stays small', (pattern, text) => {
    // Without what failed remembered, each takes minutes.
    expect(time(pattern, text)).toBeLessThan(5_000)
  })
})

describe('a pattern that takes exponential time elsewhere', () => {
  it.each([
    ['(?<=a*a*a*)b', `${'a'.repeat(50_000)}b`, '50000-50001'],
    ['(?<=a*a*a*c)b', `${'a'.repeat(3_000)}b`, 'too much work'],
    ['(?:a?){50}a{50}', 'a'.repeat(49), '~0-49'],
    ['(?:a?){50}a{50}b', 'a'.repeat(50_000), 'too much work'],
  ])('%s has a bounded outcome', (pattern, text, expected) => {
    const outcome = (): string | null => {
      try {
        return partial(pattern, text)
      } catch (error) {
        if (error instanceof PatternLimitError) return 'too much work'
        throw error
      }
    }

    expect(outcome()).toBe(expected)
  })
})

describe('a pattern with several beginnings', () => {
  it.each([
    ['(?:abXYZ|X\\d)', '..abX', '~2-5'],
    ['\\s*(?:<aX>\\s*)?<function=', '..  <a', '~2-6'],
    ['(?:<a>)?(?:<b>)?x', '..<a><b', '~2-7'],
    ['(?=abc)|xyz', '..ab', '~2-4'],
    ['(?=abc)(?:x|y)', '..x', '~3-3'],
    ['(?=abc)[xq]', '..x', '~3-3'],
  ])('%s finds in %j what the reference does: %s', (pattern, text, expected) => {
    expect(partial(pattern, text)).toBe(expected)
  })
})

describe('a lazy loop before an optional character', () => {
  it('ends where what must follow is, and cuts no character in two', () => {
    const pattern = compilePattern('<p>\\n?(?P<value>.*?)[^<]?</p>')

    expect(
      ['<p>a\n</p>', '<p>a😀</p>', '<p>\n\n</p>'].map((text) => searchPattern(pattern, text)?.named.get('value')),
    ).toEqual(['a', 'a', ''])
  })

  it('ends where what may follow is, a text before what must', () => {
    const pattern = compilePattern('<p>(?:<!\\[)?(?P<value>.*?)(?:\\]>)?</p>')
    const texts = ['<p>a</p>', '<p><![a]></p>', '<p>]>a</p>', '<p>]</p>', '<p>a]>b</p></p>', '<p>a]>', '<p>a]></q>']

    expect(texts.map((text) => searchPattern(pattern, text)?.named.get('value') ?? null)).toEqual([
      'a',
      'a',
      ']>a',
      ']',
      'a]>b',
      null,
      null,
    ])
  })
})
