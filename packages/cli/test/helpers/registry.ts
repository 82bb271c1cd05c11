import { spawn } from 'node:child_process'
import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename, dirname, join } from 'node:path'

/** The part of a package.json that a registry needs. */
interface Manifest {
  readonly name: string
  readonly version: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

export interface Registry {
  readonly url: string
  close(): void
}

/**
 * Starts a package registry on 127.0.0.1 that hands out what the given packages need from others, taken from this
 * workspace's node_modules. So npm installs our tarballs as it would from the real registry, without a network.
 */
export async function startRegistry(packages: readonly string[]): Promise<Registry> {
  const folders = new Set<string>()
  for (const folder of packages) collect(folder, folders)
  const manifests = [...folders].map((folder) => ({ folder, manifest: manifestOf(folder) }))
  let url = ''
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '').slice(1)
    const archived = manifests.find(({ manifest }) => path === archiveName(manifest))
    const versions = manifests.filter(({ manifest: { name } }) => name === path).map(({ manifest }) => manifest)
    if (archived !== undefined) spawn('tar', archiveOf(archived.folder)).stdout.pipe(response)
    else if (versions.length > 0) response.end(JSON.stringify(description(path, versions, url)))
    // npm asks for optional peers too, and for our own packages, which it has as tarballs.
    else response.writeHead(404).end()
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, close: () => server.close() }
}

/** Adds the folders of everything that the package in `folder` depends on, except our own packages: each version its own. */
function collect(folder: string, folders: Set<string>): void {
  const { dependencies, optionalDependencies } = manifestOf(folder)
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
    const found = name.startsWith('@callspec/') ? null : find(name, folder)
    if (found === null || folders.has(found)) continue
    folders.add(found)
    collect(found, folders)
  }
}

/** Where Node would find a package from `folder`; null when it is not installed, as optional ones may be. */
function find(name: string, folder: string): string | null {
  const candidate = join(folder, 'node_modules', name)
  if (existsSync(candidate)) return realpathSync(candidate)
  return dirname(folder) === folder ? null : find(name, dirname(folder))
}

/** Without sources, types and maps: npm unpacks half as long, and nothing runs them. */
function archiveOf(folder: string): readonly string[] {
  const left = ['node_modules', '*.map', '*.ts', '*.mts', '*.cts'].flatMap((pattern) => ['--exclude', pattern])
  return ['-c', ...left, '-C', dirname(folder), basename(folder)]
}

function manifestOf(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest
}

function archiveName({ name, version }: Manifest): string {
  return `${name}@${version}.tar`
}

function description(name: string, manifests: readonly Manifest[], url: string): unknown {
  const versions = manifests.map((manifest) => {
    const tarball = `${url}/${encodeURIComponent(archiveName(manifest))}`
    return [manifest.version, { ...manifest, dist: { tarball } }] as const
  })
  return { name, 'dist-tags': { latest: manifests[0]?.version }, versions: Object.fromEntries(versions) }
}
