import { APIS, eventsOf, NoReply } from '@callspec/apis'
import type { SentEvent } from '@callspec/apis'
import { apiResultLine, createApiReport, formOf, openApis, ruleText, SAY_MODES, STRICT } from '@callspec/conformance'
import type { ApiReport, ApiResult, ApiServer, Case, FaultGroup } from '@callspec/conformance'
import { plural } from '@callspec/eval/text'
import { reportToCi } from '../ci-findings.ts'
import type { ExitCode, Invocation, Options } from '../command.ts'
import { EXIT } from '../command.ts'
import { checkUrl } from '../eval/endpoint.ts'
import { JUNIT_HEAD, junitProperties, junitTestCase } from '../junit.ts'
import { inert, quotedLine } from '../output.ts'
import type { Output } from '../output.ts'
import { renderTable } from '../table.ts'
import { UsageError } from '../usage-error.ts'
import { workProgress } from '../work-progress.ts'
import type { LineWriter } from '../write-file.ts'
import { openLineWriter } from '../write-file.ts'
import { wantsJson } from './options.ts'
import type { Selection } from './select.ts'
import { readSelection } from './select.ts'

/** Options that mean nothing where readings are compared with each other. */
const STRAY = [
  ...['impl', 'one-shot', 'known', 'against', 'cut', 'scoreboard', 'upstream-port', 'expect-system', 'jobs', 'seed'],
] as const

const SAY_TIME_LIMIT = 120_000

/** `conformance run --http URL --say MODE --api NAMES`: one said text, read over each API, whole and streamed. */
export async function runOverApis(invocation: Invocation): Promise<ExitCode> {
  const { options, positionals, output } = invocation
  const { url, mode } = checkedOptions(options)
  const isJson = wantsJson(invocation)
  const selection = await readSelection(options, positionals)
  const files = await openFiles(options, isJson)
  try {
    const server = await openApis(url, {
      apis: APIS.filter((api) => options.list('api').includes(api)),
      say: {
        mode,
        maxTokens: options.integer('max-tokens', { min: 1, max: 1_000_000 }) ?? 2000,
        isSpaceStrict: options.flag('strict-space'),
      },
      timeLimit: options.integer('time-limit', { min: 1, max: 86_400_000 }) ?? SAY_TIME_LIMIT,
      ...named('model', options.text('model')),
      ...named('apiKey', invocation.environment['OPENAI_API_KEY'] ?? null),
    })
    const about = `${quotedLine(options.text('name') ?? server.name, 80)} ${quotedLine(server.version, 40)}`
    await files.junit?.write(
      `${JUNIT_HEAD}\n<testsuites name="callspec conformance">\n<testsuite name="apis">\n` +
        junitProperties([['implementation', about]]).join('\n'),
    )
    const collected = createApiReport()
    const progress = workProgress({ output, noun: 'text' })
    let done = 0
    for await (const result of server.results(casesOf(selection, invocation))) {
      collected.add(result)
      if (isJson) output.line(apiResultLine(result))
      await files.json?.write(apiResultLine(result))
      await files.junit?.write(junitResult(result))
      progress.step((done += 1))
    }
    output.progressDone()
    await files.junit?.write('</testsuite>\n</testsuites>')
    for (const file of [files.json, files.junit]) await file?.commit()
    const report = collected.report()
    const shown = isJson ? { ...output, line: () => undefined } : output
    printReport(report, { server, about, output: shown })
    if (isJson) output.note(totalLine(report))
    const findings = report.groups.map((group) => {
      const message = `${group.api}: ${ruleText(group.rule)}: ${group.smallest.message}`
      return { rule: `api-${group.rule}`, level: 'error', message, file: null } as const
    })
    await reportToCi(
      { findings, rules: {}, title: 'callspec conformance run --api', total: totalLine(report), sarif: null },
      invocation,
    )
    return exitCode(report, output)
  } finally {
    for (const file of [files.json, files.junit]) await file?.discard()
  }
}

function checkedOptions(options: Options): { readonly url: string; readonly mode: (typeof SAY_MODES)[number] } {
  const [url, say] = [options.text('http'), options.text('say')]
  if (url === null || url.trim() === '')
    throw new UsageError('--api needs --client COMMAND, or --http URL with --say auto. Neither is given.')
  const mode = SAY_MODES.find((each) => each === say)
  if (mode === undefined) throw new UsageError('--api needs a text that is said over each API: give --say auto.')
  if (options.list('format').length === 0)
    throw new UsageError('--http needs --format: a server cannot say which format it writes and reads.')
  const given = STRAY.find((name) => options.list(name).length > 0 || options.text(name) !== null)
  const stray = given ?? (options.flag('verbose') ? 'verbose' : undefined)
  if (stray !== undefined)
    throw new UsageError(`--${stray} does not go together with --api, which compares readings with each other.`)
  checkUrl(url)
  return { url, mode }
}

function named<K extends string>(key: K, value: string | null): Partial<Record<K, string>> {
  return value === null || value === '' ? {} : ({ [key]: value } as Record<K, string>)
}

interface Files {
  readonly json: LineWriter | null
  readonly junit: LineWriter | null
}

