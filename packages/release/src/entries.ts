import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Manifest } from './manifest.ts'

/** The files that a thread is started with: `new URL('./worker.js', import.meta.url)`. */
const THREAD_FILE = /new URL\('(\.\/[\w-]+\.js)', import\.meta\.url\)/g

/** What a program in `bin` starts with. */
const BUILT = /'\.\.\/(dist\/[\w-]+\.js)'/g

/** A module that something outside the bundle of its package opens by a path. */
export interface Entry {
  /** Where it is in the bundle, below `dist`, without its ending. */
  readonly name: string
  /** The compiled module. */
  readonly path: string
  /** Whether programs import it, and so need its types. */
  readonly isExported: boolean
}

/**
 * The entries of a package: its exports, what its programs import, and what its threads run. The last ones lie directly in `dist`,
 * because the modules that name them do.
 *
 * @throws Error when two of them have one name
 */
export function entriesOf(folder: string, manifest: Manifest): readonly Entry[] {
  const named = [...exported(manifest), ...started(folder, manifest)].map((path) => [below(path), path] as const)
  const threads = threadFiles(join(folder, 'dist')).map((path) => [basename(path, '.js'), path] as const)
  const paths = new Map<string, string>()
  for (const [name, path] of [...named, ...threads]) {
    if ((paths.get(name) ?? path) !== path) throw new Error(`${manifest.name}: two entries are named ${name}`)
    paths.set(name, path)
  }
  const isExported = new Set(exported(manifest))
  return [...paths].map(([name, path]) => ({ name, path: join(folder, path), isExported: isExported.has(path) }))
}

function below(path: string): string {
  return path.replace(/^dist\//, '').replace(/\.js$/, '')
}

function exported({ exports = {} }: Manifest): readonly string[] {
  return Object.values(exports).flatMap((target) => {
    const path = typeof target === 'string' ? undefined : target['default']
    return path === undefined ? [] : [path.replace('./', '')]
  })
}

function started(folder: string, { bin = {} }: Manifest): readonly string[] {
  return Object.values(bin).flatMap((path) =>
    [...readFileSync(join(folder, path), 'utf8').matchAll(BUILT)].map(([, built = '']) => built),
  )
}

function threadFiles(dist: string): readonly string[] {
  const modules = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.js'))
  return modules.flatMap((name) =>
    [...readFileSync(join(dist, name), 'utf8').matchAll(THREAD_FILE)].map(([, other = '']) =>
      join('dist', dirname(name), other),
    ),
  )
}
