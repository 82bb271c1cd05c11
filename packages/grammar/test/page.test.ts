import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { fewOf, IS_WHOLE, onlyLong, shareOf } from '../../tidy/test/share.ts'
import type { GrammarCheck, GrammarFinding } from '../src/index.ts'
import type { ShippedRow } from '../src/shipped-entry.ts'
import { checkShipped, shippedName, shippedRows, SHIPPING_ENGINES } from '../src/shipped-entry.ts'

/*
 * The findings in shipped grammars: the tables of docs/grammars.md and docs/zh/grammars.md, docs/shipped-grammars.md with each smallest text,
 * and reports/grammars/findings.jsonl. UPDATE_PAGES=1 npx vitest run packages/grammar/test/page.test.ts writes them again.
 */
const REPOSITORY = new URL('../../../', import.meta.url)
const TABLES = [new URL('docs/grammars.md', REPOSITORY), new URL('docs/zh/grammars.md', REPOSITORY)]
const DETAILS = new URL('docs/shipped-grammars.md', REPOSITORY)
const DATA = new URL('reports/grammars/findings.jsonl', REPOSITORY)
const [BEGIN, END] = ['<!-- findings -->\n', '<!-- /findings -->\n']
const IS_UPDATE = process.env['UPDATE_PAGES'] === '1'
const WALKS = 300

/** The pages are about replies without a thought, and about any call; named tools and thoughts are in the data. */
const listed = shippedRows().filter(
  ({ format, choice, thinking }) => format !== null && choice !== 'named' && thinking !== true,
)

type Checked = { readonly row: ShippedRow; readonly check: GrammarCheck | string }

const sum = (check: GrammarCheck, kind: GrammarFinding['kind']): number =>
  check.findings.filter((one) => one.kind === kind).reduce((total, { count }) => total + count, 0)

function summary({ row, check }: Checked): string {
  const figures =
    typeof check === 'string'
      ? '– | –'
      : `${sum(check, 'refused')} of ${check.written} | ${sum(check, 'unread')} of ${check.walked}`
  return `| \`${shippedName(row)}\` | ${row.format ?? ''} | ${row.choice} | ${figures} |\n`
}

function table(checked: readonly Checked[]): string {
  const parts = SHIPPING_ENGINES.map((engine) => {
    const own = checked.filter(({ row }) => row.engine === engine)
    const head = `\n${own[0]?.row.release ?? engine}:\n\n| grammar | format | choice | refused | unread |\n| --- | --- | --- | --- | --- |\n`
    return head + own.map(summary).join('')
  })
  return `${BEGIN}${parts.join('')}\n${END}`
}

/** Findings that are alike are one: by format, kind and reason, with the smallest text and the grammars that have it. */
function details(checked: readonly Checked[]): string {
  const formats = [...new Set(checked.map(({ row }) => row.format ?? ''))].toSorted()
  const sections = formats.flatMap((format) => {
    const groups = new Map<string, { finding: GrammarFinding; grammars: Set<string> }>()
    for (const { row, check } of checked) {
      if (row.format !== format || typeof check === 'string') continue
      for (const finding of check.findings) {
        const key = `${finding.kind} ${finding.about}`
        const group = groups.get(key) ?? { finding, grammars: new Set<string>() }
        group.grammars.add(`\`${shippedName(row)}\` (${row.choice})`)
        const isSmaller = finding.text.length < group.finding.text.length
        groups.set(key, isSmaller ? { ...group, finding } : group)
      }
    }
    if (groups.size === 0) return []
    return [`\n## ${format}\n${[...groups.values()].map(detail).join('')}`]
  })
  return `${BEGIN}${sections.join('')}\n${END}`
}

function detail({ finding, grammars }: { finding: GrammarFinding; grammars: Set<string> }): string {
  const what = finding.kind === 'refused' ? `refused (${finding.about})` : `accepted, but ${finding.about}`
  // A text may hold a fence of its own.
  const fence = finding.text.includes('```') ? '````' : '```'
  return `\n- ${what}: ${[...grammars].join(', ')}\n\n  ${fence}json\n  ${JSON.stringify(finding.text)}\n  ${fence}\n`
}

function lines(checked: readonly Checked[]): string {
  return checked
    .flatMap(({ row, check }) => {
      const { engine, release, name, format, choice, thinking } = row
      if (typeof check === 'string') return []
      return check.findings.map(({ kind, by, about, text, at, count }) =>
        JSON.stringify({
          ...{ grammar: shippedName(row), engine, release, name, format, choice, thinking, kind, by, about, count },
          ...{ of: kind === 'refused' ? check.written : check.walked, text, at },
        }),
      )
    })
    .map((line) => `${line}\n`)
    .join('')
}

// The formatter pads the cells of a table.
const tidyTable = (text: string): string => text.replace(/ +/g, ' ').replace(/-{3,}/g, '---')

it('the pages have the figures of some shipped grammars', { timeout: 300_000 }, () => {
  for (const row of fewOf(listed, 3).slice(0, shareOf(listed.length)))
    for (const page of TABLES)
      expect(tidyTable(readFileSync(page, 'utf8'))).toContain(tidyTable(summary(checkShipped(row, { walks: WALKS }))))
})

const whole = (): void => {
  it('the pages and the data have all findings', { timeout: 900_000 }, () => {
    const all = shippedRows()
      .filter(({ format }) => format !== null)
      .map((row) => checkShipped(row, { walks: WALKS }))
    const checked = all.filter(({ row }) => listed.includes(row))

    for (const page of TABLES) expectSection(page, table(checked))
    expectSection(DETAILS, details(checked))
    if (IS_UPDATE) {
      mkdirSync(new URL('.', DATA), { recursive: true })
      writeFileSync(DATA, lines(all))
    } else expect(readFileSync(DATA, 'utf8')).toBe(lines(all))
  })
}

function expectSection(page: URL, text: string): void {
  const old = readFileSync(page, 'utf8')
  const [from, to] = [old.indexOf(BEGIN), old.indexOf(END) + END.length]
  if (IS_UPDATE) writeFileSync(page, old.slice(0, from) + text + old.slice(to))
  else expect(tidyTable(old.slice(from, to))).toBe(tidyTable(text))
}
// It takes minutes of processor time; a share of the long tests compares some rows, above.
if (IS_UPDATE) whole()
else if (IS_WHOLE) onlyLong(whole)
