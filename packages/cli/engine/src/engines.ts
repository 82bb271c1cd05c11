import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { caseLists } from '@callspec/conformance'
import type { Engine, EngineRow } from './engine-file.ts'
import { ADAPTERS, EngineInputError, pairsOf, readEngines, rowsOf, versionOf } from './engine-file.ts'
import type { EngineReport } from './engine-report.ts'
import { AskError, askEngine, pythonPath, wordsOf } from './engine-report.ts'
import { writePages } from './engines-page.ts'
import { hasToolchain, InstallError, installEngine, isInstalled, shownSize, sizeOf } from './install-engine.ts'
import { callspec, textTable } from './program.ts'
import { knownReport, reportFile, writeReport } from './report-files.ts'

const ROOT = resolve(import.meta.dirname, '../../../..')
/** With reports in this folder docs/engines.md is written again. */
const REPORTS = join(ROOT, 'reports/engines')

/** Widths of the columns, which have two blanks between them: 80 columns. */
const LIST_WIDTHS = [17, 10, 10, 7, 6, 6, 11]
const REPORT_WIDTHS = [16, 16, 6, 9, 25]

const HELP = `Usage
  pnpm engines [NAME | NAME@VERSION ...] [options]

Install engines, ask their parsers the cases, and write reports/engines.
Without a name: list the engines. llama.cpp also gets what doctor and evaluations
need to know of it: a table of half a minute, made with a tiny model.

Options
  --light              All light engines.
  --installed FOLDER   Ask the rows NAME@VERSION of this folder; install nothing.
                       Default: CALLSPEC_ENGINES.
  --into FOLDER        Install rows there. Default: .engines.
  --new                Ask only cases that the report of the row does not have,
                       unless its adapter has changed since.
  --only PARSER/FORMAT Ask one pair, and write no report.
  --id ID              Ask one case, show the answer, and write no report.
  --output DIR         Default: reports/engines.
  --adapters DIR       Default: packages/conformance/adapters.
  -h, --help           Print this page.
`

/** What the words ask for. */
interface Request {
  readonly names: readonly string[]
  readonly adapters: string
  /** Whether rows are only used where they are there. */
  readonly isInstalled: boolean
  readonly folder: string
  readonly output: string
  /** Whether only new cases are asked. */
  readonly isNew: boolean
  readonly only: string | null
  readonly id: string | null
}

process.exitCode = await main(process.argv.slice(2))

async function main(words: readonly string[]): Promise<number> {
  try {
    if (words.some((word) => word === '-h' || word === '--help')) return print(HELP.trimEnd())
    const { isLight, ...request } = readWords(words)
    const engines = readEngines(request.adapters)
    const light = isLight ? engines.filter(({ weight }) => weight === 'light').map(({ name }) => name) : []
    const names = [...request.names, ...light]
    if (names.length === 0) return print(listOf(engines, request))
    const code = await runAll(rowsOf(engines, names, { ...request, installed: request.folder }), request)
    const isOfAll = request.output === REPORTS && request.adapters === ADAPTERS
    if (isOfAll && request.id === null && request.only === null) await writePages(ROOT, engines)
    const isWhole = request.id === null && request.only === null && !request.isInstalled
    if (names.includes('llama.cpp') && isWhole) await import('./main.ts')
    return Math.max(code, Number(process.exitCode ?? 0))
  } catch (error) {
    process.stderr.write(`engines: ${error instanceof Error ? error.message : String(error)}\n`)
    return error instanceof EngineInputError ? 2 : 3
  }
}

function print(text: string): 0 {
  process.stdout.write(`${text}\n`)
  return 0
}

function readWords(words: readonly string[]): Request & { readonly isLight: boolean } {
  const [text, flag] = [{ type: 'string' } as const, { type: 'boolean' } as const]
  const options = {
    light: flag,
    installed: text,
    into: text,
    new: flag,
    only: text,
    id: text,
    output: text,
    adapters: text,
  }
  try {
    const { values, positionals } = parseArgs({ args: [...words], options, allowPositionals: true })
    const installed = values.installed ?? process.env['CALLSPEC_ENGINES'] ?? ''
    return {
      ...{ names: positionals, isLight: values.light === true, only: values.only ?? null, id: values.id ?? null },
      ...{
        isInstalled: installed !== '',
        folder: resolve(installed === '' ? (values.into ?? join(ROOT, '.engines')) : installed),
      },
      ...{ output: resolve(values.output ?? REPORTS), isNew: values.new === true },
      adapters: resolve(values.adapters ?? ADAPTERS),
    }
  } catch (error) {
    throw new EngineInputError(`${error instanceof Error ? error.message : String(error)} See pnpm engines --help.`)
  }
}

