import type { CompatData, CompatEngine, CompatResult, CompatRow, CompatVersion } from '@callspec/compat-data'
import { CompatDataError, tallyOf } from '@callspec/compat-data'
import { quotedLine } from '../output.ts'
import { didYouMean, UsageError } from '../usage-error.ts'

/** An engine in one version. */
export interface ChosenRow {
  readonly engine: CompatEngine
  readonly version: CompatVersion
  readonly row: CompatRow
}

/**
 * The row of `vllm`, its newest, or of `vllm@0.33`, the newest whose version begins with these numbers.
 *
 * @throws UsageError that names the nearest engine or version
 */
export function chooseRow(data: CompatData, given: string): ChosenRow {
  const [name = '', wanted] = given.split('@', 2)
  const { engines } = data.index
  const engine = engines.find((each) => each.name === name)
  if (engine === undefined) {
    const names = engines.map((each) => each.name)
    throw new UsageError(
      `Unknown engine "${quotedLine(name)}".${didYouMean(name, names)} Known engines: ${names.join(', ')}.`,
    )
  }
  return rowOf(data, engine, wanted === undefined ? engine.versions[0] : versionOf(engine, wanted))
}

/** The row of a version. @throws UsageError for one whose file cannot be read */
export function rowOf(data: CompatData, engine: CompatEngine, version: CompatVersion | undefined): ChosenRow {
  if (version === undefined) throw new UsageError(`There is no data of ${engine.name} yet.`)
  try {
    return { engine, version, row: data.row(engine.name, version.version) }
  } catch (error) {
    if (error instanceof CompatDataError) throw new UsageError(error.message)
    throw error
  }
}

/** The newest version that is, or begins with, the numbers given. @throws UsageError that names the nearest */
export function versionOf({ title, versions }: CompatEngine, wanted: string): CompatVersion {
  const bare = wanted.replace(/^v(?=\d)/, '')
  const found =
    versions.find(({ version }) => version === bare) ?? versions.find(({ version }) => version.startsWith(`${bare}.`))
  if (found !== undefined) return found
  const known = versions.map(({ version }) => version)
  throw new UsageError(
    `There is no data of ${title} ${quotedLine(wanted)}.${nearestVersion(bare, known)} Known versions: ${known.join(', ')}.`,
  )
}

/** By its numbers: 0.34 is nearer to 0.33.0 than to 0.31.2. */
function nearestVersion(wanted: string, known: readonly string[]): string {
  const parts = numbersOf(wanted)
  if (parts.length === 0) return ''
  const distance = (version: string): number =>
    numbersOf(version).reduce((sum, part, at) => sum + Math.abs(part - (parts[at] ?? 0)) / 1000 ** at, 0)
  const [nearest] = known.toSorted((one, other) => distance(one) - distance(other))
  return nearest === undefined ? '' : ` The nearest is ${nearest}.`
}

function numbersOf(version: string): readonly number[] {
  return Array.from(version.matchAll(/\d{1,9}/g), ([digits]) => Number(digits)).slice(0, 4)
}

/** What is asked in an operation: whole replies, fixed streams, streams that are cut at tokens, prompts. */
export const OPERATIONS = { parse: 'whole', stream: 'streamed', cut: 'in tokens', render: 'prompts' } as const

/** `298 of 346 right, 42 cut by policy, 2 contested, 4 wrong`. */
export function tallyText(results: readonly Pick<CompatResult, 'counts'>[]): string {
  const { asked, right, near, cut, contested, wrong } = tallyOf(results)
  const parts = [
    [near, 'right but for ids or numbers'],
    [cut, 'cut by policy'],
    [contested, 'contested'],
    [wrong, 'wrong'],
  ] as const
  const more = parts.flatMap(([count, words]) => (count === 0 ? [] : [`${count} ${words}`]))
  return [`${right} of ${asked} right`, ...more].join(', ')
}
