import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { FORMATS } from '@callspec/core'
import { format as prettify, resolveConfig } from 'prettier'
import { describe, expect, it } from 'vitest'
import { forgeFormat } from '../src/check/index.ts'
import { ATTACKS } from '../src/lint/index.ts'

const PAGE = resolve(import.meta.dirname, '../../../docs/templates.md')
const SIGNS = { forged: '✗', 'other-bytes': '≠', refused: '–', 'not-shown': '–' } as const

describe('forgeFormat', () => {
  const forged = FORMATS.map((format) => ({ id: format.id, attacks: forgeFormat(format) }))

  it('keeps forged texts apart from tokens in the parts of every format whose marks are tokens', () => {
    const together = forged.flatMap(({ id, attacks }) => (attacks.some(({ apart }) => apart === false) ? [id] : []))

    expect(together).toEqual(['qwen', 'react'])
  })

  it('has what docs/templates.md says of every format (UPDATE_PAGES=1 writes it)', async () => {
    const head = ['Format', ...ATTACKS.map(({ name }) => `\`${name}\``), 'In parts']
    const rows = forged.map(({ id, attacks }) => {
      if (attacks.length === 0) return [`\`${id}\``, ...ATTACKS.map(() => ''), 'prompts are not known']
      const together = attacks.flatMap(({ apart, joined }) => (apart === false ? [`\`${joined.attack}\``] : []))
      const parts = together.length === 0 ? 'apart' : `the same: ${together.join(', ')}`
      return [`\`${id}\``, ...attacks.map(({ joined }) => SIGNS[joined.outcome]), parts]
    })
    const table = [head, ['-', ...ATTACKS.map(() => ':-:'), '-'], ...rows].map((cells) => `| ${cells.join(' | ')} |`)
    const page = readFileSync(PAGE, 'utf8')
    const [start, end] = ['<!-- formats -->', '<!-- /formats -->'].map((mark) => page.indexOf(mark))
    const wanted = await prettify(
      `${page.slice(0, start)}<!-- formats -->\n\n${table.join('\n')}\n\n${page.slice(end)}`,
      { ...(await resolveConfig(PAGE)), parser: 'markdown' },
    )
    if (process.env['UPDATE_PAGES'] === '1') writeFileSync(PAGE, wanted)

    expect(readFileSync(PAGE, 'utf8')).toBe(wanted)
  })
})
