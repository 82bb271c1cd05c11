import { FORMAT_IDS } from '@callspec/core/formats'
import { formatNamed } from '@callspec/core'
import type { Format } from '@callspec/core'
import { plural } from '@callspec/eval/text'
import { checkGrammar, templateWriter, triggerSearch } from '@callspec/grammar'
import type { GrammarCheck, GrammarFinding, GrammarTool, TemplateWriter } from '@callspec/grammar'
import type { ShippedRequest, ShippedRow } from '@callspec/grammar/shipped'
import {
  compileShipped,
  SHIPPING_ENGINES,
  shippedGrammar,
  shippedName,
  shippedNames,
  shippedRow,
  shippedTools,
} from '@callspec/grammar/shipped'
import { compileTemplate } from '@callspec/template'
import { EXIT } from '../command.ts'
import type { ExitCode, Invocation } from '../command.ts'
import { inert } from '../output.ts'
import type { Output } from '../output.ts'
import { openCompiledSource } from '../template/source.ts'
import { readToolFile } from '../tool-list.ts'
import { didYouMean, UsageError } from '../usage-error.ts'
import { writeFileAtomically } from '../write-file.ts'
import { openGrammar } from './grammar-file.ts'
import type { GrammarFile } from './grammar-file.ts'

/** Random texts of the grammar that are read back. */
const WALKS = 1000

const ONE_OF_TWO = 'callspec grammar check needs a GRAMMAR, or --shipped NAME: one of the two.'

export async function runCheck(invocation: Invocation): Promise<ExitCode> {
  const { options, output } = invocation
  const shipped = options.text('shipped')
  if (shipped !== null && isSeveral(shipped)) return (await import('./check-shipped.ts')).runCheckShipped(invocation)
  const tools = await chosenTools(options.text('tools'), { isShipped: shipped !== null })
  const request = { tools, choice: chosenChoice(options.text('choice'), tools), reasoning: options.flag('reasoning') }
  if (shipped !== null && invocation.positionals.length > 0) throw new UsageError(ONE_OF_TWO)
  const row = shipped === null ? null : chosenRow(shipped, request)
  const format = chosenFormat(options.text('format') ?? row?.format ?? null)
  const file = row === null ? await openedGrammar(invocation) : rowGrammar(row, request)
  const template = await chosenTemplate(invocation, { format, tools })
  const check = checkGrammar({
    ...request,
    grammar: file.compiled,
    format,
    parallel: options.choice('parallel') ?? true,
    startOf: file.startOf,
    before: file.before,
    template,
    walks: WALKS,
  })
  const html = options.text('html')
  if (html !== null) {
    const { renderGrammarCheck } = await import('@callspec/report')
    await writeFileAtomically(html, renderGrammarCheck({ grammar: file.name, format: format.id, check }))
  }
  if (options.flag('json'))
    output.write(`${JSON.stringify({ grammar: file.name, format: format.id, ...check }, null, 2)}\n`)
  else printCheck(check, { name: file.name, format, hasTemplate: template !== null }, output)
  return check.findings.length === 0 ? EXIT.ok : EXIT.disagreement
}

/** @throws UsageError for a format that is missing or unknown */
export function chosenFormat(name: string | null): Format {
  if (name === null) throw new UsageError(`Which format? Give --format NAME; callspec formats lists them.`)
  const format = formatNamed(name)
  if (format === null) throw new UsageError(`--format "${name}" is unknown.${didYouMean(name, FORMAT_IDS)}`)
  return format
}

/**
 * The tools of a file; for shipped grammars without one, those of the tables.
 *
 * @throws UsageError for a file that has none, and where none is given
 */
export async function chosenTools(
  path: string | null,
  { isShipped }: { readonly isShipped: boolean },
): Promise<readonly GrammarTool[]> {
  if (path === null && isShipped) return shippedTools()
  if (path === null) throw new UsageError('Which tools? Give --tools FILE: a JSON list of tools, as a request has it.')
  const tools = await readToolFile(path)
  return tools.map(({ name, parameters }) => ({ name, parameters: parameters ?? { type: 'object' } }))
}

function chosenChoice(choice: string | null, tools: readonly GrammarTool[]): ShippedRequest['choice'] {
  if (choice === null || choice === 'auto') return 'auto'
  if (choice === 'required') return 'required'
  const names = tools.map(({ name }) => name)
  if (names.includes(choice)) return { name: choice }
  throw new UsageError(
    `--choice "${choice}" is neither auto, required nor a tool: ${names.join(', ')}.${didYouMean(choice, names)}`,
  )
}

