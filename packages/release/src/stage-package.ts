import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { basename, join, relative } from 'node:path'
import { bundlePackage } from './bundle.ts'
import { entriesOf } from './entries.ts'
import type { Manifest } from './manifest.ts'
import { publishedManifest, readOwner } from './manifest.ts'
import { copyParts, findParts, outsideOf, selfContained } from './standalone.ts'

/** Where everything that is published of a package is put together; `publishConfig.directory` names it. */
export const PUBLISHED = 'publish'

/** What the bundle replaces, and what is copied from elsewhere. */
const LEFT_OUT = new Set(['src', 'dist', 'LICENSE', 'NOTICE'])

/** What a folder of data or programs has for those who change it: sources, what a compiler says of them, modules of others. */
const OF_A_DEVELOPER = /^(?:node_modules|src|tsconfig\.json)$|\.(?:ts|map|tsbuildinfo)$/

/** What a compiler leaves in `dist`; the rest is data that a build made. */
const COMPILED = /\.(?:js|d\.ts|map|tsbuildinfo)$/

/**
 * Puts together what is published of a package that has been built, and says where that is.
 *
 * @param folder the package
 * @param root the workspace
 * @param published where to put it. Default: its folder `publish`
 */
export async function stagePackage(
  folder: string,
  root: string,
  published: string = join(folder, PUBLISHED),
): Promise<string> {
  const source = manifestIn(folder)
  rmSync(published, { recursive: true, force: true })
  mkdirSync(published)
  const outside = outsideOf(source.name)
  const place = { name: source.name, cwd: folder, folder: join(published, 'dist') }
  if (outside === null) await bundlePackage(entriesOf(folder, source), place)
  else {
    const stays = new Set([...outside, ...Object.keys(source.peerDependencies ?? {})])
    const isOutside = (id: string): boolean => isBuiltin(id) || stays.has(id)
    // None of the exported types is one of others.
    const areTypesOutside = (id: string): boolean => !/^(?:[./]|@callspec\/)/.test(id)
    const bundle = { ...place, isOutside, areTypesOutside, plugins: [findParts(root)] }
    const modules = await bundlePackage(entriesOf(folder, source), bundle)
    copyParts(modules, { root, published })
  }
  const named = (source.files ?? []).filter((name) => !LEFT_OUT.has(name) && !name.startsWith('!'))
  for (const name of [...named, ...dataIn(folder)]) copy(join(folder, name), join(published, name))
  for (const name of ['README.md', 'NOTICE']) copy(join(folder, name), join(published, name))
  copy(join(root, 'LICENSE'), join(published, 'LICENSE'))
  const manifest = publishedManifest(outside === null ? source : selfContained(source, outside), {
    versions: versionsIn(root),
    owner: readOwner(),
    folder: relative(root, folder).replaceAll('\\', '/'),
  })
  writeFileSync(join(published, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  return published
}

/** The folders of the packages of the workspace that are published, in the order of their names. */
export function publicPackages(root: string): readonly string[] {
  return packagesIn(root).filter((folder) => manifestIn(folder).private !== true)
}

export function manifestIn(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest
}

function packagesIn(root: string): readonly string[] {
  const folders = readdirSync(join(root, 'packages')).map((name) => join(root, 'packages', name))
  return folders.filter((folder) => existsSync(join(folder, 'package.json'))).toSorted()
}

function versionsIn(root: string): ReadonlyMap<string, string> {
  return new Map(
    packagesIn(root)
      .map(manifestIn)
      .map(({ name, version }) => [name, version]),
  )
}

function dataIn(folder: string): readonly string[] {
  const names = readdirSync(join(folder, 'dist'), { recursive: true, withFileTypes: true })
  return names
    .filter((entry) => entry.isFile() && !COMPILED.test(entry.name))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
}

function copy(from: string, to: string): void {
  cpSync(from, to, { recursive: true, filter: (path) => !OF_A_DEVELOPER.test(basename(path)) })
}
