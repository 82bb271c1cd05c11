import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { plural } from '@callspec/eval/text'
import { readEventLog, readExchanges, RECORD_ENDING } from '@callspec/proxy'
import type { CheckCount, PrefixReport, TrafficReport, UnreadCount } from '@callspec/proxy/check'
import { CHECK_TEXTS, createTrafficChecker, makeCases, PREFIX_BREAKS, UNREAD_TEXTS } from '@callspec/proxy/check'
import { wrapHanging } from '../columns.ts'
import type { MissingContent } from './spans.ts'
import { holdsSpans, readSpans, spanNotes } from './spans.ts'
import type { ExitCode, Invocation } from '../command.ts'
import { EXIT } from '../command.ts'
import { refusePipe } from '../input-file.ts'
import type { Output } from '../output.ts'
import { inert } from '../output.ts'
import { fileSize } from '../score/run.ts'
import { systemCode, UsageError } from '../usage-error.ts'
import { workProgress } from '../work-progress.ts'
import { makeFolders, writeChosenFile } from '../write-file.ts'

/** Options of the proxy, without meaning for a check. */
const RECORDS = ['to', 'record', 'port', 'host', 'sample', 'max-file', 'redact', 'timeout', 'without-requests']

const WHAT =
  'Name what callspec proxy --record wrote (*.traffic), a log of lines data: {…} (*.sse), or spans of OpenTelemetry (*.json, *.jsonl).'

/** `callspec proxy check PATH…`. */
export async function runCheck({ positionals, options, output }: Invocation): Promise<ExitCode> {
  if (positionals.length === 0)
    throw new UsageError('which recording? Name the folder of a recording, or a log of data: lines.')
  if (positionals.includes('')) throw new UsageError('the path is empty. Name the folder of a recording, or a log.')
  for (const name of RECORDS)
    if (name === 'without-requests' ? options.flag(name) : options.text(name) !== null)
      throw new UsageError(`--${name} belongs to callspec proxy --to URL.`)
  const wanted = options.integer('examples', { min: 1, max: 1000 }) ?? 3
  const folder = options.text('save')
  const missing: MissingContent = { spans: 0, withoutTools: 0, notRecorded: 0, reason: '' }
  const report = await checkPaths(positionals, { wanted, missing, output })
  for (const note of spanNotes(missing)) output.note(`callspec: ${positionals.join(', ')}: ${note}`)
  if (report.exchanges === 0 && missing.notRecorded > 0) return EXIT.broken
  if (report.exchanges === 0)
    throw new UsageError(`${positionals.join(', ')}: contains no exchange and no stream. ${WHAT}`)
  if (options.flag('json')) output.line(JSON.stringify(trafficJson(report), null, 2))
  else printTraffic(report, output)
  if (folder !== null) for (const path of await save(report, folder)) output.note(`callspec: wrote ${path}`)
  if (readIn(report) > 0) return report.checks.some(({ weight }) => weight === 'broken') ? EXIT.disagreement : EXIT.ok
  output.note(`callspec: ${positionals.join(', ')}: no verdict: ${whyNothing(report)}`)
  return EXIT.broken
}

function whyNothing({ exchanges, refused }: TrafficReport): string {
  const none = exchanges === 1 ? 'the only reply cannot' : `none of the ${exchanges} replies can`
  if (refused === exchanges)
    return `${none} be checked: the server answered with an error. Record replies of another status.`
  const but = refused === 0 ? '' : ` (${refused} answered with an error)`
  return `${none} be read${but}. Only completions, messages and responses are.`
}

async function checkPaths(
  paths: readonly string[],
  { wanted, missing, output }: { readonly wanted: number; readonly missing: MissingContent; readonly output: Output },
): Promise<TrafficReport> {
  const checker = createTrafficChecker(wanted)
  const progress = workProgress({ output, noun: 'exchange' })
  const files: { readonly file: string; readonly size: number }[] = []
  for (const path of paths)
    for (const file of await naming(path, () => recordingsIn(path))) files.push({ file, size: fileSize(file) ?? 0 })
  const total = files.reduce((sum, { size }) => sum + size, 0)
  let [checked, before] = [0, 0]
  for (const { file, size } of files) {
    let read = 0
    const onRead = (bytes: number): void => void (read = bytes)
    await naming(file, async () => {
      const exchanges = file.endsWith(RECORD_ENDING)
        ? readExchanges(file, onRead)
        : (await holdsSpans(file))
          ? readSpans(file, missing, onRead)
          : readEventLog(file, onRead)
      for await (const exchange of exchanges) {
        checker.add(exchange)
        progress.step((checked += 1), total === 0 ? undefined : (before + read) / total)
      }
    })
    before += size
  }
  output.progressDone()
  return checker.end()
}

/** @throws UsageError that names the path, for one that cannot be read */
async function naming<Result>(path: string, read: () => Promise<Result>): Promise<Result> {
  try {
    return await read()
  } catch (error) {
    const code = systemCode(error)
    if (code === null) throw error
    throw new UsageError(
      `${path}: ${code === 'ENOENT' ? `no such file or folder. ${WHAT}` : `cannot be read (${code})`}`,
    )
  }
}

/** The file itself, or the recordings and logs in a folder, sorted. */
async function recordingsIn(path: string): Promise<readonly string[]> {
  if (!(await stat(path)).isDirectory()) return [path]
  const entries = await readdir(path, { withFileTypes: true })
  const files = entries
    .filter((entry) => !entry.isDirectory() && (entry.name.endsWith(RECORD_ENDING) || entry.name.endsWith('.sse')))
    .map(({ name }) => name)
    .toSorted()
    .map((name) => join(path, name))
  for (const file of files) await refusePipe(file)
  return files
}

