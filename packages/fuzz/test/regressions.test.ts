import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

import { formatNamed } from '@callspec/core'
import { formats } from '@callspec/core/qwen-agent'
import { expect, it } from 'vitest'

import { checkRegression, EXCEPTIONS, formatParser, formatSubject, readRegression } from '../src/index.ts'
import { REPOSITORY } from './helpers/recorded.ts'

// Violations that a search found in our own parsers. Each is kept, and its law checked for ever.

const FIXTURES = resolve(REPOSITORY, 'fixtures')
const FOLDERS = readdirSync(FIXTURES)
  .map((name) => join(FIXTURES, name, 'regressions'))
  .filter((folder) => existsSync(folder))
const FILES = FOLDERS.flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))

it.each(FILES.map((path) => ({ name: path.slice(FIXTURES.length + 1), path })))('$name is mended', async ({ path }) => {
  const kept = readRegression(JSON.parse(readFileSync(path, 'utf8')), path)
  const known = formatNamed(kept.format)
  if (known === null) throw new Error(`no format is called ${kept.format}`)
  const isReference = Object.hasOwn(formats, kept.format)
  const format = isReference ? formats[kept.format as keyof typeof formats] : formatParser(known)
  const options = kept.profile === null ? {} : { profile: kept.profile }

  expect(
    await checkRegression(kept, formatSubject(format, { options, exceptions: EXCEPTIONS[kept.format] ?? [] })),
  ).toBe(null)
})
