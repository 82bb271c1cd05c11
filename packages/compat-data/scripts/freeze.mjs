// Before a release: writes the hash of every report into published.json, so that a test notices when a published one is changed.
import { createHash } from 'node:crypto'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'

const folder = resolve(import.meta.dirname, '../../../reports/engines')
const file = resolve(import.meta.dirname, '../published.json')
const published = JSON.parse(await readFile(file, 'utf8'))
for (const name of (await readdir(folder)).filter((each) => each.endsWith('.json')).toSorted()) {
  published[name] ??= createHash('sha256')
    .update(await readFile(resolve(folder, name)))
    .digest('hex')
}
await writeFile(file, `${JSON.stringify(published, null, 2)}\n`)
