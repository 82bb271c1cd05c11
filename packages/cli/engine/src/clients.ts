import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import type { Client, ClientList, ClientReport } from './client-report.ts'
import { askClient, ClientError } from './client-report.ts'
import { clientPages } from './clients-page.ts'
import { ADAPTERS } from './engine-file.ts'
import type { InstallRow } from './install-engine.ts'
import { hasToolchain, InstallError, installEngine, isInstalled } from './install-engine.ts'
import { textTable } from './program.ts'

const ROOT = resolve(import.meta.dirname, '../../../..')
const FOLDER = join(ADAPTERS, 'clients')
const REPORTS = join(ROOT, 'reports/clients')

const HELP = `Usage
  pnpm clients [NAME ...] [options]

Install clients, let them read the streams of callspec conformance run --client,
and write reports/clients and the tables of docs/clients.md.
Without a name: all clients of adapters/clients/clients.json.

Options
  --list               Print the clients, their versions and packages.
  --installed FOLDER   Use the packages of this folder; install nothing.
                       Default: CALLSPEC_CLIENTS.
  --into FOLDER        Install packages there. Default: .engines.
  --output DIR         Default: reports/clients.
  -h, --help           Print this page.
`

/** What the words ask for. */
interface Request {
  readonly names: readonly string[]
  readonly isList: boolean
  readonly isInstalled: boolean
  readonly folder: string
  readonly output: string
}

/** A wrong option or name. */
class WordError extends Error {}

process.exitCode = await main(process.argv.slice(2))

async function main(words: readonly string[]): Promise<number> {
  try {
    if (words.some((word) => word === '-h' || word === '--help')) return print(HELP.trimEnd())
    const request = readWords(words)
    const list = JSON.parse(readFileSync(join(FOLDER, 'clients.json'), 'utf8')) as ClientList
    if (request.isList) return print(listText(list))
    const unknown = request.names.find((name) => list.clients.every((client) => client.name !== name))
    if (unknown !== undefined)
      throw new WordError(`"${unknown}" is not a client. Clients: ${list.clients.map(({ name }) => name).join(', ')}.`)
    const clients = list.clients.filter(({ name }) => request.names.length === 0 || request.names.includes(name))
    let code = 0
    for (const client of clients) code = Math.max(code, await runOne(client, list, request))
    if (request.output === REPORTS)
      for (const [path, text] of clientPages(ROOT, list)) writeFileSync(join(ROOT, path), text)
    return code
  } catch (error) {
    process.stderr.write(`clients: ${error instanceof Error ? error.message : String(error)}\n`)
    return error instanceof WordError ? 2 : 3
  }
}

function print(text: string): 0 {
  process.stdout.write(`${text}\n`)
  return 0
}

function readWords(words: readonly string[]): Request {
  const [text, flag] = [{ type: 'string' } as const, { type: 'boolean' } as const]
  try {
    const options = { list: flag, installed: text, into: text, output: text }
    const { values, positionals } = parseArgs({ args: [...words], options, allowPositionals: true })
    const installed = values.installed ?? process.env['CALLSPEC_CLIENTS'] ?? ''
    const folder = installed === '' ? (values.into ?? join(ROOT, '.engines')) : installed
    return {
      ...{ names: positionals, isList: values.list === true, isInstalled: installed !== '' },
      ...{ folder: resolve(folder), output: resolve(values.output ?? REPORTS) },
    }
  } catch (error) {
    throw new WordError(`${error instanceof Error ? error.message : String(error)} See pnpm clients --help.`)
  }
}

function listText({ clients, rows }: ClientList): string {
  const lines = clients.map(({ name, version, date, row }) => [
    name,
    version,
    date ?? '',
    (rows[row]?.packages ?? []).join(' '),
  ])
  return textTable(['client', 'version', 'of', 'packages'], lines, [24, 8, 10, 32])
}

/** 0 also where the client is skipped; 3 where it could not be installed or asked. */
async function runOne(client: Client, list: ClientList, request: Request): Promise<number> {
  const name = `${client.name}@${client.version}`
  const row = rowOf(client, list, request)
  try {
    if (!hasToolchain(row.engine)) return print(`clients: skipped: ${name}: ${row.engine.needs} is not installed`)
    if (request.isInstalled && !existsSync(row.folder))
      return print(`clients: skipped: ${name}: there is no ${row.folder}`)
    if (!request.isInstalled && !isInstalled(row)) {
      print(`clients: installing ${list.rows[client.row]?.packages.join(' ') ?? ''} into ${row.folder}`)
      await installEngine(row)
    }
    const command = client.command.replaceAll('{adapter}', FOLDER).replaceAll('{row}', row.folder)
    const packages = list.rows[client.row]?.packages ?? []
    const report = await askClient(client, { command, packages, day: new Date().toISOString().slice(0, 10) })
    writeClientReport(report, request.output)
    return print(`${name}: ${totalText(report)}`)
  } catch (error) {
    if (!(error instanceof InstallError || error instanceof ClientError)) throw error
    process.stderr.write(`clients: ${error.message}\n`)
    return 3
  }
}

/** In the place of the report of another version. */
function writeClientReport(report: ClientReport, folder: string): void {
  mkdirSync(folder, { recursive: true })
  for (const old of readdirSync(folder)) if (old.startsWith(`${report.client}@`)) rmSync(join(folder, old))
  writeFileSync(join(folder, `${report.client}@${report.version}.json`), `${JSON.stringify(report, null, 1)}\n`)
}

function rowOf({ row }: Client, { rows }: ClientList, { folder }: Request): InstallRow {
  const { needs = 'node', packages = [] } = rows[row] ?? {}
  const npm = ['npm', 'install', '--prefix', '.', '--ignore-scripts', '--no-audit', '--no-fund', ...packages]
  const install = needs === 'node' ? [npm] : [['pip', 'install', ...packages]]
  return {
    engine: { name: row, needs, install },
    version: { version: '' },
    adapter: FOLDER,
    folder: join(folder, `client-${row}`),
  }
}

function totalText({ counts, faults }: ClientReport): string {
  const sums = new Map<string, number>()
  for (const kinds of Object.values(counts))
    for (const kind of Object.values(kinds))
      for (const [name, count] of Object.entries(kind)) sums.set(name, (sums.get(name) ?? 0) + count)
  return `${[...sums].map(([name, count]) => `${name} ${count}`).join(', ')}; ${faults.length} faults`
}
