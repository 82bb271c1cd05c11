import { formatNamed } from '@callspec/core'
import type { Format } from '@callspec/core'
import { plural } from '@callspec/eval/text'
import { checkGrammar, readTools, SHIPPED_BY, SHIPPED_MODELS, shippedGrammar, templateWriter } from '@callspec/grammar'
import type { GrammarCheck, GrammarFinding, GrammarTool, ShippedRequest, TemplateWriter } from '@callspec/grammar'
import { compileTemplate } from '@callspec/template'
import { EXIT } from '../command.ts'
import type { ExitCode, Invocation } from '../command.ts'
import { FORMAT_NAMES } from '../formats.ts'
import { readSource } from '../input-file.ts'
import { inert } from '../output.ts'
import type { Output } from '../output.ts'
import { openCompiledSource } from '../template/source.ts'
import { didYouMean, UsageError } from '../usage-error.ts'
import { writeFileAtomically } from '../write-file.ts'
import { compiledGrammar, openGrammar } from './grammar-file.ts'
import type { GrammarFile } from './grammar-file.ts'

/** Random texts of the grammar that are read back. */
const WALKS = 1000

export async function runCheck(invocation: Invocation): Promise<ExitCode> {
  const { options, output } = invocation
  const format = chosenFormat(options.text('format'))
  const tools = await readToolFile(options.text('tools'))
  const request = { tools, choice: chosenChoice(options.text('choice'), tools), reasoning: options.flag('reasoning') }
  const file = await chosenGrammar(invocation, request)
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

function chosenFormat(name: string | null): Format {
  if (name === null) throw new UsageError(`Which format? Give --format with one of ${FORMAT_NAMES.join(', ')}.`)
  const format = formatNamed(name)
  if (format === null) throw new UsageError(`--format "${name}" is unknown.${didYouMean(name, FORMAT_NAMES)}`)
  return format
}

/** Reads a list of tools, or an object with `tools`: a request, or the answer of an MCP server. */
async function readToolFile(path: string | null): Promise<readonly GrammarTool[]> {
  if (path === null) throw new UsageError('Which tools? Give --tools FILE: a JSON list of tools, as a request has it.')
  const { name, text } = await readSource(path)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new UsageError(`${name}: is not JSON. Give a list of tools, or an object with "tools".`)
  }
  const list = typeof value === 'object' && value !== null && 'tools' in value ? value.tools : value
  const tools = readTools(list)
  if (tools === null || tools.length === 0)
    throw new UsageError(`${name}: has no list of tools. Each needs a "name" and "parameters", bare or in "function".`)
  return tools
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

async function chosenGrammar(invocation: Invocation, request: ShippedRequest): Promise<GrammarFile> {
  const { positionals, options } = invocation
  const [path, extra] = positionals
  const model = options.text('shipped')
  if (extra !== undefined) throw new UsageError(`unexpected argument "${extra}". One GRAMMAR is checked.`)
  if ((path === undefined) === (model === null))
    throw new UsageError('callspec grammar check needs a GRAMMAR, or --shipped MODEL: one of the two.')
  if (model === null) return openGrammar(path ?? '', invocation)
  const tag = shippedGrammar(model, request)
  if (tag !== null) return compiledGrammar(`${model} of ${SHIPPED_BY}`, { kind: 'structural_tag', value: tag })
  throw new UsageError(
    `--shipped "${model}" is unknown.${didYouMean(model, SHIPPED_MODELS)} Known: ${SHIPPED_MODELS.join(', ')}.`,
  )
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
