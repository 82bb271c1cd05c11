import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
import type { Plugin } from 'rolldown'
import type { Manifest } from './manifest.ts'

/**
 * Packages that are published with all they need in one file tree: `npx` installs them at once, and from one tarball. Only the named
 * dependencies stay packages: they load modules of the user.
 */
const SELF_CONTAINED: ReadonlyMap<string, readonly string[]> = new Map([['callspec', ['jiti']]])

/** The dependencies that stay packages of their own; null for a package whose dependencies all do. */
export function outsideOf(name: string): readonly string[] | null {
  return SELF_CONTAINED.get(name) ?? null
}

/** The manifest of a self-contained package: what is in its bundle is no dependency. */
export function selfContained(source: Manifest, outside: readonly string[]): Manifest {
  const { dependencies = {}, files = [] } = source
  return {
    ...source,
    dependencies: Object.fromEntries(Object.entries(dependencies).filter(([name]) => outside.includes(name))),
    files: [...files, PARTS, LICENCES],
  }
}

/** Where the files of another package of the workspace lie in a self-contained one: `parts/eval`. */
const PARTS = 'parts'

/** The licences of the packages of others in the bundle. */
const LICENCES = 'THIRD-PARTY.md'

/** What a part has for others than the program: adapters and vendored tests for users of the package, rows a second time for other languages. */
const NOT_READ =
  /^(?:conformance\/adapters|compat-data\/(?:vendor|schemas|data\/known|data\/engines\/.*\.jsonl))(?:\/|$)/

/** Files that are compressed one by one; their package reads either. */
const COMPRESSED = /^(?:compat-data\/data\/.*\.jsonl?|grammar\/data\/shipped\/.*\.jsonl)$/

/** A folder of thousands of small files becomes one file, which takes less time to install than they; its package reads either. */
const PACKED: ReadonlySet<string> = new Set(['conformance/data'])

/** The module of a part finds its files from its own place: `new URL('../data/x', import.meta.url)`, `.resolve('@callspec/x/package.json')`. */
const OWN_PLACE = /((?:new URL|\.resolve)\()'(?:@callspec\/[\w-]+\/|\.\.\/)(?=[^']*')/g

/** Lets modules of other packages find their files below `parts`. All modules of the bundle lie directly in `dist`. */
export function findParts(root: string): Plugin {
  return {
    name: 'parts',
    transform(code, id) {
      const [, name = '', file = ''] =
        /^packages\/([\w-]+)\/dist\/(.*)$/.exec(relative(root, id).replaceAll('\\', '/')) ?? []
      if (file === '' || name === 'cli') return null
      const moved = code.replaceAll(OWN_PLACE, (_, call: string) => `${call}'../${PARTS}/${name}/`)
      return moved === code ? null : { code: moved }
    },
  }
}

/**
 * Copies the files that parts read, and the licences of the packages whose modules are in the bundle.
 *
 * @param modules the modules of the bundle
 * @param published the folder of the self-contained package
 */
export function copyParts(
  modules: readonly string[],
  { root, published }: { readonly root: string; readonly published: string },
): void {
  const homes = [...new Set(modules.map(packageFolder))].filter((home) => home !== null)
  const ours = homes.filter((home) => dirname(home) === join(root, 'packages') && basename(home) !== 'cli')
  for (const home of ours) copyPart(home, join(published, PARTS, basename(home)))
  const others = homes.filter((home) => home.includes('node_modules')).toSorted()
  writeFileSync(join(published, LICENCES), licencesOf(others))
}

/** The folder of the package that a module is in. */
function packageFolder(module: string): string | null {
  for (let folder = dirname(module); folder !== dirname(folder); folder = dirname(folder)) {
    const manifest = join(folder, 'package.json')
    if (existsSync(manifest) && 'version' in (JSON.parse(readFileSync(manifest, 'utf8')) as object))
      return realpathSync(folder)
  }
  return null
}

function copyPart(home: string, part: string): void {
  const {
    name,
    version,
    files = [],
  } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as {
    readonly name: string
    readonly version: string
    readonly files?: readonly string[]
  }
  mkdirSync(part, { recursive: true })
  writeFileSync(join(part, 'package.json'), `${JSON.stringify({ name, version })}\n`)
  const named = files.filter((file) => !/^(?:src|dist|LICENSE|!.*)$/.test(file))
  for (const file of [...named, ...pagesIn(home)])
    copyFile(join(home, file), { part, place: `${basename(home)}/${file}` })
}

/** Pages that a build left in `dist`. */
function pagesIn(home: string): readonly string[] {
  return readdirSync(join(home, 'dist')).flatMap((name) => (name.endsWith('.html') ? [`dist/${name}`] : []))
}

function copyFile(from: string, { part, place }: { readonly part: string; readonly place: string }): void {
  if (NOT_READ.test(place) || !existsSync(from)) return
  const to = join(part, place.slice(place.indexOf('/') + 1))
  mkdirSync(dirname(to), { recursive: true })
  if (PACKED.has(place)) writeFileSync(`${to}.br`, compressed(JSON.stringify(textsBelow(from))))
  else if (statSync(from).isDirectory())
    for (const name of readdirSync(from)) copyFile(join(from, name), { part, place: `${place}/${name}` })
  else if (COMPRESSED.test(place)) writeFileSync(`${to}.br`, compressed(readFileSync(from)))
  else cpSync(from, to)
}

/** The texts of all files below a folder, by their path, in the order in which a reader of folders meets them. */
function textsBelow(folder: string): Readonly<Record<string, string>> {
  const entries = readdirSync(folder, { withFileTypes: true }).toSorted((one, other) =>
    one.name < other.name ? -1 : 1,
  )
  const texts = entries.flatMap((entry): readonly (readonly [string, string])[] => {
    const path = join(folder, entry.name)
    if (!entry.isDirectory()) return [[entry.name, readFileSync(path, 'utf8')]]
    return Object.entries(textsBelow(path)).map(([place, text]) => [`${entry.name}/${place}`, text])
  })
  return Object.fromEntries(texts)
}

function compressed(contents: string | Uint8Array): Uint8Array {
  const size = Buffer.byteLength(contents)
  const { BROTLI_PARAM_LGWIN: window, BROTLI_PARAM_SIZE_HINT: hint, BROTLI_PARAM_QUALITY: quality } = constants
  return brotliCompressSync(contents, {
    params: { [window]: constants.BROTLI_MAX_WINDOW_BITS, [hint]: size, [quality]: 9 },
  })
}

function licencesOf(homes: readonly string[]): string {
  const parts = homes.map((home) => {
    const {
      name,
      version,
      license = 'no licence named',
      homepage = '',
    } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as Readonly<Record<string, string>>
    const file = readdirSync(home).find((each) => /^licen[cs]e(?:$|[.-])/i.test(each))
    const text =
      file === undefined
        ? `The package has no text of it. ${homepage}`
        : fenced(readFileSync(join(home, file), 'utf8').trim())
    return `## ${name} ${version} (${license})\n\n${text}`
  })
  return `${['# Packages of others in this one', ...parts].join('\n\n')}\n`
}

function fenced(text: string): string {
  return `\`\`\`\n${text}\n\`\`\``
}
