import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'

const PACKAGES = resolve(import.meta.dirname, '../..')

/** Test files of which `pnpm test` runs a part (`share.ts`), by their paths from the root: the long tests run them whole. */
export function partlyRunFiles(): readonly string[] {
  return readdirSync(PACKAGES)
    .flatMap((name) => testsIn(`${name}/test`))
    .filter((path) => /\b(?:fewOf|runsOf|onlyLong)\(/.test(readFileSync(resolve(PACKAGES, path), 'utf8')))
    .map((path) => `packages/${path}`)
}

function testsIn(folder: string): readonly string[] {
  if (!existsSync(resolve(PACKAGES, folder))) return []
  return readdirSync(resolve(PACKAGES, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.test.ts') && !path.endsWith('.long.test.ts'))
    .map((path) => `${folder}/${path.replaceAll('\\', '/')}`)
}
