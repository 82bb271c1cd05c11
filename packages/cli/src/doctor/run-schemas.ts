import { schemaSuite } from '@callspec/eval/doctor'
import { readReferences, startSimServer } from '@callspec/sim'
import { durationFrom } from '../arguments.ts'
import { reportToCi } from '../ci-findings.ts'
import type { ExitCode, Invocation } from '../command.ts'
import { EXIT } from '../command.ts'
import type { EvalContext } from '../eval/context.ts'
import { modelSources } from '../eval/context.ts'
import { announceEndpoints } from '../eval/endpoint.ts'
import { exitCodeOf } from '../eval/gates.ts'
import { inert } from '../output.ts'
import { openServerAt } from '../template/server.ts'
import { isSourceError, openCompiledSource } from '../template/source.ts'
import { listedTools } from '../tool-list.ts'
import { UsageError } from '../usage-error.ts'
import type { ExaminedEndpoint } from './examined-endpoint.ts'
import { examinedEndpoint } from './examined-endpoint.ts'
import { printSchemas, schemaFindings, schemasJson } from './print-schemas.ts'
import type { SchemaServer, SchemasReport } from './schemas.ts'
import { examineSchemas } from './schemas.ts'
import type { TemplateSide } from './template-side.ts'
import { createTemplateSide } from './template-side.ts'

/** For all renderings; one takes milliseconds, of a tool of megabytes seconds. */
const TEMPLATE_BUDGET_MS = 120_000

/** `callspec doctor --schemas`. */
export async function runSchemas(invocation: Invocation, context: EvalContext): Promise<ExitCode> {
  const { output } = invocation
  const { own, options, environment } = context
  if (own.flag('quick')) throw new UsageError('--quick and --schemas are two examinations. Give one of them.')
  const timeoutMs = durationFrom('--timeout', options.timeout ?? '20', { min: 1, max: 600_000 })
  const [source, model] = [own.text('template'), own.text('model')]
  const tools = await listedTools({ tools: own.text('tools'), mcp: own.text('mcp'), timeoutMs })
  const isOffline = source !== null && own.text('base-url') === null && model === null
  const endpoint = isOffline ? null : examinedEndpoint(model, modelSources(context))
  if (endpoint !== null) announceEndpoints([endpoint.endpoint], { output, isResumed: false })
  const simulated =
    isOffline || endpoint !== null ? null : await startSimServer({ references: readReferences(schemaSuite()) })
  try {
    const server = isOffline
      ? null
      : schemaServer({ endpoint, model, timeoutMs, simulatedUrl: simulated?.baseUrl ?? '' })
    const template =
      source === null
        ? await serverTemplate(server, endpoint !== null)
        : createTemplateSide(await openCompiledSource(source, { ...invocation, environment }), TEMPLATE_BUDGET_MS)
    const report = await examineSchemas({ tools, template, server, output })
    if (own.flag('json')) output.line(JSON.stringify(schemasJson(report), null, 2))
    else printSchemas(report, output)
    return await exitOf(report, invocation)
  } finally {
    await simulated?.close()
  }
}

async function exitOf(report: SchemasReport, invocation: Invocation): Promise<ExitCode> {
  const found = schemaFindings(report)
  const findings = found.flatMap(({ name, finding: { verdict, evidence, whatToChange } }) => {
    if (verdict !== 'fail' && verdict !== 'warn') return []
    const message = `${name}: ${evidence}${whatToChange === null ? '' : ` ${whatToChange}`}`
    return [
      {
        rule: 'doctor-schemas',
        level: verdict === 'fail' ? ('error' as const) : ('warning' as const),
        message,
        file: null,
      },
    ]
  })
  const failed = found.some(({ finding }) => finding.verdict === 'fail')
  const total = `${inert(report.model ?? report.template ?? '')}: ${report.rows.length} schemas, ${findings.length} findings`
  await reportToCi({ findings, rules: {}, title: 'callspec doctor --schemas', total, sarif: null }, invocation)
  return report.isAsked ? exitCodeOf({ failed, inconclusive: false }, invocation.environment) : EXIT.usage
}

interface ServerParts {
  readonly endpoint: ExaminedEndpoint | null
  readonly model: string | null
  readonly timeoutMs: number
  readonly simulatedUrl: string
}

function schemaServer({ endpoint, model, timeoutMs, simulatedUrl }: ServerParts): SchemaServer {
  if (endpoint === null) return { baseUrl: simulatedUrl, apiKey: 'EMPTY', headers: {}, model, timeoutMs }
  const { baseUrl, apiKey, headers } = endpoint
  return { baseUrl, apiKey, headers, model: endpoint.model, timeoutMs }
}

/** The template of a server, by its text, prompts or numbers of tokens; null if it shows nothing. */
async function serverTemplate(server: SchemaServer | null, isReal: boolean): Promise<TemplateSide | null> {
  if (server === null || !isReal) return null
  const { baseUrl: url, apiKey, headers, model, timeoutMs } = server
  try {
    const source = await openServerAt({ url, apiKey, headers, timeoutMs }, { name: null, model })
    return createTemplateSide(source, TEMPLATE_BUDGET_MS)
  } catch (error) {
    if (isSourceError(error)) return null
    throw error
  }
}
