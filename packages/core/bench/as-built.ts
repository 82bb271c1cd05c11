import { rolldown } from 'rolldown'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FORMATS } from '../src/formats/index.ts'

type Formats = typeof FORMATS

/** The formats as users run them. */
export async function builtFormats(): Promise<Formats> {
  const built = (await asBuilt('core', 'formats/index.js')) as { readonly FORMATS: Formats }
  return built.FORMATS
}

/** The formats of CALLSPEC_BENCH_BASE, `packages/core` of another checkout that was built; null without it. */
export async function baseFormats(): Promise<Formats | null> {
  const root = process.env['CALLSPEC_BENCH_BASE'] ?? null
  if (root === null) return null
  const built = await bundled(join(root, 'dist/formats/index.js'), 'base/formats.js')
  return (built as { readonly FORMATS: Formats }).FORMATS
}

/**
 * An entry of a package as users run it: what was built, in one file that Node loads by itself. The test runner reads every name that
 * a source imports through an object, which costs as much as what is measured.
 */
export async function asBuilt(packageName: string, entry: string): Promise<unknown> {
  return bundled(at(`../../${packageName}/dist/${entry}`), `${packageName}/${entry.replaceAll('/', '-')}`)
}

async function bundled(input: string, name: string): Promise<unknown> {
  const bundle = await rolldown({
    input,
    platform: 'node',
    resolve: { conditionNames: ['import', 'node', 'default'] },
  })
  // Under `node_modules`, so that the runner leaves it to Node.
  const file = at(`../node_modules/.cache/${name}`)
  await bundle.write({ file, format: 'esm' })
  return (await import(file)) as unknown
}

function at(path: string): string {
  return fileURLToPath(new URL(path, import.meta.url))
}
