import { readFileSync } from 'node:fs'

/** Where the project lives: the members of every published package.json that only its owner can say. */
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
      'packages/release/owner.json: "repository", "homepage" and "bugs" are needed, "" where nobody knows',
    )
  return { repository, homepage, bugs }
}

/** The members that nobody has filled. */
export function missingOf(owner: Owner): readonly string[] {
  return Object.entries(owner).flatMap(([member, address]) => (address === '' ? [member] : []))
}
