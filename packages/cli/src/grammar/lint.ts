import { lintGrammar, showGrammar } from '@callspec/grammar'
import { EXIT } from '../command.ts'
import type { ExitCode, Invocation } from '../command.ts'
import { inert } from '../output.ts'
import { UsageError } from '../usage-error.ts'
import { openGrammar } from './grammar-file.ts'
import type { GrammarFile } from './grammar-file.ts'

export async function runLint(invocation: Invocation): Promise<ExitCode> {
  const { options, output } = invocation
  const { kind, value, name } = await onlyGrammar(invocation)
  const found = lintGrammar(kind, value)
  if (options.flag('json')) output.write(`${JSON.stringify({ grammar: name, findings: found }, null, 2)}\n`)
  else {
    for (const { severity, id, where, message } of found)
      output.line(inert(`${severity} ${id}${where === '' ? '' : ` at ${where}`}: ${message}`))
    if (found.length === 0) output.line('no known trap')
  }
  return found.some(({ severity }) => severity !== 'note') ? EXIT.disagreement : EXIT.ok
}

/** Prints the rules of a grammar. */
export async function runShow(invocation: Invocation): Promise<ExitCode> {
  const { compiled } = await onlyGrammar(invocation)
  invocation.output.verbatim(showGrammar(compiled))
  return EXIT.ok
}

async function onlyGrammar(invocation: Invocation): Promise<GrammarFile> {
  const [path, extra] = invocation.positionals
  if (path === undefined || extra !== undefined)
    throw new UsageError(`callspec grammar ${invocation.subcommand ?? ''} needs one GRAMMAR.`)
  return openGrammar(path, invocation)
}