async function openedGrammar(invocation: Invocation): Promise<GrammarFile> {
  const [path, extra] = invocation.positionals
  if (extra !== undefined) throw new UsageError(`unexpected argument "${extra}". One GRAMMAR is checked.`)
  if (path === undefined) throw new UsageError(ONE_OF_TWO)
  return openGrammar(path, invocation)
}

function chosenRow(name: string, request: ShippedRequest): ShippedRow {
  const row = shippedRow(name, request)
  if (row !== null) return row
  const names = shippedNames()
  if (names.includes(name.replace(/^xgrammar\//, '')))
    throw new UsageError(`--shipped "${name}": the engine forces nothing for this --choice and --reasoning.`)
  throw new UsageError(
    `--shipped "${name}" is unknown.${didYouMean(name, names)} Give ${SHIPPING_ENGINES.join(', ')}, all, or a name in the table that these print.`,
  )
}

function rowGrammar(row: ShippedRow, request: ShippedRequest): GrammarFile {
  const name = `${shippedName(row)} of ${row.release}`
  const value = shippedGrammar(row, request)
  if (value === null)
    throw new UsageError(`--shipped "${shippedName(row)}" is known for the tools of callspec only. Leave --tools out.`)
  const result = compileShipped(row, value)
  if (!result.ok) throw new UsageError(`${name}: ${result.error}`)
  const file = { name, kind: row.kind, value, compiled: result.grammar }
  return { ...file, before: row.before, startOf: row.lazy ? triggerSearch(row.triggers) : null }
}

function isSeveral(name: string): boolean {
  return name === 'all' || SHIPPING_ENGINES.some((engine) => engine === name)
}

async function chosenTemplate(
  invocation: Invocation,
  { format, tools }: { readonly format: Format; readonly tools: readonly GrammarTool[] },
): Promise<TemplateWriter | null> {
  const { options } = invocation
  const path = options.text('template')
  if (path === null) return null
  const source = await openCompiledSource(path, invocation)
  if (source.kind !== 'text')
    throw new UsageError(`${path}: a server cannot be checked. Give the file of its template.`)
  const settings = Object.fromEntries(options.list('set').map((text) => settingOf(text)))
  const variables = { eos_token: format.stops.end[0] ?? '', bos_token: '', ...source.tokens, ...settings }
  return templateWriter(compileTemplate(source.template), { format, tools, variables })
}

function settingOf(text: string): readonly [string, unknown] {
  const at = text.indexOf('=')
  try {
    if (at > 0) return [text.slice(0, at), JSON.parse(text.slice(at + 1))]
  } catch {
    // Said below.
  }
  throw new UsageError(`--set "${text}" is not NAME=JSON. Write --set enable_thinking=false.`)
}

function printCheck(
  { written, walked, findings }: GrammarCheck,
  { name, format, hasTemplate }: { readonly name: string; readonly format: Format; readonly hasTemplate: boolean },
  output: Output,
): void {
  output.line(inert(`${name}, against ${format.id}`))
  for (const finding of findings) printFinding(finding, output)
  output.line()
  const refused = findings.filter(({ kind }) => kind === 'refused')
  const unread = findings.filter(({ kind }) => kind === 'unread')
  const count = (some: readonly GrammarFinding[]): number => some.reduce((sum, one) => sum + one.count, 0)
  const writers = hasTemplate ? 'template and writer' : 'the writer'
  output.line(
    `complete: ${count(refused)} of ${plural(written, 'text')} of ${writers} refused${refused.length > 0 ? `, for ${plural(refused.length, 'reason')}` : ''}`,
  )
  output.line(
    `sound: ${count(unread)} of ${plural(walked, 'random text')} not read as requested${unread.length > 0 ? `, for ${plural(unread.length, 'reason')}` : ''}`,
  )
}

function printFinding(finding: GrammarFinding, output: Output): void {
  const { kind, by, about, text, at, expected, count } = finding
  output.line()
  if (kind === 'refused') {
    output.line(
      `${output.paint('red', '✗')} ${inert(`refused, written by the ${by} (${about}; ${plural(count, 'text')})`)}`,
    )
    output.line(`  ${inert(JSON.stringify(text))}`)
    output.line(`  ${inert(`at byte ${at ?? 0}, where was expected: ${expected.slice(0, 4).join(', ') || 'nothing'}`)}`)
    return
  }
  output.line(`${output.paint('red', '✗')} ${inert(`accepted, but ${about} (${plural(count, 'text')})`)}`)
  output.line(`  ${inert(JSON.stringify(text))}`)
}
