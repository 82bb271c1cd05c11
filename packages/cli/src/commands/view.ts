import type { Command, ExitCode, Invocation, OptionTable } from '../command.ts'
import { EXIT } from '../command.ts'
import { interrupted } from '../environment.ts'
import { REPORTS } from '../eval/run-names.ts'
import { inert } from '../output.ts'
import { UsageError, unusablePort } from '../usage-error.ts'
import { isThere } from '../write-file.ts'

const VIEW_OPTIONS: OptionTable = {
  ...REPORTS,
  port: { value: 'N', help: 'Port to listen on. Default: any free one, which is printed.' },
}

export const viewCommand: Command = {
  name: 'view',
  usage: ['view [--reports DIR] [--port N]'],
  about:
    'Serves the folder of runs on 127.0.0.1: all runs with their success, and what has changed since the run before; the report of each ' +
    'run; and, for a run that another process is playing, how far it is, its figures so far and a report of the episodes that have ' +
    'ended. It reads the folder and writes nothing.',
  options: VIEW_OPTIONS,
  examples: ['callspec view', 'callspec view --reports before --port 8090'],
  notes: [
    'eval writes the same list of runs as reports/index.html, which needs no server; callspec report without a run writes it again.',
    'Exit codes: 0 after Ctrl-C; 2 the folder is missing, the port is in use, or misuse.',
  ],
  run: viewRuns,
}

async function viewRuns(invocation: Invocation): Promise<ExitCode> {
  const { options, environment } = invocation
  const reports = options.text('reports') ?? (environment['CALLSPEC_REPORTS'] || 'reports')
  const port = options.integer('port', { min: 0, max: 65_535 }) ?? 0
  const { output } = invocation
  if (!(await isThere(reports)))
    throw new UsageError(
      `${reports}: there is no such folder. Name one with --reports, or start a run with callspec eval.`,
    )
  const { serveRuns } = await import('../runs/serve.ts')
  const server = await serveRuns(reports, port).catch((error: unknown) => {
    throw unusablePort(port, error)
  })
  output.line(server.url)
  output.note(inert(`callspec: serving the runs in ${reports}. Ctrl-C ends it.`))
  await interrupted()
  await server.close()
  return EXIT.ok
}
