// Copies the repository's cases into this package, where `callspec conformance run` finds them when it is installed.
import { cp, mkdir, readdir, rename, rm } from 'node:fs/promises'
import { resolve } from 'node:path'

const repository = resolve(import.meta.dirname, '../../..')
const data = resolve(import.meta.dirname, '../data')
// Made next to it and moved into place: a build must not leave half of the cases, and another build may run at this moment.
const fresh = `${data}.${process.pid}.tmp`

await mkdir(fresh, { recursive: true })
const entries = await readdir(resolve(repository, 'fixtures'), { withFileTypes: true })
// Folders of cases; transcripts are prompts that documents printed, laws are texts for the laws of packages/fuzz.
const others = new Set(['transcripts', 'laws'])
const folders = entries.filter((entry) => entry.isDirectory() && !others.has(entry.name)).map(({ name }) => name)
for (const part of ['fixtures', 'golden']) {
  for (const name of folders) {
    await cp(resolve(repository, part, name), resolve(fresh, part, name), { recursive: true })
  }
}
for (const name of ['inputs.json', 'damage.json']) {
  await cp(resolve(repository, 'fixtures/transcripts', name), resolve(fresh, 'transcripts', name))
}
// What engines answered once has no inputs of its own in fixtures/.
await cp(resolve(repository, 'golden/recorded'), resolve(fresh, 'golden/recorded'), { recursive: true })
await rm(data, { recursive: true, force: true })
await rename(fresh, data)
