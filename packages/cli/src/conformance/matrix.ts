import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { RecordedCounts, Scoreboard } from '@callspec/conformance'
import {
  compareSources,
  FUNCTIONS,
  readRecorded,
  readScoreboard,
  recordedTables,
  scoreboardFileName,
  scoreTables,
  sumCells,
  sumGrades,
  tallyRecorded,
  VERDICT_KINDS,
} from '@callspec/conformance'
import { plural } from '@callspec/eval/text'
import { fitColumns, wrapHanging } from '../columns.ts'
import type { ExitCode, Invocation } from '../command.ts'
import { EXIT } from '../command.ts'
import { exists, refusePipe } from '../input-file.ts'
import type { Output } from '../output.ts'
import { inert, quotedLine } from '../output.ts'
import { didYouMean, messageOf, systemCode, UsageError } from '../usage-error.ts'
import { makeFolders, writeFileAtomically } from '../write-file.ts'
import { columnBlocks, countsText, gradeColumns, legend, padded, transposed } from './count-tables.ts'
import { SCOREBOARD_FOLDER, wantsJson } from './options.ts'

/** Prints scoreboards: for every format, implementations by operations. */
export async function printMatrix(invocation: Invocation): Promise<ExitCode> {
  const { positionals, output } = invocation
  const files = await scoreboardFiles(positionals.length === 0 ? await usualFolder(invocation) : positionals)
  const boards: Scoreboard[] = []
  for (const file of files) boards.push(await readScoreboard(file))
  if (wantsJson(invocation)) output.line(JSON.stringify(boards, null, 2))
  else printBoards(boards, output)
  await writeMatrixFiles({ scoreboards: boards, formats: [] }, invocation)
  return EXIT.ok
}

const NAME_WIDTH = 28
const PROFILE_WIDTH = 20

function printBoards(boards: readonly Scoreboard[], output: Output): void {
  const tables = scoreTables(boards)
  for (const { format, operations, rows } of tables) {
    output.line(`${format === null ? 'without a format' : quotedLine(format, 60)}\n`)
    const labels = [
      ['implementation', ...rows.map(({ name }) => name)].map((name) => fitColumns(oneLine(name), NAME_WIDTH)),
      ['profile', ...rows.map(({ profile }) => profile)].map((profile) => fitColumns(oneLine(profile), PROFILE_WIDTH)),
    ]
    const columns = operations.map((op, at) => [op, ...rows.map(({ counts }) => countsText(counts[at] ?? null))])
    const shape = { columns: padded(columns, true), width: output.columns }
    for (const block of columnBlocks(padded(labels, false), shape)) output.line(`${block}\n`)
  }
  printGrades(boards, output)
  const all = tables.flatMap(({ rows }) => rows.flatMap(({ counts }) => counts))
  for (const line of legend(sumCells(all))) output.line(line)
  if (tables.some(({ operations }) => operations.includes(FUNCTIONS)))
    output.line(`${FUNCTIONS}: all operations that are single functions of a reference`)
  for (const line of casesLines(boards)) output.line(line)
  const versions = boards.reduce((sum, { results }) => sum + results.length, 0)
  const formats = tables.filter(({ format }) => format !== null).length
  if (boards.length > 0)
    output.line(
      `${plural(boards.length, 'implementation')}, ${plural(versions, 'version')}, ${plural(formats, 'format')}`,
    )
}

/** The verdicts in full, for versions that have others than the four kinds. */
function printGrades(boards: readonly Scoreboard[], output: Output): void {
  const rows = boards.flatMap(({ implementation, results }) =>
    results.flatMap(({ version, cells }) => {
      const counts = sumGrades(cells.map(({ grades = {} }) => grades))
      const isPlain = Object.keys(counts).every((grade) => VERDICT_KINDS.some((kind) => kind === grade))
      return isPlain ? [] : [{ name: `${implementation} ${version}`, counts }]
    }),
  )
  if (rows.length === 0) return
  output.line('verdicts in full\n')
  const names = ['implementation', ...rows.map(({ name }) => name)].map((name) => fitColumns(oneLine(name), NAME_WIDTH))
  const columns = gradeColumns(rows.map(({ counts }) => counts))
  const shape = { columns: columns.flatMap((column) => padded([column], true)), width: output.columns }
  for (const block of columnBlocks(padded([names], false), shape)) output.line(`${block}\n`)
}

function oneLine(text: string): string {
  return inert(text).replace(/[\n\t]+/g, () => ' ')
}

/** The versions of the cases: one line when all agree. */
function casesLines(boards: readonly Scoreboard[]): readonly string[] {
  const uses = boards.flatMap(({ implementation, results }) =>
    results.map(({ version, casesVersion }) => ({ who: `${implementation} ${version}`, cases: casesVersion })),
  )
  const versions = new Set(uses.map(({ cases }) => cases))
  if (versions.size === 1) return [...versions].map((cases) => `cases ${quotedLine(cases, 40)}`)
  return uses.map(({ who, cases }) => `${quotedLine(who, 60)}: cases ${quotedLine(cases, 15)}`)
}

/**
 * The files named, and those of the folders named, in a stable order.
 *
 * @throws UsageError for a path that does not exist, and a folder without scoreboards
 */
