// Makes `data/` of the reports of engines and the cases of this repository. Equal inputs make equal files.
import { copyFile, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import {
  askedFormat,
  builtInCases,
  caseLine,
  caseLists,
  caseSetVersion,
  currentId,
  findCaseFiles,
  readAsked,
  readCases,
} from '@callspec/conformance'
import { createLists, createTexts, engineData, engineLines, knownLists } from './engine-data.mjs'

const repository = resolve(import.meta.dirname, '../../..')
const reports = resolve(repository, 'reports/engines')
const data = resolve(import.meta.dirname, '../data')
// Made next to it and moved into place: a build must not leave half of the data, and another build may run at this moment.
const fresh = `${data}.${process.pid}.tmp`

for (const folder of ['engines', 'answers', 'cases', 'known']) {
  await mkdir(resolve(fresh, folder), { recursive: true })
}
const { packageManager } = JSON.parse(await readFile(resolve(repository, 'package.json'), 'utf8'))
const flags = JSON.parse(await readFile(resolve(import.meta.dirname, '../flags.json'), 'utf8'))
const contested = new Map(
  Object.entries(JSON.parse(await readFile(resolve(import.meta.dirname, '../contested.json'), 'utf8'))),
)
const cases = []
for await (const item of readCases(await findCaseFiles([await builtInCases()]), () => undefined)) {
  if (askedFormat(item) !== null && ['parse', 'stream', 'render'].includes(item.op)) cases.push(item)
}
await writeCases()
const [lists, today] = [createLists(), await caseLists()]
const engines = await writeEngines(await readReports())
await write('asked.json', lists.all())
await write('sources.json', sourcesOf(cases))
await write('contested.json', Object.fromEntries(contested))
// Findings in the grammars that engines force; a test of packages/grammar makes them.
await copyFile(resolve(repository, 'reports/grammars/findings.jsonl'), resolve(fresh, 'grammars.jsonl'))
await write('index.json', { compatData: 1, casesVersion: caseSetVersion(), engines })
await rm(data, { recursive: true, force: true })
await rename(fresh, data)

async function writeCases() {
  for (const format of new Set(cases.map(askedFormat))) {
    const lines = cases.filter((item) => askedFormat(item) === format).map(caseLine)
    await writeFile(resolve(fresh, `cases/${format}.jsonl`), `${lines.join('\n')}\n`)
  }
}

/** The reports, those of one engine together, newest first. */
async function readReports() {
  const byEngine = new Map()
  for (const name of (await readdir(reports)).filter((each) => each.endsWith('.json')).toSorted()) {
    const report = JSON.parse(await readFile(resolve(reports, name), 'utf8'))
    if (report.engineReport !== 1)
      throw new Error(`reports/engines/${name} is of a form that this script does not know`)
    byEngine.set(report.engine, [...(byEngine.get(report.engine) ?? []), report])
  }
  return [...byEngine].map(([engine, own]) => [engine, own.toSorted(newestFirst)])
}

/** The lists of cases that the counts of a report name. */
async function listsOf(report) {
  const read = await Promise.all(
    report.counts.map(async ({ format, op, asked }) => {
      return [asked, readAsked(await readFile(resolve(reports, `asked/${format}.${op}.${asked}.txt`), 'utf8'))]
    }),
  )
  const byKey = new Map(read)
  return ({ asked }) => byKey.get(asked)
}

async function writeEngines(byEngine) {
  const index = []
  for (const [name, own] of byEngine) {
    const texts = createTexts()
    const versions = []
    for (const report of own) {
      const context = { today, listOf: await listsOf(report), lists, texts, contested, currentId, packageManager }
      const row = await engineData(report, context)
      const file = `${name}@${report.version}`
      await write(`engines/${file}.json`, row)
      await writeFile(resolve(fresh, `engines/${file}.jsonl`), engineLines(row, lists))
      for (const [path, text] of knownLists(row)) {
        await mkdir(resolve(fresh, 'known', file), { recursive: true })
        await writeFile(resolve(fresh, 'known', file, path), text)
      }
      const { version, date, commit, ran, casesVersion } = row
      versions.push({ version, date, commit, ran, casesVersion, file: `engines/${file}.json` })
    }
    await write(`answers/${name}.json`, texts.all())
    const { title, what } = own[0]
    index.push({ name, title, what, flags: flags[name] ?? [], answers: `answers/${name}.json`, versions })
  }
  return index
}

async function write(path, value) {
  await writeFile(resolve(fresh, path), `${JSON.stringify(value)}\n`)
}

/** What answers of cases were taken from, each with its licence and the number of cases by format. */
function sourcesOf(all) {
  const sources = new Map()
  for (const item of all) {
    const { provenance } = item
    const format = askedFormat(item)
    if (provenance === undefined) continue
    const key = JSON.stringify(provenance)
    const entry = sources.get(key) ?? { ...provenance, cases: {} }
    entry.cases[format] = (entry.cases[format] ?? 0) + 1
    sources.set(key, entry)
  }
  return [...sources.values()]
}

/** By day; releases of one day by their numbers. */
function newestFirst(one, other) {
  if (one.date !== other.date) return one.date < other.date ? 1 : -1
  return other.version.localeCompare(one.version, 'en', { numeric: true })
}
