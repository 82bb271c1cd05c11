import type { Invocation, OptionTable } from '../command.ts'
import { UsageError } from '../usage-error.ts'

const STANDARD_OUTPUT = '-'

/** Alone it means standard output, as with every command; the results of a run may go into a file beside the report. */
export const JSON_OPTION: OptionTable = {
  json: {
    value: 'FILE',
    whenBare: STANDARD_OUTPUT,
    help:
      'Print JSON instead. Of run one result per line: id, op, profile, verdict, actual or error, reason, cases, implementation; ' +
      'run --json FILE writes them to FILE, beside the report.',
  },
}

/** Whether JSON is to be printed. A file stands only behind the --json of `run`, which reads it itself. */
export function wantsJson({ options, subcommand }: Pick<Invocation, 'options' | 'subcommand'>): boolean {
  const json = options.text('json')
  if (json === null || json === STANDARD_OUTPUT || subcommand === 'run') return json === STANDARD_OUTPUT
  throw new UsageError(
    `--json "${json}": callspec conformance ${subcommand ?? ''} writes no file of results. Give --json alone, behind all else.`,
  )
}
