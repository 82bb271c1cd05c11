import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AskedCases } from '@callspec/conformance'
import { askedIds, currentId, GRADES, readRecorded, sameCases, tallyRecorded } from '@callspec/conformance'
import type { Engine } from './engine-file.ts'
import type { EngineCounts, EngineReport } from './engine-report.ts'
import { compareTexts, listsIn, readReports } from './report-files.ts'

/** Files of the repository that are made of the reports, by their path from its root. */
export async function pagesOf(root: string, engines: readonly Engine[]): Promise<ReadonlyMap<string, string>> {
  const folder = join(root, 'reports/engines')
  const reports = readReports(folder)
  const about = JSON.parse(readFileSync(join(root, 'golden/recorded/engines.json'), 'utf8')) as PageParts['about']
  const recorded = await readRecorded()
  return new Map([
    ['reports/engines/table.tsv', verdictTable(reports)],
    ['docs/engines.md', enginesPage({ engines, reports, recorded, about, listOf: listsIn(folder) })],
  ])
}

/** Writes them. */
export async function writePages(root: string, engines: readonly Engine[]): Promise<void> {
  for (const [path, text] of await pagesOf(root, engines)) writeFileSync(join(root, path), text)
}

const NOTE_OLD = 'older than two releases'

/**
 * `reports/engines/table.tsv`: a line per engine, version, parser, format and operation, with a column for each verdict. Cells are
 * separated by tabs, and none contains one.
 */
function verdictTable(reports: readonly EngineReport[]): string {
  const head = ['engine', 'version', 'date', 'commit', 'ran', 'cases', 'parser', 'format', 'operation', ...GRADES]
  const lines = reports.flatMap((report) =>
    report.counts.map(({ parser, format, op, verdicts }) => [
      ...[report.engine, report.version, report.date, report.commit ?? '', report.ran, report.casesVersion],
      ...[parser, format, op],
      ...GRADES.map((grade) => String(verdicts[grade] ?? 0)),
    ]),
  )
  return `${[head, ...lines].map((cells) => cells.join('\t')).join('\n')}\n`
}

type RecordedAnswer = Awaited<ReturnType<typeof readRecorded>>[number]

/** What `docs/engines.md` is made of. */
interface PageParts {
  readonly engines: readonly Engine[]
  readonly reports: readonly EngineReport[]
  readonly recorded: readonly RecordedAnswer[]
  /** `golden/recorded/engines.json`: what a recorded engine is, and when its code was written. */
  readonly about: Readonly<Record<string, { readonly what: string; readonly date: string }>>
  /** The cases that counts are of. */
  readonly listOf: (counts: EngineCounts) => AskedCases
}

/** `docs/engines.md`. */
function enginesPage({ engines, reports, recorded, about, listOf }: PageParts): string {
  const newest = engines.flatMap((engine) => {
    const own = reports.filter((report) => report.engine === engine.name)
    return own[0] === undefined ? [] : [{ engine, report: own[0] }]
  })
  return `${[
    HEAD,
    table(
      ['engine', 'version', 'of', 'commit', 'asked on', 'cases', 'since the version before'],
      reports.map((report) => runRow(report, { engines, reports, listOf })),
    ),
    ...newest.map(({ engine, report }) => engineSection(engine, report)),
    RECORDED_HEAD,
    ...recordedTables(recorded, about),
  ].join('\n\n')}\n`
}

const HEAD = `# What engines answer

Every row was asked the strict cases of callspec by its adapter in \`packages/conformance/adapters\`, with its own code, in the way of its
own server. \`pnpm engines NAME\` installs and asks it again; \`pnpm engines NAME --only PARSER/FORMAT --id ID\` shows one case. Cases were
chosen where readers differ, so a rate is no grade of an engine.

- A cell is _passed/asked_. Of the eleven verdicts ([protocol](protocol.md#results)) _passed_ includes right but for white space; _synthetic_
  and _skipped_ cases are not asked. _streams_ are fixed streams and streams that are cut at tokens.
- \`reports/engines/table.tsv\` has all numbers: engine, version, date, commit, parser, format, operation, and each verdict.
  \`reports/engines/NAME@VERSION.json\` also has every case that did not pass, with the answer. \`reports/findings\` has reports for the makers.
- This page and the table are made of these files by \`pnpm engines\`.

## What was run

_Since the version before_: cases that were read wrong and are not now, and those that are read wrong now and were not.`

function runRow(
  report: EngineReport,
  { engines, reports, listOf }: Pick<PageParts, 'engines' | 'reports' | 'listOf'>,
): readonly string[] {
  const { title, engine, version, date, commit, ran, casesVersion } = report
  const kept = engines.find(({ name }) => name === engine)?.versions.some((each) => each.version === version) ?? false
  const before = reports.slice(reports.indexOf(report) + 1).find((each) => each.engine === engine)
  const shown = `[${version}](../reports/engines/${engine}@${version}.json)${kept ? '' : ` (${NOTE_OLD})`}`
  const change = before === undefined ? '' : changeText(report, before, listOf)
  return [title, shown, date, commit === null ? '' : code(commit.slice(0, 9)), ran, casesVersion, change]
}

