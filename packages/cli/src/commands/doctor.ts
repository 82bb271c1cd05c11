import type { DoctorReport, EndpointHeaders, ScriptFinding } from '@callspec/eval'
import { doctorJson, doesHang, examine, quickSuite, redactedUrl } from '@callspec/eval'
import { plural } from '@callspec/eval/text'
import { readReferences, startSimServer } from '@callspec/sim'
import { durationFrom } from '../arguments.ts'
import type { CiFinding } from '../ci-findings.ts'
import { reportToCi } from '../ci-findings.ts'
import { wrapHanging } from '../columns.ts'
import type { Command, ExitCode, Invocation, OptionTable } from '../command.ts'
import { EXIT } from '../command.ts'
import type { Endpoint } from '../eval/endpoint.ts'
import { announceEndpoints, isLoopback } from '../eval/endpoint.ts'
import { exitCodeOf } from '../eval/gates.ts'
import { FORMAT_NAMES } from '../formats.ts'
import { readModels } from '../eval/models.ts'
import { MODEL_OPTIONS, REQUEST_OPTIONS, SOURCE_OPTIONS } from '../eval/options.ts'
import type { ModelSources } from '../eval/server-of.ts'
import { writtenAddress, openAiAddress, modelServer } from '../eval/server-of.ts'
import { modelSources, readEvalContext } from '../eval/context.ts'
import { variableOf } from '../layered-options.ts'
import type { Output, Style } from '../output.ts'
import { inert } from '../output.ts'
import { renderTable } from '../table.ts'
import { didYouMean, UsageError } from '../usage-error.ts'

const { 'base-url': BASE_URL, 'api-key-env': API_KEY_ENV, header: HEADER } = MODEL_OPTIONS

const DOCTOR_OPTIONS: OptionTable = {
  ...(BASE_URL === undefined
    ? {}
    : {
        'base-url': {
          ...BASE_URL,
          help: 'OpenAI-compatible server, up to /v1. Default: OPENAI_BASE_URL.',
          repeat: false,
        },
      }),
  model: { short: 'm', value: 'NAME', help: 'Model to examine. Default: the first one that the server lists.' },
  ...(API_KEY_ENV === undefined ? {} : { 'api-key-env': API_KEY_ENV }),
  ...(HEADER === undefined ? {} : { header: HEADER }),
  format: {
    short: 'f',
    value: 'NAME',
    suggested: FORMAT_NAMES,
    help: 'Format whose end-of-turn token text-tokens uses. Default: that of the chat template, if the server shows it.',
  },
  timeout: { ...REQUEST_OPTIONS['timeout'], help: 'Patience for one request: 5s, or seconds. Default: 20s.' },
  quick: { help: 'Send ten scripted requests with tools instead, each whole and streamed: does calling work at all?' },
  'key-over-http': {
    help: 'With --quick: let the key go over plain http to another machine. Default: only to this one.',
  },
  json: { help: 'Print the findings as JSON: @callspec/eval/schemas/doctor.schema.json.' },
  ...SOURCE_OPTIONS,
}

