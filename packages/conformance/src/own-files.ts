import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve, sep } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'

/** The folder of the package, from any depth of this module: in `src`, `dist` or a published bundle. */
const PACKAGE_FOLDER: string = dirname(createRequire(import.meta.url).resolve('@callspec/conformance/package.json'))

/** The path of a file that comes with this package, by its place in it: `package.json`. */
export function ownFile(place: string): string {
  return join(PACKAGE_FOLDER, place)
}

/**
 * The names in a folder below `data`.
 *
 * @param place `data/golden/recorded`
 */
export function ownNames(place: string): readonly string[] {
  const folder = ownFile(place)
  const packed = packedBelow(folder)
  return packed === null ? readdirSync(folder) : packed.map((path) => path.slice(folder.length + 1))
}

const DATA = ownFile('data')

/** Two thousand small files take longer to install than all else: the program `callspec` has them as one, texts by path below `data`. */
const PACKED = `${DATA}.br`

let texts: ReadonlyMap<string, string> | null | undefined

/** The text of a file below `data`; null for any other path, and where the files of `data` are not packed. */
export function packedText(path: string): string | null {
  return packedTexts(path)?.get(resolve(path)) ?? null
}

/** The paths of all files below a folder below `data`, in the order of a walk; null as for `packedText`. */
export function packedBelow(folder: string): readonly string[] | null {
  const all = packedTexts(folder)
  if (all === null) return null
  const begin = resolve(folder) + sep
  const below = [...all.keys()].filter((path) => path.startsWith(begin))
  return below.length === 0 ? null : below
}

function packedTexts(path: string): ReadonlyMap<string, string> | null {
  if (!`${resolve(path)}${sep}`.startsWith(DATA + sep)) return null
  texts ??= existsSync(PACKED) ? readPacked() : null
  return texts
}

function readPacked(): ReadonlyMap<string, string> {
  const packed = JSON.parse(brotliDecompressSync(readFileSync(PACKED)).toString()) as Readonly<Record<string, string>>
  return new Map(Object.entries(packed).map(([place, text]) => [join(DATA, place), text]))
}
