import { rolldown } from 'rolldown'
import { fileURLToPath } from 'node:url'
import type { FORMATS } from '../src/formats/index.ts'

/** The formats as users run them. */
export async function builtFormats(): Promise<typeof FORMATS> {
  const built = (await asBuilt('core', 'formats/index.js')) as { readonly FORMATS: typeof FORMATS }
  return built.FORMATS
}

/**
 * An entry of a package as users run it: what was built, in one file that Node loads by itself. The test runner reads every name that
 * a source imports through an object, which costs as much as what is measured.
 */
export async function asBuilt(packageName: string, entry: string): Promise<unknown> {
  const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
  const bundle = await rolldown({
    input: at(`../../${packageName}/dist/${entry}`),
    platform: 'node',
    resolve: { conditionNames: ['import', 'node', 'default'] },
  })
  // Under `node_modules`, so that the runner leaves it to Node.
  const file = at(`../node_modules/.cache/${packageName}/${entry.replaceAll('/', '-')}`)
  await bundle.write({ file, format: 'esm' })
  return (await import(file)) as unknown
}
