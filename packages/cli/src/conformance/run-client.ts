import { basename } from 'node:path'
import { apiOf, APIS } from '@callspec/apis'
import type { Api } from '@callspec/apis'
import { totalLine } from '@callspec/conformance'
import { isApi, recordedCase, runClient, streamText } from '@callspec/conformance/clients'
import type { ClientCase, ClientFinding, ClientResult, ClientRun } from '@callspec/conformance/clients'
import { plural } from '@callspec/eval/text'
import { reportToCi } from '../ci-findings.ts'
import { wrapHanging } from '../columns.ts'
import type { ExitCode, Invocation, Options } from '../command.ts'
import { EXIT } from '../command.ts'
import { ownVersion } from '../help.ts'
import { readSource } from '../input-file.ts'
import type { Output } from '../output.ts'
import { inert, quotedLine, shellWord } from '../output.ts'
import { renderTable } from '../table.ts'
import { UsageError } from '../usage-error.ts'
import { workProgress } from '../work-progress.ts'
import { openLineWriter } from '../write-file.ts'
import { wantsJson } from './options.ts'

/** Options of `run` that say nothing about a client. */
const OTHERS = {
  text: [
    'impl',
    'one-shot',
    'http',
    'upstream-port',
    'say',
    'max-tokens',
    'expect-system',
    'model',
    'name',
    'jobs',
    'known',
    'against',
    'scoreboard',
    'junit',
  ],
  list: ['cases', 'op', 'format', 'profile', 'cut'],
  flag: ['reads-text', 'strict-space', 'verbose'],
}

const TIME_LIMIT = 5000

/** Lets a client read streams, and prints which it reads wrong, each with its smallest stream. */
export async function runClientConformance(invocation: Invocation): Promise<ExitCode> {
  const { options, positionals, output } = invocation
  const isJson = wantsJson(invocation)
  const command = options.text('client') ?? ''
  if (command.trim() === '') throw new UsageError('--client was given an empty text. Name a command.')
  const stray = strayOption(options)
  if (stray !== null) throw new UsageError(`--client and --${stray} exclude each other. Leave one out.`)
  const seed = options.integer('seed', { min: 0, max: 2 ** 31 - 1 }) ?? 0
  const ids = options.list('id')
  const apis = options.list('api').filter(isApi)
  const recorded = positionals.length === 0 ? null : await recordedCases(positionals, apis)
  const path = isJson ? null : options.text('json')
  const writer = path === null ? null : await openLineWriter(path)
  try {
    let progress: ReturnType<typeof workProgress> | null = null
    const run = await runClient({
      ...{ command, apis, seed, ids, recorded, version: await ownVersion() },
      timeLimit: options.integer('time-limit', { min: 1, max: 86_400_000 }) ?? TIME_LIMIT,
      onProgress: (done, all) => {
        progress ??= workProgress({ output, noun: 'stream', of: all })
        progress.step(done)
      },
    })
    output.progressDone()
    if (run.results.length === 0) throw noStream(run, { apis, ids })
    for (const line of resultLines(run)) {
      if (isJson) output.line(line)
      else await writer?.write(line)
    }
    await writer?.commit()
    const shown = isJson ? { ...output, line: output.note } : output
    const replay = (finding: ClientFinding): readonly string[] => replayLines(finding, { command, seed })
    if (!isJson)
      for (const finding of run.findings)
        for (const line of findingLines(finding, replay(finding), output)) output.line(line)
    return await printTotals(run, { output: shown, invocation, isJson })
  } finally {
    await writer?.discard()
  }
}

function strayOption(options: Options): string | null {
  const text = OTHERS.text.find((name) => options.text(name) !== null)
  const list = OTHERS.list.find((name) => options.list(name).length > 0)
  return text ?? list ?? OTHERS.flag.find((name) => options.flag(name)) ?? null
}

function noStream(
  { about, apis }: ClientRun,
  { ids, apis: asked }: { readonly ids: readonly string[]; readonly apis: readonly Api[] },
): UsageError {
  if (apis.length === 0) return new UsageError(`${inert(about.name)} does not declare the API ${asked.join(', ')}.`)
  return new UsageError(
    `No stream has the id ${ids.join(', ')}. Ids are API/REPLY/CHANGE, such as chat/two-calls/interleaved-calls.`,
  )
}

/** Streams of files, in place of the built-in ones. @throws UsageError for a file that holds no stream */
async function recordedCases(paths: readonly string[], apis: readonly Api[]): Promise<readonly ClientCase[]> {
  const cases: ClientCase[] = []
  for (const path of paths) {
    const { name, text } = await readSource(path)
    const api = apis.length === 1 ? apis[0] : apiOf(text)
    if (api === undefined || api === null)
      throw new UsageError(`${name}: nothing says which API it is of. Give --api ${APIS.join(', --api ')}.`)
    const item = recordedCase(`${api}/${basename(name)}/recorded`, text, api)
    if (item === null) throw new UsageError(`${name}: is not a stream of events ("data: …").`)
    cases.push(item)
  }
  return cases
}

/** One JSON map for each stream; the first of those that fail alike has the smallest one. */
function resultLines({ about, results, findings }: ClientRun): readonly string[] {
  const smallest = new Map(findings.map((finding) => [finding.first.id, finding]))
  return results.map(({ item: { id, api, change }, verdict }) => {
    const finding = smallest.get(id)
    return JSON.stringify({
      ...{
        client: `${about.name} ${about.version}`,
        id,
        api,
        change: change.id,
        about: change.about,
        kind: change.kind,
        laws: change.laws,
      },
      ...{ verdict: verdict.kind, ...('grade' in verdict ? { grade: verdict.grade } : {}) },
      ...('fault' in verdict ? { fault: verdict.fault, part: verdict.part } : {}),
      ...('reason' in verdict ? { reason: verdict.reason } : {}),
      ...(finding === undefined
        ? {}
        : {
            smallest: {
              streams: finding.streams,
              reason: finding.verdict.reason,
              text: streamText(finding.item.stream),
              isText: finding.isText,
            },
          }),
    })
  })
}

