import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { describeDrift, driftBetween } from '../../src/regression/compare.ts'

function drift(before: string, now: string): readonly string[] | null {
  const found = driftBetween(Buffer.from(before), Buffer.from(now))
  return found === null ? null : describeDrift(found)
}

describe('a drift', () => {
  it('is nothing when every byte is equal', () => {
    expect(drift('a\n', 'a\n')).toBe(null)
  })

  it('for every two texts begins at the first byte that differs, on the line that holds it', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '\n', '具', '😀'), maxLength: 30 })
    fc.assert(
      fc.property(text, text, (before, now) => {
        const [left, right] = [Buffer.from(before), Buffer.from(now)]
        const found = driftBetween(left, right)

        expect(found === null).toBe(before === now)
        if (found === null) return
        const kept = left.subarray(0, found.offset)
        expect(right.subarray(0, found.offset)).toEqual(kept)
        expect(right[found.offset]).not.toBe(left[found.offset])
        expect(found.line).toBe(1 + kept.filter((byte) => byte === 0x0a).length)
      }),
    )
  })

  it('shows the differing line with visible white space, and its offset in bytes', () => {
    expect(drift('工具\nname: clock\nend\n', '工具\nname:  clock\nend\n')).toEqual([
      'differs from byte 13 on (line 2, column 7)',
      '- name:␣clock⏎',
      '+ name:␣␣clock⏎',
      '        ^',
    ])
  })

  it('shows a line break that is missing at the end', () => {
    expect(drift('end\n', 'end')).toEqual(['differs from byte 3 on (line 1, column 4)', '- end⏎', '+ end', '     ^'])
  })

  it('shows lines that were added and lines that went', () => {
    expect(drift('a\nc\n', 'a\nb\nc\n')).toEqual(['differs from byte 2 on (line 2, column 1)', '+ b⏎', '  ^'])
    expect(drift('a\nb\nc\n', 'a\nc\n')).toEqual(['differs from byte 2 on (line 2, column 1)', '- b⏎', '  ^'])
  })

  it('leaves out the equal lines between two places', () => {
    expect(drift('a\nb\nc\nd\ne\nf\n', 'A\nb\nc\nd\nE\nf\n')).toEqual([
      'differs from byte 0 on (line 1, column 1)',
      '- a⏎',
      '+ A⏎',
      '  ^',
      'line 5',
      '- e⏎',
      '+ E⏎',
    ])
    expect(drift('x\n<r>\nrain\n</r>\nz\n', 'X\n<r>rain\n</r>\nz\nw\n')).toEqual([
      ...['differs from byte 0 on (line 1, column 1)', '- x⏎', '- <r>⏎', '- rain⏎', '+ X⏎', '  ^', '+ <r>rain⏎'],
      ...['line 6', '+ w⏎'],
    ])
  })

  it('counts the places that it does not show', () => {
    const lines = (change: (index: number) => string): string =>
      Array.from({ length: 20 }, (_, index) => `${index % 2 === 0 ? change(index) : index}\n`).join('')

    expect(
      drift(
        lines(String),
        lines(() => 'new'),
      )?.at(-1),
    ).toBe('… 5 more places')
  })

  it('shows the whole of very many lines that differ, without comparing each with each', () => {
    const many = (word: string): string =>
      `${word}\n${Array.from({ length: 30_000 }, (_, index) => `${index}\n`).join('')}${word}\n`

    expect(drift(many('a'), many('b'))).toContain('- … 29996 more lines')
  })

  it('puts the caret under the right column after wide characters', () => {
    expect(drift('工具a', '工具b')).toEqual([
      'differs from byte 6 on (line 1, column 3)',
      '- 工具a',
      '+ 工具b',
      '      ^',
    ])
  })

  it('shows only the part of a long line around the difference', () => {
    const lines = drift(`${'x'.repeat(1000)}a${'y'.repeat(1000)}`, `${'x'.repeat(1000)}b${'y'.repeat(1000)}`)

    expect(lines?.[1]).toBe(`- …${'x'.repeat(80)}a${'y'.repeat(79)}…`)
    expect(lines?.[3]).toBe(`  ${' '.repeat(81)}^`)
  })

  it('counts the lines that it does not show', () => {
    const many = Array.from({ length: 10 }, (_, index) => `${index}\n`).join('')

    expect(drift('', many)?.at(-1)).toBe('+ … 4 more lines')
  })

  it('shows control characters instead of obeying them', () => {
    expect(drift('a', 'a\u001b[31m')?.at(-2)).toBe('+ a\\u001b[31m')
  })
})