export const doctorCommand: Command = {
  name: 'doctor',
  usage: [
    'doctor [--base-url URL] [--model NAME] [options]',
    'doctor --quick [--base-url URL] [--model NAME] [options]',
  ],
  about:
    'Examines an endpoint with 14 to 18 short requests and some twenty of one token, whole and streamed: does it answer, respect stop words, count tokens and use ' +
    'seeds; does a stream have the same content as a whole reply; does the server read the calls of its model, with arguments, ids and ' +
    'the text before a call; and what does its chat template show the model? Prints what to change.',
  options: DOCTOR_OPTIONS,
  examples: [
    'callspec doctor --base-url http://127.0.0.1:8000/v1',
    'callspec doctor --quick --base-url http://127.0.0.1:8000/v1',
    'callspec doctor --model gpt-4o-mini --json',
    'callspec doctor --model sim/perfect && callspec eval --model sim/perfect -n 5',
  ],
  notes: [
    'Without --model the first model that the server lists is examined. OPENAI_API_KEY holds the key, OPENAI_BASE_URL the address: ' +
      'without --quick the doctor sends the same key as callspec eval.',
    'If a model makes no call by itself, requests with tool_choice: "required" and with the name of the tool follow. The text before a ' +
      'call is compared with the continuation of the same prompt at /completions.',
    'The chat template of a llama-server is linted (callspec template lint), by its text or by the prompts that it makes. ' +
      'For other servers some nine requests of one token show by usage.prompt_tokens whether tools, calls and results are in the prompt.',
    'text-tokens counts the prompt with more and more end-of-turn markers in a text, and with other text of the same length: a server ' +
      'that makes control tokens of texts lets them forge turns and calls (docs/forged-text.md).',
    '--quick asks for a call, several at once, none, one without arguments, one with nested and one with Unicode arguments, forced ' +
      'ones, an answer after a result, and a call after reasoning. It sends a key only where --api-key-env names its variable. No ' +
      'request of the doctor follows a redirect.',
    'Exit codes: 0 no check failed, so that `callspec doctor && callspec eval` continues; 1 a check failed; 2 misuse, or no request could ' +
      'succeed: no server, none that answers within --timeout, no model, or a refused key. warn and unknown are not failures.',
  ],
  run: runDoctor,
}

async function runDoctor(invocation: Invocation): Promise<ExitCode> {
  const { output } = invocation
  const context = await readEvalContext(invocation, DOCTOR_OPTIONS)
  const { options, own, environment } = context
  const timeoutMs = durationFrom('--timeout', options.timeout ?? '20', { min: 1, max: 600_000 })
  const [quick, model, sources] = [own.flag('quick'), own.text('model'), modelSources(context)]
  const endpoint = quick
    ? endpointWithNamedKey(model, sources, { allowsHttp: own.flag('key-over-http'), output })
    : examinedEndpoint(model, sources)
  if (endpoint !== null) announceEndpoints([endpoint.endpoint], { output, isResumed: false })
  const references = quick ? { references: readReferences(quickSuite()) } : {}
  const server = endpoint === null ? await startSimServer(references) : null
  try {
    const asked = endpoint ?? { baseUrl: server?.baseUrl ?? '', apiKey: 'EMPTY', headers: {}, model }
    const examined = await examine({ ...asked, quick, timeoutMs, didYouMean, isNameKnown: endpoint === null })
    const format = own.text('format')
    const report =
      endpoint === null ? examined : await withFurtherChecks(examined, { ...endpoint, timeoutMs, quick, format })
    const json = doctorJson(report)
    if (options.json) output.line(JSON.stringify(json, null, 2))
    else printReport(report, output)
    await reportDoctor(report, invocation)
    // An unreachable server or a wrong key is a mistake of the caller, not a finding.
    return report.isAsked ? exitCodeOf({ failed: !json.isHealthy, inconclusive: false }, environment) : EXIT.usage
  } finally {
    await server?.close()
  }
}

/** The endpoint is no file: annotations and the summary of a job name none. */
async function reportDoctor(report: DoctorReport, invocation: Invocation): Promise<void> {
  const findings = report.findings.flatMap(({ check, verdict, evidence, whatToChange }): readonly CiFinding[] => {
    if (verdict !== 'fail' && verdict !== 'warn') return []
    const message = whatToChange === null ? evidence : `${evidence} ${whatToChange}`
    return [{ rule: `doctor-${check}`, level: verdict === 'fail' ? 'error' : 'warning', message, file: null }]
  })
  const count = (verdict: string): number => report.findings.filter((each) => each.verdict === verdict).length
  const total = `${inert(report.model ?? 'no model')}: ${count('ok')} ok, ${count('warn')} warnings, ${count('fail')} failed`
  await reportToCi({ findings, rules: {}, title: 'callspec doctor', total, sarif: null }, invocation)
}