async function openFiles(options: Options, isJson: boolean): Promise<Files> {
  const open = async (name: string): Promise<LineWriter | null> => {
    const path = options.text(name)
    if (path === '') throw new UsageError(`--${name} was given an empty text. Leave it out or name something.`)
    return path === null ? null : openLineWriter(path)
  }
  const json = isJson ? null : await open('json')
  try {
    return { json, junit: await open('junit') }
  } catch (error) {
    await json?.discard()
    throw error
  }
}

/** Where no profile is named: the strict cases. Their texts are the same under every version. */
async function* casesOf(selection: Selection, { options, output }: Invocation): AsyncIterable<Case> {
  const isAny = options.list('profile').length > 0
  let count = 0
  for await (const item of selection.cases(output))
    if (isAny || item.profile === STRICT) {
      count += 1
      yield item
    }
  if (count === 0) throw selection.nothing()
}

function junitResult({ id, request, verdict, reason, faults }: ApiResult): string {
  const lines = faults.map((fault) => `${fault.api} ${formOf(fault)}: ${fault.rule}: ${fault.message}`)
  const [message = ''] = lines
  const outcome =
    verdict === 'passed'
      ? null
      : verdict === 'failed'
        ? ({ kind: 'failure', message, body: lines.join('\n') } as const)
        : ({ kind: verdict === 'errored' ? 'error' : 'skipped', message: reason ?? '' } as const)
  return junitTestCase({ className: `apis ${request}`, name: id }, outcome)
}

interface Shown {
  readonly server: ApiServer
  readonly about: string
  readonly output: Output
}

function printReport(report: ApiReport, { server, about, output }: Shown): void {
  const rows = report.counts.map(({ api, stream, readings, same, lawful }) => {
    return [api, stream ? 'streamed' : 'whole', String(readings), String(same), String(lawful)]
  })
  for (const group of report.groups) for (const line of [...groupLines(group, report, output), '']) output.line(line)
  const table = {
    head: ['API', 'reply', 'readings', 'same', 'lawful'],
    align: ['left', 'left', 'right', 'right', 'right'],
  } as const
  if (rows.length > 0)
    output.line(`${renderTable({ ...table, rows, ascii: !output.isTerminal, width: output.columns })}\n`)
  const { of, same } = report.prompts
  if (of > 0) output.line(`${same} of ${of} conversations have one prompt over ${server.apis.join(', ')}`)
  output.line(about)
  for (const remark of server.remarks) output.line(quotedLine(remark, 300))
  for (const [reason, times] of [...report.skips].slice(0, SHOWN_REASONS))
    output.line(`${plural(times, 'text')} without readings: ${quotedLine(reason, 200)}`)
  if (report.skips.size > SHOWN_REASONS) output.line(`… and ${report.skips.size - SHOWN_REASONS} other reasons`)
  output.line(totalLine(report))
}

const SHOWN_REASONS = 8

/** A fault with its smallest example. */
function groupLines(
  { rule, api, times, requests, smallest }: FaultGroup,
  report: ApiReport,
  { columns }: Pick<Output, 'columns'>,
): readonly string[] {
  const forms = [...times].map(([form, count]) => {
    const made = report.counts.find((each) => each.api === api && each.stream === (form === 'streamed'))?.readings
    return `${form} ${count} of ${form === 'prompt' ? report.prompts.of : (made ?? 0)}`
  })
  const kinds = [...requests].map(([kind, count]) => `${kind} ${count}`).join(', ')
  const where = smallest.request === 'prompt' ? [] : [`  requests: ${kinds}`]
  return [
    `✗ ${api}, ${rule}: ${ruleText(rule)}`,
    `  ${forms.join(', ')}`,
    ...where,
    `  ${quotedLine(smallest.id, 70)}${smallest.request === 'prompt' ? '' : ` (${smallest.request}, ${formOf(smallest)})`}`,
    `  ${smallest.event === 0 ? '' : `event ${smallest.event}: `}${quotedLine(smallest.message, 240)}`,
    ...transcriptLines(smallest, columns),
  ]
}

function transcriptLines({ stream, event, transcript }: FaultGroup['smallest'], columns: number): readonly string[] {
  if (stream === null || transcript === '') return []
  if (!stream) return [`    ${quotedLine(transcript, columns - 5)}`]
  const events = sentIn(transcript)
  const numbers = event === 0 ? [events.length - 2, events.length - 1, events.length] : [event - 1, event, event + 1]
  return numbers.flatMap((number) => {
    const at = events[number - 1]
    const head = `    ${number === event ? '>' : ' '} ${number} `
    return at === undefined ? [] : [`${head}${quotedLine(at.data, columns - head.length - 1)}`]
  })
}

function sentIn(transcript: string): readonly SentEvent[] {
  try {
    return eventsOf(transcript)
  } catch (error) {
    if (error instanceof NoReply) return []
    throw error
  }
}

function totalLine({ verdicts: { passed, failed, errored, skipped } }: ApiReport): string {
  return `${passed} passed, ${failed} failed, ${errored} errored, ${skipped} skipped`
}

function exitCode({ verdicts: { passed, failed, errored } }: ApiReport, output: Output): ExitCode {
  if (failed + errored > 0) return EXIT.disagreement
  if (passed > 0) return EXIT.ok
  output.note(inert('callspec: no text was said: all were skipped, for the reasons above.'))
  return EXIT.usage
}
