import { isAbsolute } from 'node:path'
import { rolldown } from 'rolldown'
import { dts } from 'rolldown-plugin-dts'
import type { Entry } from './entries.ts'
import { filesTogether } from './together.ts'

/**
 * Writes the modules of a package and their types into one folder: one file for each entry, and what entries share in files of
 * their own, so that no module is there twice. What other packages bring stays outside.
 *
 * @param name the package's
 * @param cwd its folder; comments name modules by their place in it
 * @param folder where to write
 */
export async function bundlePackage(
  entries: readonly Entry[],
  { name, cwd, folder }: { readonly name: string; readonly cwd: string; readonly folder: string },
): Promise<void> {
  const modules = Object.fromEntries(entries.map((entry) => [entry.name, entry.path]))
  const code = await rolldown({ cwd, input: modules, external: isOutside, platform: 'node' })
  await code.write({
    dir: folder,
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
    codeSplitting: { groups: filesTogether(name) },
  })
  await code.close()

  const exported = entries.filter(({ isExported }) => isExported)
  const types = await rolldown({
    cwd,
    input: Object.fromEntries(exported.map((entry) => [entry.name, entry.path.replace(/\.js$/, '.d.ts')])),
    external: isOutside,
    // The compiler has made them; they are only put together.
    plugins: [dts({ dtsInput: true, sourcemap: false })],
  })
  await types.write({ dir: folder, entryFileNames: '[name].d.ts', chunkFileNames: '[name]-[hash].d.ts' })
  await types.close()
}

function isOutside(id: string): boolean {
  return !id.startsWith('.') && !isAbsolute(id)
}
