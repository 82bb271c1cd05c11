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
  const folders = new Map<string, string>()
  for (const folder of packages) collect(folder, folders)
  let url = ''
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '').slice(1)
    const name = path.replace(/\.tar$/, '')
    const folder = folders.get(name)
    // npm asks for optional peers too, and for our own packages, which it has as tarballs.
    if (folder === undefined) {
      response.writeHead(404).end()
      return
    }
    if (path === name) {
      response.end(JSON.stringify(description(manifestOf(folder), `${url}/${encodeURIComponent(name)}.tar`)))
      return
    }
    spawn('tar', archiveOf(folder)).stdout.pipe(response)
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, close: () => server.close() }
}

/** Adds the folders of everything that the package in `folder` depends on, except our own packages. */
function collect(folder: string, folders: Map<string, string>): void {
  const { dependencies, optionalDependencies } = manifestOf(folder)
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
    const found = name.startsWith('@callspec/') || folders.has(name) ? null : find(name, folder)
    if (found === null) continue
    folders.set(name, found)
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

function description(manifest: Manifest, tarball: string): unknown {
  const { name, version } = manifest
  return { name, 'dist-tags': { latest: version }, versions: { [version]: { ...manifest, dist: { tarball } } } }
}