const FAULTS = {
  misread: 'reads something else than was said',
  refused: 'raises, though no law is broken',
  missed: 'gives a finished reply, though what was said cannot be known',
} as const

function findingLines(
  { item, verdict, streams }: ClientFinding,
  replay: readonly string[],
  { wrapAt }: Output,
): readonly string[] {
  const { api, change } = item
  const laws = change.laws.length === 0 ? '' : `, breaks ${change.laws.join(' ')}`
  const field = (name: string, text: string): string =>
    `  ${name.padEnd(9)}${wrapHanging(text, 11, { wrapAt }).join('\n').slice(11)}`
  return [
    `✗ ${api}: ${change.about} (${change.id}${laws}): ${FAULTS[verdict.fault]}`,
    field('streams', String(streams)),
    field('client', quotedLine(verdict.reason, 300)),
    ...replay,
    '',
  ]
}

/** A command that shows the smallest stream again: with the stream itself where its text alone is read wrong. */
function replayLines(
  { item, first, isText }: ClientFinding,
  { command, seed }: { readonly command: string; readonly seed: number },
): readonly string[] {
  const words = `callspec conformance run --client ${inert(shellWord(command))} --api ${item.api}`
  const text = streamText(item.stream)
  const isPlain =
    /^[\n\u0020-\uffff]*$/.test(text) && !/[\u007f-\u009f\u2028\u2029\ufeff]/.test(text) && !/^SSE$/m.test(text)
  if (isText && isPlain) return [`  replay   ${words} - <<'SSE'`, inert(text.trimEnd()).replaceAll('\\n', '\n'), 'SSE']
  const sent = text.split(/\r\n|\n|\r/).filter((line) => line !== '')
  return [
    `  replay   ${words} --id ${shellWord(first.id)}${seed === 0 ? '' : ` --seed ${seed}`}`,
    ...sent.map((line) => `           ${quotedLine(line, 300)}`),
  ]
}

interface Totals {
  readonly output: Output
  readonly invocation: Invocation
  readonly isJson: boolean
}

async function printTotals(run: ClientRun, { output, invocation, isJson }: Totals): Promise<ExitCode> {
  const { about, results, findings, omits, apis } = run
  const counts = { passed: 0, failed: 0, errored: 0, skipped: 0 }
  for (const { verdict } of results) counts[verdict.kind] += 1
  if (!isJson) {
    output.line(clientTable(run, output))
    const language = about.language === undefined ? '' : ` (${quotedLine(about.language, 40)})`
    output.line(`${quotedLine(about.name, 80)} ${quotedLine(about.version, 40)}${language}, protocol 1`)
    for (const api of apis)
      if (omits[api].length > 0)
        output.line(`not compared in ${api}, as the client does not give it: ${omits[api].join(', ')}`)
    if (counts.skipped > 0)
      output.line(`${plural(counts.skipped, 'stream')} skipped: their reply is read wrong without a change, too`)
    for (const { item, verdict } of firstErrors(results)) output.line(`! ${item.id}: ${quotedLine(verdict, 200)}`)
  }
  const total = totalLine(counts)
  output.line(total)
  const ci = findings.map(({ item, verdict }) => ({
    ...{ rule: `client-${verdict.fault}`, level: 'error' as const, file: null },
    message: `${item.api}: ${item.change.about}: ${verdict.reason}`,
  }))
  await reportToCi(
    { findings: ci, rules: {}, title: 'callspec conformance run --client', total, sarif: null },
    invocation,
  )
  return counts.failed + counts.errored > 0 ? EXIT.disagreement : EXIT.ok
}

const MOST_ERRORS = 3

function firstErrors(
  results: readonly ClientResult[],
): readonly { readonly item: ClientCase; readonly verdict: string }[] {
  return results
    .flatMap(({ item, verdict }) => (verdict.kind === 'errored' ? [{ item, verdict: verdict.reason }] : []))
    .slice(0, MOST_ERRORS)
}

/** A line for each API and kind of change: how many streams were read right, and in which way. */
function clientTable({ results, apis }: ClientRun, { isTerminal, columns }: Output): string {
  const rows = apis.flatMap((api) =>
    (['sound', 'readable', 'lost'] as const).flatMap((kind) => {
      const own = results.filter(
        ({ item, verdict }) => item.api === api && item.change.kind === kind && verdict.kind !== 'skipped',
      )
      const grades = own.map(({ verdict }) =>
        'grade' in verdict ? verdict.grade : 'fault' in verdict ? verdict.fault : 'errored',
      )
      const count = (...names: readonly string[]): string =>
        String(grades.filter((grade) => names.includes(grade)).length || '·')
      const others = [
        count('as-said'),
        count('reported'),
        count('unfinished', 'shown'),
        count('misread'),
        count('refused'),
        count('missed', 'errored'),
      ]
      return own.length === 0 ? [] : [[api, kind, ...others]]
    }),
  )
  const head = ['api', 'streams', 'as said', 'error', 'open', 'misread', 'refused', 'missed']
  const align = head.map((_, at) => (at < 2 ? 'left' : 'right'))
  return renderTable({ head, rows, align, ascii: !isTerminal, width: Math.max(columns, 80) })
}
