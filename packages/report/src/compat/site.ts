import type { CompatData } from '@callspec/compat-data'
import type { Case } from '@callspec/conformance'
import { caseLine } from '@callspec/conformance'
import { caseAddress } from './addresses.ts'
import { casePage, entrySymptom, plainExpected } from './case-page.ts'
import type { CaseEntry, ShownEngine } from './collect.ts'
import { entriesByCase, shownEngines } from './collect.ts'
import { enginePage, readyReports } from './engine-page.ts'
import { badgeFiles, feedFile, newestChanges } from './feeds.ts'
import { anyCasePage, indexPage } from './index-page.ts'
import { COMPAT_SCRIPT } from './script.ts'
import type { SiteFile } from './shell.ts'
import { redirectPage, SITE_STYLE } from './shell.ts'

/** What the site is made of. */
export interface CompatSite {
  readonly data: CompatData
  /** The strict cases, and those of versions. */
  readonly cases: readonly Case[]
  /** The id of today of each renamed case. */
  readonly redirects: ReadonlyMap<string, string>
  /** Reports for the makers of an engine, as Markdown, by its name. */
  readonly reports: ReadonlyMap<string, string>
  /** The address of the repository, and of the site with a slash at its end; empty where they are not known. */
  readonly repository: string
  readonly base: string
}

/** Makes the files of the compatibility site, one at a time. @throws Error that lists links which lead nowhere */
export function* compatSite(site: CompatSite): Generator<SiteFile> {
  const check = createLinkCheck()
  for (const file of allFiles(site)) {
    check.add(file)
    yield file
  }
  const dead = check.dead()
  if (dead.length > 0) throw new Error(`links that lead nowhere:\n${dead.join('\n')}`)
}

function* allFiles({ data, cases, redirects, reports, repository, base }: CompatSite): Generator<SiteFile> {
  const engines = shownEngines(data)
  const entries = entriesByCase(engines, data)
  const contested = data.contested()
  const search: SearchEntry[] = []
  for (const item of cases) {
    const made = entries.get(item.id)
    if (made === undefined) continue
    const path = caseAddress(item.id)
    search.push(searchEntry(item, made))
    yield casePage(item, { path, entries: made, contested: contested[item.id] ?? null, repository })
  }
  const shown = new Set(search.map(({ id }) => id))
  const known = new Set(cases.map(({ id }) => id))
  for (const [old, id] of redirects) {
    if (shown.has(id)) yield redirectPage(caseAddress(old), caseAddress(id))
    else if (known.has(id)) yield redirectPage(caseAddress(old), `case.html#${encodeURIComponent(id)}`)
  }
  yield* enginePages(engines, { data, reports })
  const formats = [...new Set(cases.map(({ format = '' }) => format))].toSorted()
  for (const format of formats) {
    const lines = cases.filter((item) => item.format === format).map(caseLine)
    yield { path: `data/${format}.jsonl`, text: `${lines.join('\n')}\n` }
  }
  yield indexPage(engines, { symptoms: symptomCounts(search), cases: search.length })
  yield anyCasePage(formats)
  yield { path: 'search.json', text: `${JSON.stringify(search)}\n` }
  yield feedFile(engines, data, base)
  yield { path: 'style.css', text: SITE_STYLE }
  yield { path: 'script.js', text: COMPAT_SCRIPT }
}

function* enginePages(
  engines: readonly ShownEngine[],
  { data, reports }: Pick<CompatSite, 'data' | 'reports'>,
): Generator<SiteFile> {
  for (const shown of engines) {
    const markdown = reports.get(shown.engine.name)
    const page = enginePage(shown, {
      changes: newestChanges(shown, data),
      reports: markdown === undefined ? [] : readyReports(markdown),
    })
    if (page !== null) yield page
    yield* badgeFiles(shown)
  }
}

/** What the search of the first page knows of a case. */
interface SearchEntry {
  readonly id: string
  readonly path: string
  readonly about: string
  readonly symptoms: readonly string[]
  readonly engines: readonly string[]
}

function searchEntry(item: Case, entries: readonly CaseEntry[]): SearchEntry {
  const expected = plainExpected(item)
  const newest = entries.filter(({ isNewest }) => isNewest)
  const wrong = newest.flatMap((entry) => {
    const symptom = entrySymptom(entry, item, expected)
    return symptom === null ? [] : [{ symptom, engine: entry.engine.title }]
  })
  return {
    ...{ id: item.id, path: caseAddress(item.id), about: item.about ?? '' },
    symptoms: [...new Set(wrong.map(({ symptom }) => symptom))],
    engines: [...new Set(wrong.map(({ engine }) => engine))],
  }
}

function symptomCounts(search: readonly SearchEntry[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { symptoms } of search) for (const symptom of symptoms) counts.set(symptom, (counts.get(symptom) ?? 0) + 1)
  return counts
}

interface LinkCheck {
  add(file: SiteFile): void
  /** `page: link`, of those that lead nowhere. */
  dead(): readonly string[]
}

/** Follows the links of the pages to files of the site and to anchors in them. */
function createLinkCheck(): LinkCheck {
  const anchors = new Map<string, ReadonlySet<string>>()
  const links = new Map<string, string>()
  return {
    add({ path, text }) {
      const isPage = path.endsWith('.html')
      anchors.set(path, new Set(isPage ? Array.from(text.matchAll(/ id="([^"]+)"/g), ([, id = '']) => id) : []))
      if (!isPage) return
      for (const [, href = ''] of text.matchAll(/ (?:href|src)="([^"]*)"/g)) {
        if (/^(?:[a-z]+:|$)/.test(href)) continue
        const { pathname, hash } = new URL(href, `http://site/${path}`)
        // Many pages link the same place; the first is enough to find it.
        const target = `${pathname.slice(1) === '' ? 'index.html' : pathname.slice(1)}${hash}`
        if (!links.has(target)) links.set(target, path)
      }
    },
    dead: () =>
      [...links].flatMap(([target, from]) => {
        const [path = '', anchor] = target.split('#', 2)
        const known = anchors.get(decodeURIComponent(path))
        const isThere =
          known !== undefined && (anchor === undefined || path === 'case.html' || known.has(decodeURIComponent(anchor)))
        return isThere ? [] : [`${from}: ${target}`]
      }),
  }
}
