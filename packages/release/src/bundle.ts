import { isAbsolute } from 'node:path'
import type { CodeSplittingGroup, Plugin } from 'rolldown'
import { rolldown } from 'rolldown'
import { dts } from 'rolldown-plugin-dts'
import type { Entry } from './entries.ts'

/** What a bundle is made of, and where it is written. */
export interface BundlePlace {
  /** The package's. */
  readonly name: string
  /** Its folder; comments name modules by their place in it. */
  readonly cwd: string
  readonly folder: string
  /** Whether what an import names stays outside. Default: all that other packages bring. */
  readonly isOutside?: (id: string) => boolean
  /** The same for types. */
  readonly areTypesOutside?: (id: string) => boolean
  readonly plugins?: readonly Plugin[]
}

/**
 * Writes the modules of a package and their types into one folder: one file for each entry, and what entries share in files of
 * their own, so that no module is there twice; only the entries of single formats are made apart.
 *
 * @returns the paths of the modules in it
 */
export async function bundlePackage(entries: readonly Entry[], place: BundlePlace): Promise<readonly string[]> {
  const { name, cwd, folder, areTypesOutside: external = isOfOthers } = place
  const [ofFormats, others] = [entries.filter(isOfFormat), entries.filter((entry) => !isOfFormat(entry))]
  const modules = await writeCode(others, { ...place, chunks: '[name]-[hash].js', groups: filesTogether(name) })
  // In a bundle of their own: a page that loads one format does not load the file in which the whole package is.
  if (ofFormats.length > 0)
    await writeCode(ofFormats, { ...place, chunks: 'formats/shared/[name]-[hash].js', groups: [] })

  const exported = entries.filter(({ isExported }) => isExported)
  const types = await rolldown({
    cwd,
    input: Object.fromEntries(exported.map((entry) => [entry.name, entry.path.replace(/\.js$/, '.d.ts')])),
    external,
    // The compiler has made them; they are only put together.
    plugins: [dts({ dtsInput: true, sourcemap: false })],
  })
  await types.write({ dir: folder, entryFileNames: '[name].d.ts', chunkFileNames: '[name]-[hash].d.ts' })
  await types.close()
  return modules
}

function isOfFormat({ name }: Entry): boolean {
  return name.startsWith('formats/')
}

interface Written extends BundlePlace {
  /** The names of the files that entries share. */
  readonly chunks: string
  readonly groups: ReturnType<typeof filesTogether>
}

async function writeCode(entries: readonly Entry[], written: Written): Promise<readonly string[]> {
  const { cwd, folder, chunks, groups, isOutside: external = isOfOthers, plugins = [] } = written
  const input = Object.fromEntries(entries.map((entry) => [entry.name, entry.path]))
  // core loads by its id a format that a group brings anyway.
  const checks = { ineffectiveDynamicImport: false }
  const code = await rolldown({ cwd, input, external, platform: 'node', plugins: [...plugins], checks })
  const { output } = await code.write({
    dir: folder,
    entryFileNames: '[name].js',
    chunkFileNames: chunks,
    codeSplitting: { groups },
    comments: { jsdoc: false },
  })
  await code.close()
  return output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []))
}

function isOfOthers(id: string): boolean {
  return !id.startsWith('.') && !isAbsolute(id)
}

/**
 * Modules of a package that share one file each with all that they import and that is not in an earlier one. In a short run, opening a
 * file costs more than reading unneeded lines. Smaller ones come first, so that a run that needs only them loads nothing else: of the
 * program the start of every command, the smallest command that reads a reply, whose modules most others need too, and the list of all formats.
 */
const FIRST_NEEDED: ReadonlyMap<string, readonly string[]> = new Map([
  ['callspec', ['main', 'commands/parse', 'formats/index']],
  ['@callspec/core', ['index']],
  ['@callspec/eval', ['text/text', 'replies', 'index']],
])

/** Modules of a package that share a file, in addition to those that the bundler finds. */
export function filesTogether(packageName: string): CodeSplittingGroup[] {
  const modules = FIRST_NEEDED.get(packageName) ?? []
  return modules.map((module, at) => ({
    name: `with-${module.replace(/.*\//, '')}`,
    test: new RegExp(`[\\\\/]dist[\\\\/]${module.replace('/', '[\\\\/]')}\\.js$`),
    priority: modules.length - at,
  }))
}