async function save(report: TrafficReport, folder: string): Promise<readonly string[]> {
  const cases = makeCases(report)
  if (cases.length > 0) await makeFolders(folder)
  const paths: string[] = []
  for (const { file, text } of cases) {
    const path = join(folder, file)
    await writeChosenFile(path, text)
    paths.push(path)
  }
  return paths
}

const INDENT = 8
const EVIDENCE_LENGTH = 160

export function printTraffic(report: TrafficReport, output: Output): void {
  const { exchanges, streamed, refused, unreadable, unread, torn, compared, checks, formats, prefixes } = report
  const read = readIn(report)
  const parts = [
    `${plural(exchanges, 'exchange')}, ${streamed} streamed`,
    `${refused} answered with an error`,
    `${unreadable} without a reply that can be read`,
    `${plural(compared, 'request')} answered both whole and streamed`,
  ]
  for (const line of wrapHanging(`${parts.join('; ')}.`, 0, output)) output.line(line)
  for (const count of unread) printUnread(count, output)
  if (torn !== null) {
    output.line(
      `${output.paint('yellow', 'torn  ')}  the recording breaks off in ${inert(torn.first)}${torn.exchanges === 1 ? '' : `, and in ${torn.exchanges - 1} more`}`,
    )
    for (const line of wrapHanging('later traffic was not recorded and is unknown', INDENT, output)) output.line(line)
  }
  if (checks.length === 0 && read > 0 && torn !== null)
    output.line(`No fault in what was recorded of ${plural(read, 'reply', 'replies')}: the rest is missing.`)
  else if (checks.length === 0 && read > 0) {
    const where = read < exchanges ? ` in what could be read: ${plural(read, 'reply', 'replies')}` : ''
    output.line(output.paint('green', `Nothing was found${where}.`))
  }
  for (const check of checks) printTrafficCheck(check, output)
  if (prefixes.followed > 0) printPrefixes(prefixes, output)
  if (formats.size === 0) return
  const counts = [...formats]
    .toSorted(([, one], [, other]) => other - one)
    .map(([format, count]) => `${format} (${count})`)
  for (const line of wrapHanging(
    `Calls that were left are in the format${counts.length > 1 ? 's' : ''} ${counts.join(', ')}.`,
    0,
    output,
  ))
    output.line(line)
}

/** Number of replies that could be checked. */
export function readIn({ exchanges, refused, unreadable }: TrafficReport): number {
  return exchanges - refused - unreadable
}

function printUnread({ cause, exchanges, first }: UnreadCount, output: Output): void {
  const where = exchanges === 1 ? first : `in ${exchanges}, first ${first}`
  const text = `${output.paint('yellow', 'unread')}  ${cause} ${inert(where)}`
  output.line(text)
  for (const line of wrapHanging(`the reply ${UNREAD_TEXTS[cause]}`, INDENT, output)) output.line(line)
}

function printTrafficCheck({ check, weight, exchanges, times, examples }: CheckCount, output: Output): void {
  const style = weight === 'broken' ? 'red' : 'yellow'
  const often = times === exchanges ? `in ${exchanges}` : `in ${exchanges}, ${times} times`
  output.line(`${output.paint(style, weight === 'broken' ? 'broken' : 'odd   ')}  ${check} ${often}`)
  for (const line of wrapHanging(CHECK_TEXTS[check], INDENT, output)) output.line(line)
  for (const { exchange, finding } of examples) {
    const text = `${exchange}: ${short(finding.evidence)}`
    for (const line of wrapHanging(inert(text), INDENT + 2, output)) output.line(line)
  }
}

/** How much of the prompts a server's cache could keep: no fault of the server. */
function printPrefixes({ followed, stable, bytes, tokens, breaks }: PrefixReport, output: Output): void {
  const share = bytes.before === 0 ? 100 : Math.floor((100 * bytes.same) / bytes.before)
  const say = (text: string, indent: number): void => {
    for (const line of wrapHanging(inert(text), indent, output)) output.line(line)
  }
  output.line(`prompt  ${stable} of ${plural(followed, 'request')} that go on with a conversation repeat all of it`)
  say(`${share} % of the bytes of the request before stay the same`, INDENT)
  if (tokens !== null) say(`${tokens.cached} of ${tokens.prompt} prompt tokens came from the server's cache`, INDENT)
  for (const { cause, requests, member, first, lost } of breaks) {
    say(`${cause} in ${requests}: ${PREFIX_BREAKS[cause]}`, INDENT)
    say(`${first}: ${member}; ${lost} bytes from there on are not repeated`, INDENT + 2)
  }
}

function short(text: string): string {
  const line = text
    .slice(0, 4 * EVIDENCE_LENGTH)
    .replaceAll(/\s+/g, ' ')
    .trim()
  return line.length > EVIDENCE_LENGTH ? `${line.slice(0, EVIDENCE_LENGTH)}…` : line
}

/** The version of the JSON that `callspec proxy check --json` prints. */
export const TRAFFIC_SCHEMA = 1

export function trafficJson({ checks, formats, ...counts }: TrafficReport): object {
  return {
    schema: TRAFFIC_SCHEMA,
    kind: 'traffic',
    ...counts,
    checks: checks.map(({ examples, ...check }) => ({
      ...check,
      examples: examples.map(({ exchange, finding }) => ({
        exchange,
        weight: finding.weight,
        times: finding.times,
        evidence: finding.evidence.slice(0, 4000),
        formats: finding.formats,
      })),
    })),
    formats: Object.fromEntries(formats),
  }
}
