import { readFileSync, writeFileSync } from 'node:fs'
import { type Format, FORMATS } from '@callspec/core'
import { expect, it } from 'vitest'
import { fewOf, onlyLong } from '../../tidy/test/share.ts'
import { type ExportSyntax, checkGrammar, compileGrammar, exportGrammar } from '../src/index.ts'
import { EXPORT_TOOLS, READ_SYNTAXES, hasRepeatedKey } from './export-tools.ts'

/*
 * What `callspec grammar export` makes of each format, as docs/grammars.md and docs/zh/grammars.md show it.
 * UPDATE_PAGES=1 npx vitest run packages/grammar/test/export-page.test.ts writes it again.
 */
const PAGES = [
  new URL('../../../docs/grammars.md', import.meta.url),
  new URL('../../../docs/zh/grammars.md', import.meta.url),
]
const [BEGIN, END] = ['<!-- exports -->\n', '<!-- /exports -->\n']
const IS_UPDATE = process.env['UPDATE_PAGES'] === '1'
const WALKS = 1000

/** Losses that every format has: they are said once. */
const COMMON = ['in another order', 'does not list, although it does not forbid it']
/** What the other losses are, in a few words. */
const SHORT: readonly (readonly [part: string, word: string])[] = [
  ['an argument that is not declared', 'an undeclared argument'],
  ['two arguments that', 'two undeclared arguments'],
  ['each key once', 'repeated keys pass'],
  ['a text that holds', 'a text with a mark'],
  ['prose that', 'prose with a mark'],
]

/** Longer texts are left out: the command prints them. */
const LONGEST = 140

function rowOf(format: Format, syntax: ExportSyntax): string {
  let [written, refused, walked, unread] = [0, 0, 0, 0]
  const losses = new Map<string, string>()
  for (const choice of ['auto', 'required'] as const) {
    const plain = { tools: EXPORT_TOOLS, choice, parallel: true, reasoning: false }
    const result = exportGrammar(format, { ...plain, syntax })
    if (!result.ok) return `| ${format.id} | ${syntax} | | | ${result.error} |\n`
    const kind = syntax === 'gbnf' ? 'gbnf' : 'structural_tag'
    const compiled = compileGrammar(kind, result.grammar)
    if (!compiled.ok) throw new Error(`${format.id}: ${compiled.error}`)
    const use = { startOf: null, before: '', template: null, walks: WALKS }
    const check = checkGrammar({ ...plain, ...use, format, grammar: compiled.grammar })
    written += check.written
    walked += check.walked
    for (const { about, text } of result.losses)
      if (!COMMON.some((one) => about.includes(one))) losses.set(shortName(about), text ?? '')
    const repeats = losses.has('repeated keys pass')
    for (const finding of check.findings)
      if (finding.kind === 'refused') refused += finding.count
      else if (!(repeats && hasRepeatedKey(finding.text))) unread += finding.count
  }
  const shown = [...losses]
    .map(([name, text]) => (text === '' || text.length > LONGEST ? name : `${name}: ${code(text)}`))
    .join('; ')
  return `| ${format.id} | ${syntax} | ${refused} of ${written} | ${unread} of ${walked} | ${shown} |\n`
}

function shortName(about: string): string {
  return SHORT.find(([part]) => about.includes(part))?.[1] ?? about
}

function code(text: string): string {
  return `\`${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll('|', '\\|')}\``
}

const wanted = FORMATS.flatMap((format) => READ_SYNTAXES.map((syntax) => [format, syntax] as const))
// The formatter pads the cells of a table.
const tidyTable = (text: string): string => text.replace(/ +/g, ' ').replace(/-{3,}/g, '---')

it('the pages have what is exported for some formats', { timeout: 600_000 }, () => {
  for (const [format, syntax] of fewOf(wanted, 2))
    for (const page of PAGES) expect(tidyTable(readFileSync(page, 'utf8'))).toContain(tidyTable(rowOf(format, syntax)))
})

const whole = (): void => {
  it('the pages have what is exported for every format', { timeout: 3_600_000 }, () => {
    const head = '| format | syntax | refused | unread | cannot say |\n| --- | --- | --- | --- | --- |\n'
    const text = `${BEGIN}\n${head}${wanted.map(([format, syntax]) => rowOf(format, syntax)).join('')}\n${END}`

    for (const page of PAGES) {
      const old = readFileSync(page, 'utf8')
      const [from, to] = [old.indexOf(BEGIN), old.indexOf(END) + END.length]
      if (IS_UPDATE) writeFileSync(page, old.slice(0, from) + text + old.slice(to))
      else expect(tidyTable(old.slice(from, to))).toBe(tidyTable(text))
    }
  })
}
if (IS_UPDATE) whole()
else onlyLong(whole)