function listOf(engines: readonly Engine[], { adapters, folder, output, isInstalled: isGiven }: Request): string {
  const rows = rowsOf(
    engines,
    engines.map(({ name }) => name),
    { adapters, installed: folder },
  ).map((row) => {
    const { engine, version } = row
    const isThere = isGiven ? existsSync(row.folder) : isInstalled(row)
    const there = [...(existsSync(reportFile(row, output)) ? ['report'] : []), ...(isThere ? ['row'] : [])]
    return [engine.name, version.version, version.date, engine.needs, engine.weight, engine.size, there.join(', ')]
  })
  return textTable(['engine', 'version', 'of', 'needs', 'weight', 'size', 'there'], rows, LIST_WIDTHS)
}

async function runAll(rows: readonly EngineRow[], request: Request): Promise<number> {
  let code = 0
  for (const row of rows) code = Math.max(code, await runOne(row, request))
  return code
}

/** 0 also where the row is skipped, 1 where a case of `--id` or `--only` fails, 3 where the row could not be installed or asked. */
async function runOne(row: EngineRow, request: Request): Promise<number> {
  const name = `${row.engine.name}@${row.version.version}`
  try {
    const missing = await missingPart(row, request)
    if (missing !== null) return print(`engines: skipped: ${name}: ${missing}`)
    if (request.id !== null || request.only !== null) return await showPairs(row, request)
    const scratch = mkdtempSync(join(tmpdir(), 'callspec-engines-'))
    try {
      const day = new Date().toISOString().slice(0, 10)
      const before = request.isNew ? knownReport(row, request.output) : null
      const asked = await askEngine(row, { scratch, day, print, before, lists: await caseLists() })
      writeReport(request.output, row, asked)
      return print(reportTable(asked.report))
    } finally {
      rmSync(scratch, { recursive: true, force: true })
    }
  } catch (error) {
    if (!(error instanceof InstallError || error instanceof AskError)) throw error
    process.stderr.write(`engines: ${error.message}\n`)
    return 3
  }
}

/** Makes sure that a row is there. Why it is not; null where it is. */
async function missingPart(row: EngineRow, request: Request): Promise<string | null> {
  const { engine, version, folder } = row
  if (!hasToolchain(engine)) return `${engine.needs} is not installed`
  if (request.isInstalled) return existsSync(folder) ? null : `there is no ${folder}`
  if (isInstalled(row)) return null
  print(`engines: installing ${engine.title} ${version.version} (about ${engine.size}) into ${folder}`)
  await installEngine(row)
  print(`engines: installed ${shownSize(sizeOf(folder))}, ${readdirSync(folder).length} entries`)
  return null
}

/** Runs the pairs that `--only` and `--id` leave, and prints what callspec prints. */
async function showPairs(row: EngineRow, { only, id }: Request): Promise<number> {
  const of = id?.split('/')[0]
  const isCut = id !== null && / ~[a-z]+(?:-\d)?$/.test(id)
  const pairs = pairsOf(row).filter(
    ({ parser, format }) =>
      (only === null || only === `${parser}/${format}`) && (of === undefined || of === versionOf({ format }).id),
  )
  if (pairs.length === 0)
    throw new EngineInputError(`${row.engine.name}: no pair is ${only ?? `of the format of ${id}`}`)
  let code = 0
  for (const pair of pairs) {
    const wanted = pair.operations.filter((op) => id === null || (isCut ? op === 'cut' : op === id.split('/')[1]))
    for (const op of wanted) {
      const words = [
        ...wordsOf(row, pair, op),
        ...(id === null ? [] : ['--id', isCut ? id.replace(/ ~[^~]*$/, '') : id]),
      ]
      const ended = await callspec(words, row.folder, pythonPath(row))
      print(`${pair.parser} with ${pair.format}, ${op}\n${ended.stdout}${ended.stderr}`)
      code = Math.max(code, ended.code ?? 3)
    }
  }
  return code
}

/** A table of at most 80 columns. */
function reportTable({ title, version, date, counts, casesVersion }: EngineReport): string {
  const rows = counts.flatMap(({ parser, format, op, verdicts }) => {
    const { passed = 0, skipped = 0, synthetic = 0, ...others } = verdicts
    const asked = passed + Object.values(others).reduce((sum, count) => sum + count, 0)
    const rest = Object.entries({ ...others, skipped, synthetic }).filter(([, count]) => count > 0)
    const [first = '', ...more] = wrapped(rest.map(([name, count]) => `${name} ${count}`))
    return [[parser, format, op, `${passed}/${asked}`, first], ...more.map((line) => ['', '', '', '', line])]
  })
  const table = textTable(['parser', 'format', 'op', 'passed', 'else'], rows, REPORT_WIDTHS)
  return `${title} ${version} of ${date}, cases ${casesVersion}\n${table}`
}

/** Lines that fit into the last column. */
function wrapped(items: readonly string[]): readonly string[] {
  return items.reduce<readonly string[]>((lines, item) => {
    const last = lines.at(-1)
    const joined = last === undefined ? item : `${last}, ${item}`
    return joined.length > (REPORT_WIDTHS.at(-1) ?? 0) ? [...lines, item] : [...lines.slice(0, -1), joined]
  }, [])
}
