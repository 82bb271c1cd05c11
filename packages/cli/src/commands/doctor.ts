import { FORMAT_IDS } from '@callspec/core/formats'
import { APIS } from '@callspec/apis'
import type { Api } from '@callspec/apis'
import type { DoctorReport, PredictReply } from '@callspec/eval/doctor'
import { doctorJson, doesHang, examine, examineApis, quickSuite } from '@callspec/eval/doctor'
import { readReferences, startSimServer } from '@callspec/sim'
import { durationFrom } from '../arguments.ts'
import type { CiFinding } from '../ci-findings.ts'
import { reportToCi } from '../ci-findings.ts'
import type { Command, ExitCode, Invocation, OptionTable } from '../command.ts'
import { asIn, EXIT, inGroup } from '../command.ts'
import { endpointWithNamedKey, examinedEndpoint } from '../doctor/examined-endpoint.ts'
import type { ExaminedEndpoint } from '../doctor/examined-endpoint.ts'
import { printReport } from '../doctor/print-report.ts'
import { announceEndpoints } from '../eval/endpoint.ts'
import { exitCodeOf } from '../eval/gates.ts'
import { MODEL_OPTIONS, REQUEST_OPTIONS, SOURCE_OPTIONS } from '../eval/options.ts'
import type { EvalContext } from '../eval/context.ts'
import { modelSources, readEvalContext } from '../eval/context.ts'
import { inert } from '../output.ts'
import { requestProgress } from '../request-progress.ts'
import { SOURCE_OPTIONS as TEMPLATE_OPTIONS } from '../template/options.ts'
import { TOOL_LIST_OPTIONS } from '../tool-list.ts'
import { didYouMean, UsageError } from '../usage-error.ts'

const { 'base-url': BASE_URL, 'api-key-env': API_KEY_ENV, header: HEADER } = MODEL_OPTIONS

const { name: TEMPLATE_NAME } = TEMPLATE_OPTIONS

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
  model: {
    short: 'm',
    value: 'NAME',
    help: 'Model to examine. Default: the first one that the server lists; the others are named.',
  },
  ...(API_KEY_ENV === undefined ? {} : { 'api-key-env': API_KEY_ENV }),
  ...(HEADER === undefined ? {} : { header: HEADER }),
  format: {
    short: 'f',
    value: 'NAME',
    suggested: FORMAT_IDS,
    help: 'Format whose end-of-turn token text-tokens uses. Default: that of the chat template, if the server shows it.',
  },
  timeout: { ...REQUEST_OPTIONS['timeout'], help: 'Patience for one request: 5s, or seconds. Default: 20s.' },
  quick: { help: 'Send ten scripted requests with tools instead, each whole and streamed: does calling work at all?' },
  api: {
    value: 'APIS',
    choices: APIS,
    repeat: true,
    isList: true,
    help: 'With --quick: send the scripts over these APIs of the server: chat (the default), messages, responses.',
  },
  'key-over-http': {
    help: 'With --quick: let the key go over plain http to another machine. Default: only to this one.',
  },
  schemas: {
    help: 'Examine schemas instead: each JSON Schema keyword that tools use, or your own tools, on three ways: through the chat template, at the server, and back as a forced call.',
  },
  template: {
    value: 'SOURCE',
    help: 'With --schemas: the chat template. Without --base-url and --model no server is asked. Default: that of the server, if it shows it.',
  },
  'response-template': {
    value: 'FILE',
    help: "The model's response template: a model folder, its tokenizer_config.json, or a file of the template alone. The server should answer as it reads what the model writes.",
  },
  ...asIn('template', TEMPLATE_NAME === undefined ? {} : { name: TEMPLATE_NAME }),
  ...inGroup('Tools of your own, with --schemas', TOOL_LIST_OPTIONS),
  json: {
    help: 'Print the findings as JSON: doctor.schema.json or doctor-schemas.schema.json of @callspec/eval/schemas.',
  },
  ...SOURCE_OPTIONS,
}

