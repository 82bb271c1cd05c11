// The task suites are under fixtures/ of the repository; the published package contains a copy.
import { copyFileSync, mkdirSync } from 'node:fs'

const fixtures = new URL('../../../fixtures/', import.meta.url)
const folder = new URL('../data/', import.meta.url)

mkdirSync(folder, { recursive: true })
for (const name of ['tasks.json', 'injection.json']) copyFileSync(new URL(name, fixtures), new URL(name, folder))