/** Counts of the cases that both versions were asked in the same words. */
function changeText(now: EngineReport, before: EngineReport, listOf: PageParts['listOf']): string {
  const shared = now.counts.flatMap((counts) => {
    const { parser, format, op } = counts
    const old = before.counts.find((each) => each.parser === parser && each.format === format && each.op === op)
    if (old === undefined) return []
    const list = listOf(counts)
    return askedIds(list, sameCases(list, listOf(old))).map((id) => `${parser} ${format} ${id}`)
  })
  const verdictsOf = ({ deviations }: EngineReport): ReadonlyMap<string, string> =>
    new Map(
      deviations.map(({ parser, format, id, verdict }) => [`${parser} ${format} ${currentId(id)}`, verdict] as const),
    )
  const [verdictsNow, verdictsBefore] = [verdictsOf(now), verdictsOf(before)]
  const turned = (from: ReadonlyMap<string, string>, to: ReadonlyMap<string, string>): number =>
    shared.filter((key) => WRONG.has(from.get(key) ?? 'passed') && RIGHT.has(to.get(key) ?? 'passed')).length
  return `+${turned(verdictsBefore, verdictsNow)}, −${turned(verdictsNow, verdictsBefore)}`
}

/** As `callspec compat` has it: what is not asked, contested or a policy in one of the versions is no change. */
const WRONG: ReadonlySet<string> = new Set(['refused', 'failed', 'errored'])
const RIGHT: ReadonlySet<string> = new Set(['passed', 'whitespace', 'id', 'number', 'cut'])

function engineSection(engine: Engine, report: EngineReport): string {
  const pairs = new Map<string, EngineCounts[]>()
  for (const each of report.counts) {
    const key = `${each.format} ${each.parser}`
    pairs.set(key, [...(pairs.get(key) ?? []), each])
  }
  const rows = [...pairs].toSorted(([one], [other]) => compareTexts(one, other)).map(([, counts]) => pairRow(counts))
  const stubs = report.stubs.length === 0 ? '' : ` Imports replaced by stubs: ${report.stubs.map(code).join(', ')}.`
  const left = report.notAsked.map(({ parser, format, why }) => {
    return `- Not asked: ${parser}${format === undefined ? '' : ` with ${formatName(format)}`}: ${why}.`
  })
  return [
    `## ${report.title} ${report.version}`,
    `${engine.homepage}: ${report.what}. Date: ${report.dated}.${stubs}`,
    table(['format', 'parser', 'parse', 'streams', 'prompts', 'not passed'], rows),
    ...(left.length === 0 ? [] : [left.join('\n')]),
  ].join('\n\n')
}

function pairRow(counts: readonly EngineCounts[]): readonly string[] {
  const [{ format, parser }] = counts as readonly [EngineCounts]
  const cell = (ops: readonly string[]): string => {
    const own = counts.filter(({ op }) => ops.includes(op))
    return own.length === 0 ? '' : passedOf(own)
  }
  const more = GRADES.filter((grade) => grade !== 'passed' && grade !== 'whitespace').flatMap((grade) => {
    const sum = counts.reduce((total, { verdicts }) => total + (verdicts[grade] ?? 0), 0)
    return sum === 0 ? [] : [`${grade} ${sum}`]
  })
  return [formatName(format), code(parser), cell(['parse']), cell(['stream', 'cut']), cell(['render']), more.join(', ')]
}

/** Markdown makes a link to a mail address of `qwen3.5@step-3.5`. */
function formatName(format: string): string {
  return format.includes('@') ? code(format) : format
}

function passedOf(counts: readonly EngineCounts[]): string {
  const sum = (isCounted: (grade: string) => boolean): number =>
    counts.reduce(
      (total, { verdicts }) =>
        total + GRADES.reduce((part, grade) => part + (isCounted(grade) ? (verdicts[grade] ?? 0) : 0), 0),
      0,
    )
  const passed = sum((grade) => grade === 'passed' || grade === 'whitespace')
  return `${passed}/${sum((grade) => grade !== 'synthetic' && grade !== 'skipped')}`
}

const RECORDED_HEAD = `## Recorded earlier

\`golden/recorded\` has what engines and the makers' own programs answered once, when formats were written; it was judged again by today's
comparison. Those of vLLM and SGLang are ${NOTE_OLD}: the rows above count, and these show what changed. _Open_ are questions without a
single right answer. \`callspec conformance matrix --recorded [FORMAT …]\` prints the topics. What was dropped, and why, is in
\`golden/recorded/left-out.json\`.`

function recordedTables(recorded: readonly RecordedAnswer[], about: PageParts['about']): readonly string[] {
  const names = [...new Set(recorded.map(({ engine }) => engine))].toSorted()
  const rows = names.map((name) => {
    const { what, date } = about[name] ?? about[name.split('/', 1)[0] ?? ''] ?? { what: '', date: UNKNOWN }
    const cells = tallyRecorded(recorded.filter(({ engine }) => engine === name))
    const sum = (of: (cell: (typeof cells)[number]) => number): string =>
      String(cells.reduce((total, cell) => total + of(cell), 0))
    const counts = [sum(({ agrees }) => agrees), sum(({ differs }) => differs), sum(({ open }) => open)]
    return { date, cells: [code(name), what, ...(date === UNKNOWN ? [] : [date]), ...counts] }
  })
  const [dated, undated] = [rows.filter(({ date }) => date !== UNKNOWN), rows.filter(({ date }) => date === UNKNOWN)]
  const cellsOf = (list: typeof rows): readonly (readonly string[])[] => list.map(({ cells }) => cells)
  return [
    table(['engine', 'what it is', 'of when', 'as strict', 'otherwise', 'open'], cellsOf(dated)),
    'The code of these has no known date, so they stand beside nothing:',
    table(['engine', 'what it is', 'as strict', 'otherwise', 'open'], cellsOf(undated)),
  ]
}

const UNKNOWN = 'not known'

function code(text: string): string {
  return `\`${text.replaceAll('|', '\\|')}\``
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}