export const doctorCommand: Command = {
  name: 'doctor',
  usage: [
    'doctor [--base-url URL] [--model NAME] [options]',
    'doctor --quick [--base-url URL] [--model NAME] [options]',
    "doctor --schemas [--base-url URL] [--template SOURCE] [--tools FILE | --mcp 'COMMAND']",
  ],
  about:
    'Examines an endpoint with 14 to 18 short requests and some twenty of one token, whole and streamed: does it answer, respect stop words, count tokens and use ' +
    'seeds; does a stream have the same content as a whole reply; does the server read the calls of its model, with arguments, ids and ' +
    'the text before a call; and what does its chat template show the model? Prints what to change.',
  options: DOCTOR_OPTIONS,
  examples: [
    'callspec doctor --base-url http://127.0.0.1:8000/v1',
    'callspec doctor --quick --base-url http://127.0.0.1:8000/v1',
    'callspec doctor --quick --api chat,messages,responses --base-url http://127.0.0.1:8000/v1',
    'callspec doctor --model gpt-4o-mini --json',
    'callspec doctor --schemas --template chat_template.jinja',
    "callspec doctor --schemas --base-url http://127.0.0.1:8080/v1 --mcp 'npx -y @modelcontextprotocol/server-filesystem .'",
    'callspec doctor --model sim/perfect && callspec eval --model sim/perfect -n 5',
  ],
  notes: [
    'Without --model the first model that the server lists is examined, and the others are named. OPENAI_API_KEY holds the key, OPENAI_BASE_URL the address: ' +
      'without --quick the doctor sends the same key as callspec eval.',
    'If a model makes no call by itself, requests with tool_choice: "required" and with the name of the tool follow. The text before a ' +
      'call is compared with the continuation of the same prompt at /completions.',
    'The chat template of a llama-server is linted (callspec template lint), by its text or by the prompts that it makes. ' +
      'For other servers some nine requests of one token show by usage.prompt_tokens whether tools, calls and results are in the prompt.',
    'text-tokens counts the prompt with more and more end-of-turn markers in a text, and with other text of the same length: a server ' +
      'that makes control tokens of texts lets them forge turns and calls (docs/forged-text.md).',
    "--response-template: the template reads the continuation of the server's own prompt at /completions (llama.cpp, vLLM), and its " +
      'message is compared with the answers of the server.',
    '--quick asks for a call, several at once, none, one without arguments, one with nested and one with Unicode arguments, forced ' +
      'ones, an answer after a result, and a call after reasoning. It sends a key only where --api-key-env names its variable. No ' +
      'request of the doctor follows a redirect.',
    '--schemas sends some thirty tools twice, with a free and a forced choice, at most 256 tokens each and ten minutes in all. template: ' +
      'rendered, dropped, changed or refused; server: accepted, refused, failed or hangs; forced call: obeyed, ignored (the question asks ' +
      'for what the schema forbids), looping. --tools and --mcp examine your own tools; none is called.',
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
  const quick = own.flag('quick')
  const apis = apisNamed(context, quick)
  if (own.flag('schemas')) return (await import('../doctor/run-schemas.ts')).runSchemas(invocation, context)
  const model = own.text('model')
  // Null: a simulated model, which is served here.
  const endpoint = quick
    ? endpointWithNamedKey(model, modelSources(context), { allowsHttp: own.flag('key-over-http'), output })
    : examinedEndpoint(model, modelSources(context))
  if (endpoint !== null) announceEndpoints([endpoint.endpoint], { output, isResumed: false })
  const predict = await predictionOf(own.text('response-template'), quick)
  const how = { predict, quick, timeoutMs, didYouMean, ...(apis.length === 0 ? {} : { apis }) }
  const progress = requestProgress(output, quick ? 20 * Math.max(1, apis.length) + MORE_REQUESTS : FULL_REQUESTS)
  const examining =
    endpoint === null
      ? examineSimulated(model, how)
      : examineServer(endpoint, { ...how, isNameKnown: false }, own.text('format'))
  const report = await examining.finally(() => progress.stop())
  const json = doctorJson(report)
  if (options.json) output.line(JSON.stringify(json, null, 2))
  else printReport(report, output, { isNamed: model !== null || endpoint === null })
  await reportDoctor(report, invocation)
  // An unreachable server or a wrong key is a mistake of the caller, not a finding.
  return report.isAsked ? exitCodeOf({ failed: !json.isHealthy, inconclusive: false }, environment) : EXIT.usage
}

/** The APIs of --api. A configuration names those of evaluations. */
function apisNamed({ given }: EvalContext, quick: boolean): readonly Api[] {
  const named = APIS.filter((api) => given.api.includes(api))
  if (named.length > 0 && !quick)
    throw new UsageError('--api needs --quick: it names the APIs over which the scripts are sent.')
  return named
}

/** How an endpoint is examined, whichever it is. */
type HowExamined = Omit<Parameters<typeof examine>[0], 'baseUrl' | 'apiKey' | 'headers' | 'model'> & {
  readonly quick: boolean
  readonly timeoutMs: number
}

async function examineSimulated(model: string | null, how: HowExamined): Promise<DoctorReport> {
  const server = await startSimServer(how.quick ? { references: readReferences(quickSuite()) } : {})
  try {
    return await examine({ ...how, baseUrl: server.baseUrl, apiKey: 'EMPTY', model, isNameKnown: true })
  } finally {
    await server.close()
  }
}

async function examineServer(
  endpoint: ExaminedEndpoint,
  how: HowExamined,
  format: string | null,
): Promise<DoctorReport> {
  const { quick, timeoutMs } = how
  return withFurtherChecks(await examine({ ...endpoint, ...how }), { ...endpoint, timeoutMs, quick, format })
}

/** How many requests an examination takes, about: a few more where the server counts tokens or calls must be forced. */
const FULL_REQUESTS = 34
/** Of `--quick`, in addition to the scripts. */
const MORE_REQUESTS = 7

/** @throws UsageError for a file without a response template, and with --quick */
async function predictionOf(path: string | null, quick: boolean): Promise<PredictReply | undefined> {
  if (path === null) return undefined
  if (quick) throw new UsageError('--quick compares nothing with a response template: leave one of the two out.')
  const { predictionBy } = await import('../template/template-reader.ts')
  return predictionBy(path)
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
  endpoint: Pick<ExaminedEndpoint, 'baseUrl' | 'apiKey' | 'headers'> & {
    readonly timeoutMs: number
    readonly quick: boolean
    readonly format: string | null
  },
): Promise<DoctorReport> {
  const { baseUrl, apiKey, headers, timeoutMs, quick, format } = endpoint
  // A server that hangs would not answer these requests.
  if (report.model === null || doesHang(report) || (quick && !report.isAsked)) return report
  const server = { url: baseUrl, apiKey, headers, timeoutMs }
  const { examineTextTokens } = await import('../template/text-tokens.ts')
  const tokens = await examineTextTokens(server, { model: report.model, format, quick })
  const apis = await examineApis(
    { ...endpoint, fetch: undefined },
    { model: report.model, quick, signal: AbortSignal.timeout(timeoutMs * 7) },
  )
  if (quick) return { ...report, findings: [...report.findings, tokens, ...apis] }
  const { examineTemplate } = await import('../template/doctor.ts')
  const template = await examineTemplate(server, report.model)
  return { ...report, findings: [...report.findings, template, tokens, ...apis] }
}