/** Adds the findings on the server's chat template and on its tokenizer; simulated models have neither. */
async function withFurtherChecks(
  report: DoctorReport,
  {
    baseUrl,
    apiKey,
    headers,
    timeoutMs,
    quick,
    format,
  }: Pick<ExaminedEndpoint, 'baseUrl' | 'apiKey' | 'headers'> & {
    readonly timeoutMs: number
    readonly quick: boolean
    readonly format: string | null
  },
): Promise<DoctorReport> {
  // A server that hangs would not answer these requests.
  if (report.model === null || doesHang(report) || (quick && !report.isAsked)) return report
  const server = { url: baseUrl, apiKey, headers, timeoutMs }
  const { examineTextTokens } = await import('../template/text-tokens.ts')
  const tokens = await examineTextTokens(server, { model: report.model, format, quick })
  if (quick) return { ...report, findings: [...report.findings, tokens] }
  const { examineTemplate } = await import('../template/doctor.ts')
  const template = await examineTemplate(server, report.model)
  return { ...report, findings: [...report.findings, template, tokens] }
}

export interface ExaminedEndpoint {
  readonly baseUrl: string
  readonly apiKey: string
  readonly headers: EndpointHeaders
  readonly model: string | null
  readonly endpoint: ServerEndpoint
}

type ServerEndpoint = Extract<Endpoint, { readonly kind: 'server' }>

/** Null for a simulated model. */
export function examinedEndpoint(model: string | null, sources: ModelSources): ExaminedEndpoint | null {
  if (model === null) return examinedWith(serverAlone(sources), null)
  const [found] = readModels({ ...sources, options: { ...sources.options, model: [model] } })
  return found === undefined || found.endpoint.kind !== 'server' ? null : examinedWith(found.endpoint, found.name)
}

function examinedWith(endpoint: ServerEndpoint, model: string | null): ExaminedEndpoint {
  const { baseUrl, apiKey, headers } = endpoint
  return { baseUrl, apiKey, headers, model, endpoint }
}

function serverAlone(sources: ModelSources): ServerEndpoint {
  const address = writtenAddress({}, sources) ?? openAiAddress(sources, '')
  if (address === null)
    throw new UsageError('which endpoint? Give --base-url URL, or --model NAME with OPENAI_API_KEY.')
  return modelServer({ name: '' }, { address, sources, ownUrl: undefined })
}

export interface NamedKeyOptions {
  /** --key-over-http */
  readonly allowsHttp: boolean
  readonly output: Output
}

/**
 * As `examinedEndpoint`, but a key is sent only if the command line names its variable: the environment may have the key of another
 * server.
 *
 * @throws UsageError also for a key that would go over plain http
 */
export function endpointWithNamedKey(
  model: string | null,
  sources: ModelSources,
  { allowsHttp, output }: NamedKeyOptions,
): ExaminedEndpoint | null {
  const { given, environment, options } = sources
  const named = given['api-key-env'] ?? (environment[variableOf('api-key-env')] || options['api-key-env'])
  const { OPENAI_API_KEY: key, ...others } = environment
  if (named !== null && (environment[named] ?? '') === '' && /^\w+$/.test(named))
    throw new UsageError(`the variable ${named}, which should contain the key, is not set.`)
  const endpoint = examinedEndpoint(model, named === null ? { ...sources, environment: others } : sources)
  if (endpoint === null) return null
  const { apiKey, headers, baseUrl } = endpoint
  if (named === null && (key ?? '') !== '' && apiKey === NO_KEY)
    output.note('callspec: no key is sent. To send the one in OPENAI_API_KEY: --api-key-env OPENAI_API_KEY')
  const hasSecret = apiKey !== NO_KEY || Object.keys(headers).length > 0
  if (!allowsHttp && hasSecret && new URL(baseUrl).protocol === 'http:' && !isLoopback(baseUrl))
    throw new UsageError(
      `the key would go to ${redactedUrl(baseUrl)} in the clear. Give an https address, or add --key-over-http.`,
    )
  return endpoint
}

