import type { Invocation } from '../../command.ts'
import { EXIT } from '../../exit-codes.ts'
import type { ExitCode } from '../../exit-codes.ts'
import { pageLanguage } from '../../page-language.ts'
import { UsageError } from '../../usage-error.ts'
import { writeFileAtomically } from '../../write-file.ts'
import { openTemplateSource } from '../source/open-source.ts'
import type { FailOn } from './lint-option-table.ts'
import { lintJson } from './lint-json.ts'
import { failOnFrom, rulesFrom } from './lint-options.ts'
import { lintSource } from './lint-source.ts'
import type { LintedSource } from './lint-source.ts'
import { printLint } from './print-lint.ts'

/** `callspec template lint`. */
export async function runLint(invocation: Invocation): Promise<ExitCode> {
  const { positionals, options, output } = invocation
  if (positionals.length === 0)
    throw new UsageError(
      'callspec template lint needs a SOURCE: a .jinja file, a tokenizer_config.json, a .gguf, a URL.',
    )
  const rules = rulesFrom(options)
  const failOn = failOnFrom(options)
  const linted: LintedSource[] = []
  let unreadable = 0
  for (const path of positionals) {
    output.progress(`${linted.length} of ${positionals.length} templates`)
    try {
      const source = await openTemplateSource(path, invocation)
      linted.push(await lintSource(source, rules === null ? {} : { rules }))
    } catch (error) {
      // One of many does not end the others.
      if (positionals.length === 1 || !(error instanceof UsageError)) throw error
      output.note(`callspec: ${error.message}`)
      unreadable += 1
    }
  }
  const failed = linted.some((each) => isFailed(each, failOn))
  if (options.flag('json')) output.line(JSON.stringify(lintJson(linted, failed), null, 2))
  else linted.forEach((each) => printLint(each, output))
  await writePage(linted, invocation)
  if (unreadable > 0) return EXIT.usage
  return failed ? EXIT.disagreement : EXIT.ok
}

async function writePage(linted: readonly LintedSource[], { options, output, environment }: Invocation): Promise<void> {
  const path = options.text('html')
  if (path === null) return
  const { renderTemplateLint } = await import('@callspec/report')
  await writeFileAtomically(path, renderTemplateLint({ templates: linted, language: pageLanguage(environment) }))
  output.note(`page: ${path}`)
}

function isFailed({ report }: LintedSource, failOn: FailOn): boolean {
  return report.findings.some(({ severity }) => severity === 'error' || severity === failOn)
}
