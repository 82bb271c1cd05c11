import { rolldown } from 'rolldown'
import { fileURLToPath } from 'node:url'
import type { FORMATS } from '../src/formats/index.ts'

/**
 * The formats as users run them: what was built, in one file that Node loads by itself. The test runner reads every name that a
 * source imports through an object, which costs as much as what is measured.
 */
export async function builtFormats(): Promise<typeof FORMATS> {
  const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
  const bundle = await rolldown({
    input: at('../dist/formats/index.js'),
    platform: 'node',
    resolve: { conditionNames: ['import', 'node', 'default'] },
  })
  const file = at('../node_modules/.cache/formats.mjs')
  await bundle.write({ file, format: 'esm' })
  // Under `node_modules`, so that the runner leaves it to Node.
  const built = (await import(file)) as { readonly FORMATS: typeof FORMATS }
  return built.FORMATS
}