const NO_KEY = 'EMPTY'

const VERDICT_STYLES: Readonly<Record<ScriptFinding['verdict'], Style>> = {
  ok: 'green',
  warn: 'yellow',
  fail: 'red',
  unknown: 'dim',
}

/** Prints a table of the scripts, every finding with what to change (`unknown` last), and what to fix. */
export function printReport({ baseUrl, model, findings, scripts }: DoctorReport, output: Output): void {
  output.line(output.paint('bold', inert(`${model ?? 'no model'} at ${baseUrl}`)))
  const rows = (scripts ?? []).map(({ script, whole, streamed }) => [script, whole.verdict, streamed.verdict])
  if (rows.length > 0)
    output.line(
      renderTable({ head: ['script', 'whole', 'streamed'], rows, ascii: !output.isTerminal, width: output.wrapAt }),
    )
  const entries = [
    ...findings.map(({ check, ...finding }) => ({ name: check, finding })),
    ...(scripts ?? []).flatMap(({ script, whole, streamed }) =>
      whole.verdict === streamed.verdict && whole.evidence === streamed.evidence
        ? [{ name: script, finding: whole }]
        : [
            { name: `${script} (whole)`, finding: whole },
            { name: `${script} (streamed)`, finding: streamed },
          ],
    ),
  ]
  // Scripts without a finding are in the table.
  const listed = entries.filter(({ finding }) => scripts === null || finding.verdict !== 'ok')
  const isUnknown = ([first]: FindingGroup): boolean => first.finding.verdict === 'unknown'
  const groups = groupFindings(listed).toSorted((one, other) => Number(isUnknown(one)) - Number(isUnknown(other)))
  const width = Math.max(16, ...groups.map(([{ name }]) => name.length + 1))
  for (const group of groups) for (const line of findingLines(group, width, output)) output.line(line)
  const toFix = groups.flatMap(([{ name, finding }]) => (finding.verdict === 'fail' ? [name] : []))
  const last = toFix.length === 0 ? 'Nothing to fix.' : `${plural(toFix.length, 'thing')} to fix: ${toFix.join(', ')}`
  for (const line of wrapHanging(last, 0, output)) output.line(line)
}

interface NamedFinding {
  readonly name: string
  readonly finding: ScriptFinding
}

type FindingGroup = readonly [NamedFinding, ...NamedFinding[]]

/** Groups findings by verdict and remedy, or evidence where there is no remedy; `ok` ones are separate. */
function groupFindings(entries: readonly NamedFinding[]): readonly FindingGroup[] {
  const groups = new Map<string, [NamedFinding, ...NamedFinding[]]>()
  for (const entry of entries) {
    const { verdict, evidence, whatToChange } = entry.finding
    const key = JSON.stringify([verdict, whatToChange ?? evidence, verdict === 'ok' ? entry.name : ''])
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [entry])
    else group.push(entry)
  }
  return [...groups.values()]
}

function findingLines([first, ...others]: FindingGroup, width: number, output: Output): readonly string[] {
  const { verdict, evidence, whatToChange } = first.finding
  const texts = [
    evidence,
    ...(others.length === 0 ? [] : [`Same result in ${others.map(({ name }) => name).join(', ')}.`]),
    ...(whatToChange === null ? [] : [`→ ${whatToChange}`]),
  ]
  const [line = '', ...rest] = texts.flatMap((text) => wrapHanging(inert(text), 9 + width, output))
  return [
    `${output.paint(VERDICT_STYLES[verdict], verdict.padEnd(8))} ${first.name.padEnd(width)}${line.trimStart()}`,
    ...rest,
  ]
}
