import { doctorJson, doesHang, examine, isHealthy } from '@callspec/eval'
import type { DoctorFinding, DoctorReport } from '@callspec/eval'
import { startSimServer } from '@callspec/sim'
import type { Command, Invocation, OptionTable } from '../command.ts'
import { durationFrom } from '../duration.ts'
import type { ExitCode } from '../exit-codes.ts'
import { doctorExit } from '../doctor/doctor-exit.ts'
import { patientOf } from '../doctor/patient.ts'
import type { Patient } from '../doctor/patient.ts'
import { toFixText, VERDICT_STYLES } from '../doctor/verdict-styles.ts'
import { didYouMean } from '../nearest.ts'
import type { Output } from '../output.ts'
import { inert } from '../terminal.ts'
import { announceEndpoints } from '../eval/endpoint.ts'
import { modelSources } from '../eval/server-of.ts'
import { MODELS, REQUESTS, SOURCES } from '../eval/options.ts'
import { readSurroundings } from '../eval/surroundings.ts'
import { wrapHanging } from '../eval/wrap-items.ts'

const { 'base-url': BASE_URL, 'api-key-env': API_KEY_ENV, header: HEADER } = MODELS

const OPTIONS: OptionTable = {
  ...(BASE_URL === undefined
    ? {}
    : {
        'base-url': {
          ...BASE_URL,
          help: 'OpenAI-compatible server, up to /v1. Default: OPENAI_BASE_URL.',
          repeat: false,
        },
      }),
  model: { short: 'm', value: 'NAME', help: 'Model to ask. Default: the first one that the server lists.' },
  ...(API_KEY_ENV === undefined ? {} : { 'api-key-env': API_KEY_ENV }),
  ...(HEADER === undefined ? {} : { header: HEADER }),
  timeout: { ...REQUESTS['timeout'], help: 'Patience for one request: 5s, or seconds. Default: 20s.' },
  quick: { help: 'Send ten scripted requests with tools instead, each whole and streamed: does calling work at all?' },
  'key-over-http': {
    help: 'With --quick: let the key go over plain http to another machine. Default: only to this one.',
  },
  json: { help: 'Print the findings as JSON: @callspec/eval/schemas/doctor.schema.json, or doctor-quick.schema.json.' },
  ...SOURCES,
}

export const command: Command = {
  name: 'doctor',
  usage: [
    'doctor [--base-url URL] [--model NAME] [options]',
    'doctor --quick [--base-url URL] [--model NAME] [options]',
  ],
  about:
    'Examines an endpoint with 14 to 18 short requests, whole and streamed: is it there, are stop words honoured, are tokens ' +
    'counted, does a stream say the same as a whole reply, do seeds matter, does the server read the calls of its model and ' +
    'hand on all of them: arguments, ids, and what stands before a call, and what does its chat template show the model? ' +
    'Says what to change.',
  options: OPTIONS,
  examples: [
    'callspec doctor --base-url http://127.0.0.1:8000/v1',
    'callspec doctor --quick --base-url http://127.0.0.1:8000/v1',
    'callspec doctor --model gpt-4o-mini --json',
    'callspec doctor --model sim/perfect && callspec eval --model sim/perfect -n 5',
  ],
  notes: [
    'Without --model the first one that the server lists is asked. OPENAI_API_KEY holds the key, OPENAI_BASE_URL the address, as in an ' +
      'evaluation: the doctor without --quick asks as callspec eval will ask, with the key that this would send.',
    'Where a model makes no call by itself, it is asked again with tool_choice: "required" and with the name of the tool. ' +
      'What it says before a call is compared with what it goes on with behind the same prompt, sent to /completions as a text.',
    'The chat template of a llama-server is linted (callspec template lint), by its text or by the prompts that it makes. ' +
      'Elsewhere some nine requests of one token tell by usage.prompt_tokens whether tools, calls and results are counted.',
    '--quick asks for a call, several at once, none, one without arguments, one with nested and one with Unicode arguments, forced ' +
      'ones, an answer after a result, and a call behind a thought. It sends a key only where --api-key-env names its variable. No ' +
      'request of the doctor follows a redirect.',
    'Exit codes: 0 no check failed, so that `callspec doctor && callspec eval` goes on; 1 one did; 2 misuse, or nothing could be ' +
      'asked: no server there, none that answers within --timeout, no model, a key that it does not take. What is odd (warn) or not ' +
      'known (unknown) fails nothing.',
  ],
  run,
}

async function run(invocation: Invocation): Promise<ExitCode> {
  const { output } = invocation
  const surroundings = await readSurroundings(invocation, OPTIONS)
  const { options, own, environment } = surroundings
  const timeoutMs = durationFrom('--timeout', options.timeout ?? '20', { min: 1, max: 600_000 })
  if (own.flag('quick')) {
    const { runQuick } = await import('../doctor/quick.ts')
    return runQuick(invocation, surroundings, timeoutMs)
  }
  const model = own.text('model')
  const patient = patientOf(model, modelSources(surroundings))
  if (patient !== null) announceEndpoints([patient.endpoint], { output, isResumed: false })
  const server = patient === null ? await startSimServer() : null
  try {
    const asked = patient ?? {
      baseUrl: server?.baseUrl ?? '',
      apiKey: 'EMPTY',
      headers: {},
      model,
    }
    const examined = await examine({ ...asked, timeoutMs, didYouMean, isNameKnown: patient === null })
    const report = patient === null ? examined : await withTemplate(examined, { ...patient, timeoutMs })
    if (options.json) output.line(JSON.stringify(doctorJson(report), null, 2))
    else print(report, output)
    return doctorExit({ isAsked: report.isAsked, isHealthy: isHealthy(report) }, environment)
  } finally {
    await server?.close()
  }
}

/** What the server lets be seen of its chat template; a simulated model has none. */
async function withTemplate(
  report: DoctorReport,
  {
    baseUrl,
    apiKey,
    headers,
    timeoutMs,
  }: Pick<Patient, 'baseUrl' | 'apiKey' | 'headers'> & { readonly timeoutMs: number },
): Promise<DoctorReport> {
  // A server that hangs would not answer these requests either.
  if (report.model === null || doesHang(report)) return report
  const { examineTemplate } = await import('../template/doctor.ts')
  const finding = await examineTemplate({ url: baseUrl, apiKey, headers, timeoutMs }, report.model)
  return { ...report, findings: [...report.findings, finding] }
}

const NAME_WIDTH = 16

function print({ baseUrl, model, findings }: DoctorReport, output: Output): void {
  output.line(output.paint('bold', inert(`${model ?? 'no model'} at ${baseUrl}`)))
  // What nobody knows follows what matters.
  const isKnown = ({ verdict }: DoctorFinding): boolean => verdict !== 'unknown'
  const ordered = [...findings.filter(isKnown), ...findings.filter((each) => !isKnown(each))]
  for (const { check, verdict, evidence, whatToChange } of ordered) {
    const [first = '', ...rest] = wrapHanging(inert(evidence), 9 + NAME_WIDTH, output)
    output.line(
      `${output.paint(VERDICT_STYLES[verdict] ?? 'dim', verdict.padEnd(8))} ${check.padEnd(NAME_WIDTH)}${first.trimStart()}`,
    )
    for (const line of rest) output.line(line)
    if (whatToChange !== null)
      for (const line of wrapHanging(inert(`→ ${whatToChange}`), 9 + NAME_WIDTH, output)) output.line(line)
  }
  const toFix = findings.filter(({ verdict }) => verdict === 'fail')
  output.line(toFixText(toFix.map(({ check }) => check)))
}
