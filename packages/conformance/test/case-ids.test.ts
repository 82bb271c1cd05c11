import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'

import { currentId, findCaseFiles, readCases, readJudged, readRecorded, readRetiredIds } from '../src/index.ts'
import { readRedirects, readTaxonomy } from '../src/cases/taxonomy.ts'
import { listLines } from '../src/run/known-failures.ts'
import { REPOSITORY } from './helpers/cases.ts'

const LIST = resolve(import.meta.dirname, 'frozen-ids.txt')
/** Folders with pages. */
const FOLDERS = ['docs', 'reports', 'golden', 'packages/conformance/adapters']
const REDIRECTS = 'packages/conformance/case-set/redirects.json'

/** The ids of all cases, and those of cases with several profiles without the profile. */
const ids = new Set<string>()
beforeAll(async () => {
  for await (const { id } of readCases(await findCaseFiles([resolve(REPOSITORY, 'fixtures')]))) ids.add(id)
})

/** Whether an id is that of a case, or of a case with several profiles. */
function isCase(id: string): boolean {
  return ids.has(id) || ids.has(`${id}@qwen-agent@main`)
}

describe('ids of cases', () => {
  it('stay: one that was frozen is renamed with a redirect alone, or retired (UPDATE_PAGES=1 freezes new ones)', () => {
    const { casesVersion } = readTaxonomy()
    const retired = readRetiredIds()
    const gone = frozenIn(readFileSync(LIST, 'utf8')).filter(
      (id) => !ids.has(id) && !retired.has(id) && !retired.has(id.replace(/@.*$/, '')) && currentId(id) === id,
    )
    expect(
      gone,
      `These ids were published, and no case has them. A renamed case: write "old id": "new id" into ${REDIRECTS}. A case that was taken out: add its id to case-set/retired-ids.txt.`,
    ).toEqual([])

    if (process.env['UPDATE_PAGES'] === '1') writeFileSync(LIST, frozenText(casesVersion))
    const text = readFileSync(LIST, 'utf8')
    const frozen = new Set(frozenIn(text))
    // New ids are frozen at the latest with the next version of the cases.
    const missing = text.startsWith(`# Cases ${casesVersion} `) ? [] : [...ids].filter((id) => !frozen.has(id))
    expect(missing, `UPDATE_PAGES=1 writes the ids of cases ${casesVersion} into frozen-ids.txt`).toEqual([])
  })

  it('lead from an old one to a case, in one step', () => {
    const redirects = readRedirects()

    expect(redirects.size).toBeGreaterThan(1000)
    expect([...redirects].filter(([, id]) => !isCase(id))).toEqual([])
    expect([...redirects.keys()].filter((old) => isCase(old) || readRetiredIds().has(old))).toEqual([])
    expect([...redirects.keys()]).toEqual([...redirects.keys()].toSorted())
  })

  it('are found for everything that is published: recorded answers, lists of failures, engine reports, pages', async () => {
    const recorded = await readRecorded()
    // A question without a strict answer holds its text; its id names no case.
    const named = recorded.filter(({ agrees }) => agrees !== null).map(({ id }) => id)
    const said = Object.keys(
      (JSON.parse(read('reports/scoreboard/said/llama.cpp.json')) as { answers: object }).answers,
    )
    const listed = files('reports/scoreboard/known', '.txt').flatMap((path) =>
      listLines(read(path)).flatMap(({ kind, text }) => (kind === 'id' ? [text] : [])),
    )
    const pages = [
      'README.md',
      'README.zh.md',
      'CHANGELOG.md',
      ...FOLDERS.flatMap((folder) => files(folder, '.md')),
    ].flatMap((path) => commandIds(read(path)))
    const judged = (await readJudged()).map(({ id }) => id)
    const deviations = files('reports/engines', '.json').flatMap((path) => {
      const report = JSON.parse(read(path)) as { deviations: readonly { readonly id: string }[] }
      // A cut stream has the name of its cut behind the id.
      return report.deviations.map(({ id }) => id.replace(/ ~[a-z]+(?:-\d)?$/, ''))
    })
    const published = { named, said, listed, pages, judged, deviations }

    for (const [where, list] of Object.entries(published)) {
      expect([where, list.length > 3, ...list.filter((id) => !isFound(id))]).toEqual([where, true])
    }
    expect(recorded.filter(({ agrees, question }) => agrees === null && question === null)).toEqual([])
  })
})

function isFound(id: string): boolean {
  return isCase(currentId(id))
}

/** Paths from the root, of all files below a folder whose names end so. */
function files(folder: string, end: string): readonly string[] {
  const names = readdirSync(join(REPOSITORY, folder), { recursive: true, encoding: 'utf8' })
  return names.filter((name) => name.endsWith(end)).map((name) => `${folder}/${name}`)
}

function read(path: string): string {
  return readFileSync(join(REPOSITORY, path), 'utf8')
}

/** The ids of the built-in cases in the command lines of a page. */
function commandIds(text: string): readonly string[] {
  return Array.from(text.matchAll(/--id (?:'([^'*]+)'|"([^"*]+)")/g), ([, one, other]) => one ?? other ?? '').filter(
    (id) => !id.startsWith('mine/'),
  )
}

/** Ids with the same beginning are below it, without it. */
function frozenIn(text: string): readonly string[] {
  const [, ...lines] = text.split('\n')
  let place = ''
  return lines.flatMap((line) => {
    if (line.startsWith(' ')) return [place + line.slice(1)]
    place = line
    return []
  })
}

function frozenText(version: string): string {
  let last = ''
  const lines = [...ids].toSorted().flatMap((id) => {
    const place = /^[^#]*[#/]/.exec(id)?.[0] ?? ''
    const heads = place === last ? [] : [place]
    last = place
    return [...heads, ` ${id.slice(place.length)}`]
  })
  return [`# Cases ${version} have these ids. case-ids.test.ts writes and reads this list.`, ...lines, ''].join('\n')
}
