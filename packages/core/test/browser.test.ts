import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { rolldown } from 'rolldown'
import { expect, it } from 'vitest'
import { FORMATS } from '../src/index.ts'
import type { Format } from '../src/index.ts'

/** What a page loads for one format, by the entry of its own. */

const ROOT = new URL('../', import.meta.url)
const { exports } = JSON.parse(readFileSync(new URL('package.json', ROOT), 'utf8')) as {
  exports: Readonly<Record<string, { readonly '@callspec/source': string }>>
}
const ENTRIES = Object.entries(exports).flatMap(([name, target]) =>
  name.startsWith('./formats/') ? [[name, fileURLToPath(new URL(target['@callspec/source'], ROOT))] as const] : [],
)

async function bundled(input: string): Promise<string> {
  const bundle = await rolldown({
    input,
    platform: 'browser',
    resolve: { conditionNames: ['@callspec/source', 'import', 'default'] },
    onLog: (_, log) => {
      throw new Error(log.message)
    },
  })
  const { output } = await bundle.generate({ format: 'esm', minify: true })
  await bundle.close()
  expect(output).toHaveLength(1)
  return output[0].code
}

it('every format has an entry', async () => {
  const modules = await Promise.all(
    ENTRIES.map(async ([, path]) => (await import(path)) as Readonly<Record<string, Format>>),
  )
  const ids = modules.flatMap((module) => Object.values(module).flatMap((value) => ('id' in value ? [value.id] : [])))

  expect(ids.toSorted()).toEqual(FORMATS.map(({ id }) => id).toSorted())
})

it.each(ENTRIES)('%s costs at most 34 kB of gzip, and needs nothing that a page has not', async (_, path) => {
  const code = await bundled(path)

  expect(gzipSync(code).length).toBeLessThanOrEqual(34 * 1024)
  expect(code).not.toMatch(/["'`]node:|\brequire\(|\bprocess\.(?:env|argv)/)
})
