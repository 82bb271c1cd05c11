import type { CompatChanges, CompatData, CompatResult, CompatRow } from '@callspec/compat-data'
import { changesBetween, tallyOf } from '@callspec/compat-data'
import { renderBadge } from '../conformance/page.ts'
import type { Badge } from '../conformance/page.ts'
import { engineAddress } from './addresses.ts'
import type { ShownEngine } from './collect.ts'
import type { SiteFile } from './shell.ts'

/** What has changed from the second row of an engine to its newest; null where there is one row. */
export function newestChanges({ rows }: ShownEngine, data: CompatData): CompatChanges | null {
  const [now, before] = rows
  return now === undefined || before === undefined ? null : changesBetween(before, now, data.asked())
}

/** A JSON Feed 1.1 with an item per newest version of an engine. `base`: the address of the site; empty where it is not known. */
export function feedFile(engines: readonly ShownEngine[], data: CompatData, base: string): SiteFile {
  const items = engines.flatMap((shown) => {
    const [row, before] = shown.rows
    if (row === undefined) return []
    const changes = newestChanges(shown, data)
    const since =
      changes === null || before === undefined
        ? 'first row'
        : `${changes.fresh.length} new, ${changes.gone.length} gone since ${before.version}`
    const listed = (changes?.fresh ?? [])
      .slice(0, 100)
      .map(({ parser, id, before: was, after }) => `new: ${parser}: ${id}: ${was}, now ${after}`)
    const gone = (changes?.gone ?? [])
      .slice(0, 100)
      .map(({ parser, id, before: was, after }) => `gone: ${parser}: ${id}: ${was}, now ${after}`)
    return [
      {
        id: `${row.engine}@${row.version}`,
        ...(base === '' ? {} : { url: `${base}${engineAddress(row.engine)}` }),
        title: `${row.title} ${row.version}: ${since}`,
        content_text: [
          `${row.title} ${row.version} of ${row.date}, asked ${row.ran}, cases ${row.casesVersion}.`,
          ...listed,
          ...gone,
        ].join('\n'),
        date_published: `${row.ran}T00:00:00Z`,
      },
    ]
  })
  const feed = {
    version: 'https://jsonfeed.org/version/1.1',
    title: 'callspec: what engines read wrong',
    ...(base === '' ? {} : { home_page_url: base, feed_url: `${base}feed.json` }),
    items: items.toSorted((one, other) => (one.date_published < other.date_published ? 1 : -1)),
  }
  return { path: 'feed.json', text: `${JSON.stringify(feed, null, 2)}\n` }
}

/** A badge of an engine and a format, as SVG and as the JSON of an endpoint of shields.io. */
export function badgeFiles({ rows: [row] }: ShownEngine): readonly SiteFile[] {
  if (row === undefined) return []
  return formatsOf(row).flatMap((format) => {
    const badge = badgeOf(row, format)
    const path = badgePath(row.engine, format)
    const color = { good: 'brightgreen', some: 'yellow', bad: 'red', none: 'lightgrey' }[badge.tone]
    const endpoint = { schemaVersion: 1, label: badge.label, message: badge.value, color }
    return [
      { path: `${path}.svg`, text: renderBadge(badge) },
      { path: `${path}.json`, text: `${JSON.stringify(endpoint)}\n` },
    ]
  })
}

/** The path of a badge without its ending. */
export function badgePath(engine: string, format: string): string {
  return `badges/${engine}/${format}`
}

/** The formats that a row was asked. */
export function formatsOf({ results }: CompatRow): readonly string[] {
  return [...new Set(results.map(({ format }) => format))]
}

/** The results of the parser that reads the most replies of a format right. One that was asked few cases says little. */
export function bestParser({ results }: CompatRow, format: string): readonly CompatResult[] {
  const ofFormat = results.filter((result) => result.format === format)
  const byParser = [...new Set(ofFormat.map(({ parser }) => parser))].map((parser) =>
    ofFormat.filter((result) => result.parser === parser),
  )
  const rightIn = (all: readonly CompatResult[]): number =>
    tallyOf(all.filter(({ operation }) => operation !== 'render')).right
  return byParser.toSorted((one, other) => rightIn(other) - rightIn(one))[0] ?? []
}

/** `vLLM 0.33 · qwen3-coder`: `298/346 · 42 cut by policy`, of streams where they were asked. */
function badgeOf(row: CompatRow, format: string): Badge {
  const results = bestParser(row, format)
  const operation = ['cut', 'parse', 'stream', 'render'].find((each) =>
    results.some((result) => result.operation === each && tallyOf([result]).asked > 0),
  )
  const tally = tallyOf(results.filter((result) => result.operation === operation))
  const more = [
    [tally.near, 'near'],
    [tally.cut, 'cut by policy'],
    [tally.contested, 'contested'],
  ] as const
  const parts = more.flatMap(([count, words]) => (count === 0 ? [] : [`${count} ${words}`]))
  const tone = tally.asked === 0 ? 'none' : tally.wrong === 0 ? 'good' : tally.wrong * 10 < tally.asked ? 'some' : 'bad'
  const how = operation === 'cut' ? ' streamed' : operation === 'render' ? ' prompts' : ''
  return {
    label: `${row.title} ${row.version} · ${format}${how}`,
    value: [`${tally.right}/${tally.asked}`, ...parts].join(' · '),
    tone,
  }
}
