import { doctorJson, examine, isHealthy } from '@callspec/eval'
import type { DoctorReport, EndpointHeaders } from '@callspec/eval'
import { startSimServer } from '@callspec/sim'
import type { Invocation, OptionTable } from '../command.ts'
import { durationFrom } from '../duration.ts'
import type { ExitCode } from '../exit-codes.ts'
import type { Output, Style } from '../output.ts'
import { inert } from '../terminal.ts'
import { UsageError } from '../usage-error.ts'
import { checkUrl } from './endpoint.ts'
import { exitCodeOf } from './exit-code.ts'
import { headersOf } from './headers.ts'
import { modelsOf } from './models.ts'
import type { ModelSources } from './models.ts'
import { MODELS, REQUESTS, SOURCES } from './options.ts'
import { readSurroundings } from './surroundings.ts'
import { wrapHanging } from './wrap-items.ts'

const { 'base-url': BASE_URL, 'api-key-env': API_KEY_ENV, header: HEADER } = MODELS

/** The options of `callspec doctor`. */
export const DOCTOR_OPTIONS: OptionTable = {
  ...(BASE_URL === undefined ? {} : { 'base-url': BASE_URL }),
  model: { short: 'm', value: 'NAME', help: 'Model to ask. Default: the first one that the server lists.' },
  ...(API_KEY_ENV === undefined ? {} : { 'api-key-env': API_KEY_ENV }),
  ...(HEADER === undefined ? {} : { header: HEADER }),
  timeout: { ...REQUESTS['timeout'], help: 'Patience for one request: 5s, or seconds. Default: 20s.' },
  json: { help: 'Print the findings as JSON: @callspec/eval/schemas/doctor.schema.json.' },
  ...SOURCES,
}

/** Who is examined. */
interface Patient {
  readonly baseUrl: string
  readonly apiKey: string
  readonly headers: EndpointHeaders
  readonly model: string | null
}

/** `callspec doctor`. */
export async function runDoctor(invocation: Invocation): Promise<ExitCode> {
  const { output } = invocation
  const surroundings = await readSurroundings(invocation, DOCTOR_OPTIONS)
  const { options, environment } = surroundings
  const timeoutMs = durationFrom('--timeout', options.text('timeout') ?? '20', { min: 1, max: 600_000 })
  const patient = patientOf({ ...surroundings, config: surroundings.config.config })
  const server = patient === null ? await startSimServer() : null
  try {
    const asked = patient ?? {
      baseUrl: server?.baseUrl ?? '',
      apiKey: 'EMPTY',
      headers: {},
      model: options.text('model'),
    }
    const examined = await examine({ ...asked, timeoutMs })
    const report = patient === null ? examined : await withTemplate(examined, { ...patient, timeoutMs })
    if (options.flag('json')) output.line(JSON.stringify(doctorJson(report), null, 2))
    else print(report, output)
    return exitCodeOf({ failed: !isHealthy(report), inconclusive: false }, environment)
  } finally {
    await server?.close()
  }
}

/** What the server lets be seen of its chat template; a simulated model has none. */
async function withTemplate(
  report: DoctorReport,
  { baseUrl, apiKey, headers, timeoutMs }: Omit<Patient, 'model'> & { readonly timeoutMs: number },
): Promise<DoctorReport> {
  if (report.model === null) return report
  const { examineTemplate } = await import('../template/doctor/examine-template.ts')
  const finding = await examineTemplate({ url: baseUrl, apiKey, headers, timeoutMs }, report.model)
  return { ...report, findings: [...report.findings, finding] }
}

/** Null for a simulated model. */
function patientOf(sources: ModelSources): Patient | null {
  const model = sources.options.text('model')
  if (model === null) return { ...serverAlone(sources), model: null }
  const [found] = modelsOf({ ...sources, options: { ...sources.options, list: () => [model] } })
  if (found === undefined || found.endpoint.kind !== 'server') return null
  const { baseUrl, apiKey, headers } = found.endpoint
  return { baseUrl, apiKey, headers, model: found.name }
}

/** The address alone, without a model. */
function serverAlone(sources: ModelSources): Omit<Patient, 'model'> {
  const { options, environment } = sources
  const baseUrl = options.text('base-url') ?? (environment['OPENAI_BASE_URL'] || null)
  if (baseUrl === null)
    throw new UsageError('which endpoint? Give --base-url URL, or --model NAME with OPENAI_API_KEY.')
  checkUrl(baseUrl)
  const variable = options.text('api-key-env') ?? 'OPENAI_API_KEY'
  const headers = headersOf(sources.config.headers ?? {}, sources)
  return { baseUrl, apiKey: environment[variable] || 'EMPTY', headers }
}

const STYLES: Readonly<Record<string, Style>> = { ok: 'green', warn: 'yellow', fail: 'red', unknown: 'dim' }
const NAME_WIDTH = 16

function print({ baseUrl, model, findings }: DoctorReport, output: Output): void {
  output.line(output.paint('bold', inert(`${model ?? 'no model'} at ${baseUrl}`)))
  for (const { check, verdict, evidence, whatToChange } of findings) {
    const [first = '', ...rest] = wrapHanging(inert(evidence), 9 + NAME_WIDTH)
    output.line(
      `${output.paint(STYLES[verdict] ?? 'dim', verdict.padEnd(8))} ${check.padEnd(NAME_WIDTH)}${first.trimStart()}`,
    )
    for (const line of rest) output.line(line)
    if (whatToChange !== null)
      for (const line of wrapHanging(inert(`→ ${whatToChange}`), 9 + NAME_WIDTH)) output.line(line)
  }
}
