import { isWrong, tallyOf } from './compare.ts'
import type { CompatData } from './read.ts'
import type { CompatEngine, CompatResult, CompatRow } from './types.ts'

/** A parser of an engine that was asked the cases of a format. */
export interface AskedParser {
  /** `hermes+qwen3`: the parser of tools, and that of reasoning. */
  readonly parser: string
  /** The words by which a user chooses it; empty where it cannot. */
  readonly flags: readonly string[]
  readonly results: readonly CompatResult[]
  /** Ids of the cases that it reads wrong. */
  readonly wrong: readonly string[]
}

/** The parsers of an engine that were asked a format, the one with the fewest wrong cases first. */
export function parsersFor({ flags }: CompatEngine, row: CompatRow, format: string): readonly AskedParser[] {
  const results = row.results.filter((result) => result.format === format)
  const parsers = [...new Set(results.map(({ parser }) => parser))].map((parser) => {
    const own = results.filter((result) => result.parser === parser)
    return { parser, flags: flagsOf(flags, parser), results: own, wrong: wrongCases(own) }
  })
  return parsers.toSorted((one, other) => one.wrong.length - other.wrong.length)
}

function wrongCases(results: readonly CompatResult[]): readonly string[] {
  return results.flatMap(({ cases }) =>
    Object.entries(cases).flatMap(([id, [verdict]]) => (isWrong(verdict) ? [id] : [])),
  )
}

function flagsOf(flags: readonly string[], parser: string): readonly string[] {
  const [tool = '', reasoning] = parser.split('+')
  return flags.flatMap((flag) => {
    if (!flag.includes('{reasoning}')) return [flag.replaceAll('{tool}', () => tool)]
    return reasoning === undefined ? [] : [flag.replaceAll('{reasoning}', () => reasoning)]
  })
}

/** Cases of one topic. */
export interface CaseTopic {
  readonly topic: string
  readonly ids: readonly [string, ...string[]]
}

/** Cases by topic, the topic with the most first. */
export function topicsOf(ids: readonly string[]): readonly CaseTopic[] {
  const topics = new Map<string, [string, ...string[]]>()
  for (const id of ids) {
    const topic = topicIn(id)
    const known = topics.get(topic)
    if (known === undefined) topics.set(topic, [id])
    else known.push(id)
  }
  const all = [...topics].map(([topic, own]) => ({ topic, ids: own }))
  return all.toSorted((one, other) => other.ids.length - one.ids.length)
}

/** The topic in an id such as `nous/parse/escapes#a quote`. */
export function topicIn(id: string): string {
  return /^[^/]+\/[^/]+\/([^#]*)#/.exec(id)?.[1] ?? id
}

/** How an engine in its newest version reads a format, with the parser that reads it best. */
export interface EngineAdvice {
  readonly engine: string
  readonly title: string
  readonly version: string
  /** YYYY-MM-DD. */
  readonly date: string
  readonly format: string
  readonly parser: string
  /** Empty if the engine chooses its parser by itself. */
  readonly flags: readonly string[]
  readonly right: number
  readonly asked: number
  /** Cases that it reads wrong. */
  readonly broken: readonly CaseTopic[]
}

/** What every engine is known to make of formats. @throws CompatDataError for data that cannot be read */
export function engineAdvice(data: CompatData, formats: readonly string[]): readonly EngineAdvice[] {
  return data.index.engines.flatMap((engine) => {
    const [newest] = engine.versions
    if (newest === undefined) return []
    const row = data.row(engine.name, newest.version)
    return formats.flatMap((format) => {
      const [best] = parsersFor(engine, row, format)
      if (best === undefined) return []
      const { parser, flags, results, wrong } = best
      const { right, asked } = tallyOf(results)
      const { name, title } = engine
      const { version, date } = newest
      return [{ engine: name, title, version, date, format, parser, flags, right, asked, broken: topicsOf(wrong) }]
    })
  })
}
