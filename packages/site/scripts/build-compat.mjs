// Writes the compatibility site: node build-compat.mjs [FOLDER] [--base URL]. Default folder: dist/compat next to the pages of docs/.
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { openCompatData } from '@callspec/compat-data'
import { askedFormat, builtInCases, currentId, findCaseFiles, readCases } from '@callspec/conformance'
import { compatSite } from '@callspec/report'

const ROOT = resolve(import.meta.dirname, '../../..')
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { base: { type: 'string' }, data: { type: 'string' } },
})
const folder = resolve(positionals[0] ?? join(import.meta.dirname, '../dist/compat'))

const cases = []
for await (const item of readCases(await findCaseFiles([await builtInCases()]), () => undefined)) {
  if (askedFormat(item) !== null && ['parse', 'stream', 'render'].includes(item.op)) cases.push(item)
}
const { repository } = JSON.parse(await readFile(join(ROOT, 'packages/release/owner.json'), 'utf8'))
const site = compatSite({
  data: openCompatData(values.data),
  cases,
  redirects: await redirects(),
  reports: await reports(),
  repository: repository.replace(/^git\+/, '').replace(/\.git$/, ''),
  base: values.base === undefined ? '' : values.base.replace(/\/?$/, '/'),
})
await rm(folder, { recursive: true, force: true })
let [files, bytes] = [0, 0]
const folders = new Set()
for (const { path, text } of site) {
  const target = join(folder, path)
  if (!folders.has(dirname(target))) await mkdir(dirname(target), { recursive: true })
  folders.add(dirname(target))
  await writeFile(target, text)
  files += 1
  bytes += Buffer.byteLength(text)
}
console.log(`${files} files, ${(bytes / 1e6).toFixed(1)} MB, ${process.cpuUsage().user / 1e6} s of CPU: ${folder}`)

async function redirects() {
  const path = join(ROOT, 'packages/conformance/case-set/redirects.json')
  const old = Object.keys(JSON.parse(await readFile(path, 'utf8')))
  return new Map(old.map((id) => [id, currentId(id)]))
}

/** Reports for the makers of engines; they are optional. */
async function reports() {
  const found = join(ROOT, 'reports/findings')
  const names = await readdir(found).catch(() => [])
  const pages = names.filter((name) => name.endsWith('.md'))
  return new Map(
    await Promise.all(
      pages.map(async (name) => [name.replace(/\.md$/, ''), await readFile(join(found, name), 'utf8')]),
    ),
  )
}
