import { describe, expect, it } from 'vitest'
import { displayWidth } from '../src/columns.ts'
import { renderTable } from '../src/table.ts'

describe('a table', () => {
  it('aligns Chinese text and right-aligned numbers', () => {
    const table = renderTable({
      width: 80,
      head: ['city', 'n'],
      rows: [
        ['天气', '1'],
        ['Oslo', '12'],
      ],
      align: ['left', 'right'],
    })

    expect(table).toBe(
      ['┌──────┬────┐', '│ city │  n │', '├──────┼────┤', '│ 天气 │  1 │', '│ Oslo │ 12 │', '└──────┴────┘'].join('\n'),
    )
  })

  it('is plain ASCII on request, and needs no rows', () => {
    expect(renderTable({ width: 80, head: ['a'], rows: [], ascii: true })).toBe(
      ['+---+', '| a |', '+---+', '+---+'].join('\n'),
    )
  })

  it('is never wider than it may be; the widest column gives way', () => {
    const table = renderTable({ width: 80, head: ['id', 'text'], rows: [['1', '天'.repeat(100)]] })

    expect(new Set(table.split('\n').map(displayWidth))).toEqual(new Set([80]))
    expect(table).toContain('│ 1  │ 天天')
  })

  it('keeps a cell on one line and makes it inert', () => {
    expect(renderTable({ width: 80, head: ['a'], rows: [['x\ny\u001b[2J']], ascii: true }).split('\n')[3]).toBe(
      '| x y\\u001b[2J |',
    )
  })

  it('has many rows in the time of reading them', { timeout: 20_000 }, () => {
    const rows = Array.from({ length: 20_000 }, (_, index) => [String(index), 'x'])

    const lines = renderTable({ width: 80, head: ['n', 'text'], rows, ascii: true }).split('\n')

    expect(lines).toHaveLength(rows.length + 4)
    expect(lines[103]).toBe('| 100   | x    |')
    expect(new Set(lines.map((line) => line.length))).toEqual(new Set([16]))
  })
})
