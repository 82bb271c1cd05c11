import { EXPORT_SYNTAXES, EXPORT_TARGETS, exportGrammar } from '@callspec/grammar'
import type { ExportLoss, ExportRequest, ExportSyntax, GrammarTool } from '@callspec/grammar'
import { plural } from '@callspec/eval/text'
import { EXIT } from '../command.ts'
import type { ExitCode, Invocation } from '../command.ts'
import { quotedLine } from '../output.ts'
import { didYouMean, UsageError } from '../usage-error.ts'
import { chosenFormat, chosenTools } from './check.ts'

const TARGET_NAMES = EXPORT_TARGETS.map(({ name }) => name)

export async function runExport(invocation: Invocation): Promise<ExitCode> {
  const { positionals, options, output } = invocation
  if (positionals[0] !== undefined)
    throw new UsageError(`unexpected argument "${positionals[0]}". An export is made of --format and --tools.`)
  const format = chosenFormat(options.text('format'))
  const tools = await chosenTools(options.text('tools'), { isShipped: false })
  const { syntax, target } = chosenSyntax(options.text('as'), options.text('for'))
  const result = exportGrammar(format, {
    tools,
    syntax,
    choice: chosenChoice(options.text('choice'), tools),
    parallel: options.choice('parallel') ?? true,
    reasoning: options.flag('reasoning'),
  })
  if (!result.ok) throw new UsageError(`${format.id}: ${result.error}`)
  const { grammar, losses } = result
  if (options.flag('json')) {
    const kind = syntax === 'structural-tag' ? 'structural_tag' : syntax
    output.write(`${JSON.stringify({ format: format.id, for: target, kind, grammar, losses }, null, 2)}\n`)
    return EXIT.ok
  }
  output.write(typeof grammar === 'string' ? grammar : `${JSON.stringify(grammar, null, 2)}\n`)
  for (const line of lossLines(losses)) output.note(line)
  return EXIT.ok
}

function lossLines(losses: readonly ExportLoss[]): readonly string[] {
  if (losses.length === 0) return []
  const lines = losses.map(({ kind, about, text }) =>
    text === null ? `  ${kind}: ${about}` : `  ${kind}: ${about}: ${quotedLine(text, 200)}`,
  )
  return [`callspec: ${plural(losses.length, 'loss', 'losses')}: what the grammar cannot say`, ...lines]
}

function chosenSyntax(
  as: string | null,
  wanted: string | null,
): { readonly syntax: ExportSyntax; readonly target: string | null } {
  const syntax = EXPORT_SYNTAXES.find((one) => one === as)
  if (wanted === null) return { syntax: syntax ?? 'structural-tag', target: null }
  const target = EXPORT_TARGETS.find(({ name }) => name === wanted)
  if (!target)
    throw new UsageError(
      `--for "${wanted}" is unknown.${didYouMean(wanted, TARGET_NAMES)} Known: ${TARGET_NAMES.join(', ')}.`,
    )
  if (syntax !== undefined && syntax !== target.syntax)
    throw new UsageError(`${target.name} does not read ${syntax}. Leave out --as, or give --as ${target.syntax}.`)
  return { syntax: target.syntax, target: target.name }
}

function chosenChoice(choice: string | null, tools: readonly GrammarTool[]): ExportRequest['choice'] {
  if (choice === null || choice === 'auto') return 'auto'
  if (choice === 'required' || choice === 'none') return choice
  const names = tools.map(({ name }) => name)
  if (names.includes(choice)) return { name: choice }
  throw new UsageError(
    `--choice "${choice}" is neither auto, none, required nor a tool: ${names.join(', ')}.${didYouMean(choice, names)}`,
  )
}
