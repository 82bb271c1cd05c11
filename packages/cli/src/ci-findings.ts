import { readFileSync } from 'node:fs'
import { appendFile } from 'node:fs/promises'
import { isAbsolute, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Invocation, OptionSpec } from './command.ts'
import { inert, quotedLine } from './output.ts'
import { messageOf } from './usage-error.ts'
import { writeFileAtomically } from './write-file.ts'

/** `--sarif`, of commands whose findings are in files of the user. */
export const SARIF_OPTION: OptionSpec = {
  value: 'FILE',
  help: 'Also write what was found as SARIF 2.1.0, for code scanning.',
}

/** What a command found, at a place of a file. */
export interface CiFinding {
  /** Such as `golden-drift`, or the rule of a linter. */
  readonly rule: string
  readonly level: 'error' | 'warning' | 'note'
  readonly message: string
  /** A path, or an address; null where no file is meant. */
  readonly file: string | null
  /** From 1. */
  readonly line?: number
  readonly column?: number
}

/** What is reported besides the findings. */
export interface CiReport {
  readonly findings: readonly CiFinding[]
  /** What each rule is about, for SARIF. */
  readonly rules: Readonly<Record<string, string>>
  /** The head of the summary of the job, such as `callspec golden verify`. */
  readonly title: string
  /** The totals, one line. */
  readonly total: string
  /** Where `--sarif` writes; null without it. */
  readonly sarif: string | null
}

/** Writes SARIF where it is asked for; under GitHub Actions, annotations and the summary of the job as well. */
export async function reportToCi(
  report: CiReport,
  { output, environment }: Pick<Invocation, 'output' | 'environment'>,
): Promise<void> {
  const { findings, sarif } = report
  if (sarif !== null) {
    await writeFileAtomically(sarif, sarifText(report))
    output.note(`SARIF: ${inert(sarif)}`)
  }
  if (environment['GITHUB_ACTIONS'] === 'true') for (const line of annotations(findings)) output.note(line)
  const summary = environment['GITHUB_STEP_SUMMARY'] ?? ''
  if (summary === '') return
  try {
    await appendFile(summary, summaryText(report))
  } catch (error) {
    // The summary is not a result: if it cannot be written, the command does not fail.
    output.warn(`GITHUB_STEP_SUMMARY cannot be written (${messageOf(error)})`)
  }
}

/** The form of SARIF 2.1.0: https://docs.oasis-open.org/sarif/sarif/v2.1.0/ */
export function sarifText({ findings, rules }: Pick<CiReport, 'findings' | 'rules'>): string {
  const used = [...new Set(findings.map(({ rule }) => rule))].toSorted()
  const driver = {
    name: 'callspec',
    version: ownVersion(),
    rules: used.map((id) => ({ id, shortDescription: { text: rules[id] ?? id } })),
  }
  const results = findings.map((finding) => ({
    ruleId: finding.rule,
    ruleIndex: used.indexOf(finding.rule),
    level: finding.level,
    message: { text: inert(finding.message) },
    ...(finding.file === null ? {} : { locations: [{ physicalLocation: physicalLocation(finding, finding.file) }] }),
  }))
  const log = {
    $schema: 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json',
    version: '2.1.0',
    // Columns count characters, as the messages do.
    runs: [{ tool: { driver }, columnKind: 'unicodeCodePoints', results }],
  }
  return `${JSON.stringify(log, null, 2)}\n`
}

function physicalLocation({ line = 1, column }: CiFinding, file: string): object {
  const region = { startLine: line, ...(column === undefined ? {} : { startColumn: column }) }
  return { artifactLocation: { uri: uriOf(file) }, region }
}

/** A path below the current folder is relative, so that a host of repositories finds the file. */
function uriOf(file: string): string {
  if (/^[a-z][a-z+.-]+:\/\//i.test(file)) return encodeURI(inert(file))
  const path = isAbsolute(file) ? relative('.', file) : file
  if (path.startsWith('..')) return pathToFileURL(file).href
  return path.replaceAll('\\', '/').split('/').map(encodedSegment).join('/')
}

function encodedSegment(segment: string): string {
  return encodeURIComponent(segment.replaceAll(/[\ud800-\udfff]/gu, () => '\ufffd'))
}

let version: string | null = null

function ownVersion(): string {
  version ??= (
    JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { readonly version: string }
  ).version
  return version
}

/** GitHub shows ten annotations of a level in a step. */
const SHOWN = 10

/** Workflow commands: https://docs.github.com/actions/reference/workflow-commands-for-github-actions */
function annotations(findings: readonly CiFinding[]): readonly string[] {
  return (['error', 'warning', 'note'] as const).flatMap((level) =>
    findings
      .filter((finding) => finding.level === level)
      .slice(0, SHOWN)
      .map(annotation),
  )
}

function annotation({ rule, level, message, file, line = 1, column }: CiFinding): string {
  const place =
    file === null ? [] : [`file=${property(file)}`, `line=${line}`, ...(column === undefined ? [] : [`col=${column}`])]
  const properties = [...place, `title=${property(`callspec ${rule}`)}`]
  return `::${level === 'note' ? 'notice' : level} ${properties.join(',')}::${commandText(quotedLine(message, 1000))}`
}

function commandText(text: string): string {
  return text
    .replaceAll('%', () => '%25')
    .replaceAll('\r', () => '%0D')
    .replaceAll('\n', () => '%0A')
}

function property(text: string): string {
  return commandText(inert(text))
    .replaceAll(':', () => '%3A')
    .replaceAll(',', () => '%2C')
}

/** So many findings are in the summary of a job. */
const SUMMARIZED = 50

function summaryText({ title, total, findings }: CiReport): string {
  const rows = findings.slice(0, SUMMARIZED).map(({ level, rule, file, line, message }) => {
    const place = file === null ? '' : `${file}${line === undefined ? '' : `:${line}`}`
    return `| ${level} | ${cell(rule)} | ${cell(place)} | ${cell(message)} |`
  })
  const table = rows.length === 0 ? [] : ['', '| | rule | place | what |', '| --- | --- | --- | --- |', ...rows]
  const more = findings.length > SUMMARIZED ? ['', `and ${findings.length - SUMMARIZED} more`] : []
  return `${[`## ${title}`, '', total, ...table, ...more].join('\n')}\n\n`
}

/** A cell of Markdown in which nothing is markup: a code span, or nothing. */
function cell(text: string): string {
  const line = quotedLine(text, 300)
    .replaceAll('|', () => '\\|')
    .replaceAll('`', () => "'")
  return line === '' ? '' : `\`${line}\``
}
