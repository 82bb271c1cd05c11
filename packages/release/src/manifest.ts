import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The members of a package.json that publishing looks at; the others are handed on. */
export interface Manifest {
  readonly name: string
  readonly version: string
  readonly private?: boolean
  readonly files?: readonly string[]
  readonly bin?: Readonly<Record<string, string>>
  readonly exports?: Readonly<Record<string, string | Readonly<Record<string, string>>>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly publishConfig?: Readonly<Record<string, unknown>>
  readonly [member: string]: unknown
}

/** What a package.json does not know of the workspace around it. */
export interface Place {
  readonly versions: ReadonlyMap<string, string>
  readonly owner: Owner
  readonly folder: string
}

/** What only the workspace uses. */
const OF_THE_WORKSPACE = ['scripts', 'devDependencies', 'private'] as const

/** The condition under which tests find the sources. They are not published. */
const SOURCE_CONDITION = '@callspec/source'

/**
 * The package.json that is published for one of the workspace: without what only the workspace uses, the ranges of other packages
 * of the workspace spelt out, and where the project lives.
 *
 * @param place.versions the versions of the packages of the workspace, by name
 * @param place.folder where the package lies in the workspace, such as `packages/core`: what its README links to is found from there
 */
export function publishedManifest(source: Manifest, { versions, owner, folder }: Place): Manifest {
  const kept = Object.entries(source).filter(([member]) => !isOfTheWorkspace(member))
  const { directory: _, linkDirectory: __, ...publishConfig } = source.publishConfig ?? {}
  const { repository, ...addresses } = owner
  return {
    ...(Object.fromEntries(kept) as unknown as Manifest),
    ...Object.fromEntries(Object.entries(addresses).filter(([, address]) => address !== '')),
    ...(repository !== '' && { repository: { type: 'git', url: repository, directory: folder } }),
    ...(source.exports && { exports: withoutSources(source.exports) }),
    ...(source.files && { files: source.files.filter((name) => name !== 'src' && !name.startsWith('!')) }),
    ...(source.dependencies && { dependencies: spelt(source.dependencies, versions) }),
    ...(source.peerDependencies && { peerDependencies: spelt(source.peerDependencies, versions) }),
    publishConfig,
  }
}

function isOfTheWorkspace(member: string): boolean {
  return OF_THE_WORKSPACE.some((each) => each === member)
}

function withoutSources(exports: NonNullable<Manifest['exports']>): NonNullable<Manifest['exports']> {
  const entries = Object.entries(exports).map(([name, target]): [string, string | Readonly<Record<string, string>>] => {
    if (typeof target === 'string') return [name, target]
    const conditions = Object.entries(target).filter(([condition]) => condition !== SOURCE_CONDITION)
    return [name, Object.fromEntries(conditions)]
  })
  return Object.fromEntries(entries)
}

/** `workspace:^` means the version of today and later ones that fit it. */
function spelt(
  ranges: Readonly<Record<string, string>>,
  versions: ReadonlyMap<string, string>,
): Readonly<Record<string, string>> {
  const entries = Object.entries(ranges).map(([name, range]) => {
    if (!range.startsWith('workspace:')) return [name, range] as const
    const version = versions.get(name)
    if (version === undefined) throw new Error(`${name}: no package of the workspace`)
    return [name, `${range.slice('workspace:'.length).replace('*', '')}${version}`] as const
  })
  return Object.fromEntries(entries)
}

/** The addresses of the project in every published package.json, which its owner fills in. */
export interface Owner {
  /** `git+https://…` */
  readonly repository: string
  readonly homepage: string
  readonly bugs: string
}

/** The one file that says it, relative to `src` and `dist`. Its members are empty until the owner fills them. */
const OWNER_FILE: URL = new URL('../owner.json', import.meta.url)

/** @throws Error when the file lacks a member */
export function readOwner(): Owner {
  const { repository, homepage, bugs } = JSON.parse(readFileSync(OWNER_FILE, 'utf8')) as Partial<Owner>
  if (repository === undefined || homepage === undefined || bugs === undefined)
    throw new Error(
      'packages/release/owner.json: "repository", "homepage" and "bugs" are needed; write "" for an unknown one',
    )
  return { repository, homepage, bugs }
}

/** The empty members. */
export function missingOf(owner: Owner): readonly string[] {
  return Object.entries(owner).flatMap(([member, address]) => (address === '' ? [member] : []))
}

/** The folder of the workspace. */
export const ROOT: string = fileURLToPath(new URL('../../../', import.meta.url))