async function scoreboardFiles(paths: readonly string[]): Promise<readonly string[]> {
  const files: string[] = []
  for (const path of paths) {
    const known = await stat(path).catch((error: unknown) => {
      const code = systemCode(error)
      const what = code === 'ENOENT' ? 'there is no such file or folder' : (code ?? messageOf(error))
      throw new UsageError(`${path}: ${what}. \`callspec conformance run --scoreboard\` keeps results there.`)
    })
    const found = known.isDirectory() ? await filesIn(path) : [path]
    if (found.length === 0)
      throw new UsageError(
        `${path}: holds no scoreboard (*.json). \`callspec conformance run --scoreboard\` keeps results there.`,
      )
    files.push(...found.filter((file) => !files.includes(file)))
  }
  return files
}

/** Results make a page without any scoreboard. */
async function usualFolder({ options }: Invocation): Promise<readonly string[]> {
  const isNeeded = options.text('html') === null || options.list('results').length === 0
  return isNeeded || (await exists(SCOREBOARD_FOLDER)) ? [SCOREBOARD_FOLDER] : []
}

async function filesIn(folder: string): Promise<readonly string[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.json') && !name.startsWith('.'))
  const files = names.toSorted().map((name) => join(folder, name))
  for (const file of files) await refusePipe(file)
  return files
}

const TOPIC_WIDTH = 30

/** Prints the recorded answers of engines: for every format, topics by engines. Formats may be named. */
export async function printRecordedMatrix(invocation: Invocation): Promise<ExitCode> {
  const { positionals, options, output } = invocation
  const all = tallyRecorded(await readRecorded())
  const known = [...new Set(all.map(({ format }) => format))].toSorted()
  const named = [...positionals, ...options.list('format')]
  const unknown = named.find((name) => !known.includes(name))
  if (unknown !== undefined) {
    const hint = didYouMean(unknown, known)
    throw new UsageError(`nothing is recorded for a format "${inert(unknown)}".${hint} There is: ${known.join(', ')}.`)
  }
  const formats = known.filter((format) => named.length === 0 || named.includes(format))
  const cells = all.filter(({ format }) => formats.includes(format))
  if (wantsJson(invocation)) output.line(JSON.stringify(cells, null, 2))
  else {
    for (const { format, op, engines, rows } of recordedTables(cells, { formats })) {
      output.line(`${format}, ${op}\n`)
      const labels = transposed([['topic'], ...rows.map(({ topic }) => [fitColumns(topic, TOPIC_WIDTH)])])
      const columns = engines.map((engine, at) => [engine, ...rows.map(({ counts }) => recordedText(counts[at]))])
      const shape = { columns: padded(columns, true), width: output.columns }
      for (const block of columnBlocks(padded(labels, false), shape)) output.line(`${block}\n`)
    }
    const engineCount = new Set(cells.map(({ engine }) => engine)).size
    const notes = [
      '3/4: of 4 questions with one right answer 3 were answered so; +2: two more have no single right answer',
      `recorded once, not run now: ${engineCount} engines and versions, ${plural(formats.length, 'format')}; docs/engines.md shows the texts`,
    ]
    for (const line of notes.flatMap((note) => wrapHanging(note, 0, output))) output.line(line)
  }
  await writeMatrixFiles({ scoreboards: [], formats }, invocation)
  return EXIT.ok
}

function recordedText({ agrees, differs, open }: RecordedCounts = { agrees: 0, differs: 0, open: 0 }): string {
  const judged = agrees + differs === 0 ? '' : `${agrees}/${agrees + differs}`
  return [judged, ...(open === 0 ? [] : [`+${open}`])].filter((text) => text !== '').join(' ')
}

/** Parts of the page in addition to results: scoreboards, and formats whose recorded answers are shown. */
interface MatrixParts {
  readonly scoreboards: readonly Scoreboard[]
  readonly formats: readonly string[]
}

/** Writes the page and the badges that the options name. */
async function writeMatrixFiles(
  { scoreboards, formats }: MatrixParts,
  { options, output, environment }: Pick<Invocation, 'options' | 'output' | 'environment'>,
): Promise<void> {
  const html = options.text('html')
  const badges = options.text('badges')
  const results = options.list('results')
  if (html === null && results.length > 0) throw new UsageError('--results belongs to --html FILE')
  if (html === null && badges === null) return
  // Only here: tables in the terminal need no pages.
  const { renderConformance, renderScoreBadge } = await import('@callspec/report')
  if (html !== null) {
    const compared = await compareSources({ results, cases: options.list('cases'), scoreboards, formats })
    const page = renderConformance({
      ...{ columns: compared.columns(), cells: compared.cells(), cases: compared.cases(), scoreboards },
      date: dayOfPage(environment),
    })
    await writeFileAtomically(html, page)
    output.note(`page: ${html}`)
  }
  if (badges === null) return
  await makeFolders(badges)
  for (const scoreboard of scoreboards) {
    const path = join(badges, scoreboardFileName(scoreboard.implementation).replace(/\.json$/, '.svg'))
    await writeFileAtomically(path, renderScoreBadge(scoreboard))
    output.note(`badge: ${path}`)
  }
}

/** Reproducible builds set the date: `SOURCE_DATE_EPOCH`, in seconds. */
function dayOfPage(environment: Invocation['environment']): string {
  const seconds = environment['SOURCE_DATE_EPOCH']
  const isGiven = seconds !== undefined && /^\d{1,11}$/.test(seconds)
  return (isGiven ? new Date(Number(seconds) * 1000) : new Date()).toISOString().slice(0, 10)
}
