import { FORMAT_IDS } from '@callspec/core/formats'
import { changesBetween, isWrong, topicIn } from '@callspec/compat-data'
import type { CompatChange, CompatChanges, CompatData, CompatResult, CompatVersion } from '@callspec/compat-data'
import { wrapItems, wrapWords } from '../columns.ts'
import type { Invocation } from '../command.ts'
import { inert, quotedLine } from '../output.ts'
import type { Output } from '../output.ts'
import { didYouMean, UsageError } from '../usage-error.ts'
import type { ChosenRow } from './chosen-row.ts'
import { chooseRow, OPERATIONS, rowOf, tallyText, versionOf } from './chosen-row.ts'

/** Of new and of gone cases so many are listed; `--json` prints all. */
const SHOWN = 20

/** Prints the state of an engine: what it reads wrong, what is new, what is gone. */
export function printEngine(data: CompatData, given: string, { options, output }: Invocation): void {
  const chosen = chooseRow(data, given)
  const { engine, version, row } = chosen
  const formats = checkedFormats(chosen, options.list('format'))
  const isShown = ({ format }: { readonly format: string }): boolean => formats.length === 0 || formats.includes(format)
  const since = options.text('since')
  const before = since === null ? engine.versions[engine.versions.indexOf(version) + 1] : versionOf(engine, since)
  const changes = before === undefined ? null : changesBetween(rowOf(data, engine, before).row, row, data.asked())
  const results = row.results.filter(isShown)
  const shown = changes && {
    fresh: changes.fresh.filter(isShown),
    gone: changes.gone.filter(isShown),
    firstAsked: changes.firstAsked.filter(isShown),
  }
  if (options.flag('json')) {
    output.line(JSON.stringify(stateJson(chosen, { results, before, changes: shown }), null, 2))
    return
  }
  output.line(output.paint('bold', inert(`${row.title} ${version.version} of ${version.date}`)))
  for (const line of wrapWords(inert(`${row.what}. Asked ${row.ran}, cases ${row.casesVersion}.`), output))
    output.line(line)
  output.line()
  printResults(results, output)
  if (formats.length > 0) printWrong(results, output)
  printChanges(shown, { before, output })
}

function checkedFormats({ row }: ChosenRow, given: readonly string[]): readonly string[] {
  const known = [...new Set(row.results.map(({ format }) => format))]
  for (const format of given) {
    if (known.includes(format)) continue
    if (FORMAT_IDS.includes(format))
      throw new UsageError(`${row.title} was not asked "${format}". Formats asked: ${known.join(', ')}.`)
    throw new UsageError(
      `Unknown format "${quotedLine(format)}".${didYouMean(format, known)} Formats asked: ${known.join(', ')}.`,
    )
  }
  return given
}

interface State {
  readonly results: readonly CompatResult[]
  readonly before: CompatVersion | undefined
  readonly changes: CompatChanges | null
}

function stateJson({ engine, row }: ChosenRow, { results, before, changes }: State): object {
  return {
    ...{ engine: engine.name, version: row.version, date: row.date, ran: row.ran, casesVersion: row.casesVersion },
    results: results.map(({ parser, format, operation, counts, cases }) => ({
      ...{ parser, format, operation, counts },
      wrong: Object.entries(cases).flatMap(([id, [verdict]]) => (isWrong(verdict) ? [{ id, verdict }] : [])),
    })),
    since: before?.version ?? null,
    ...(changes ?? { fresh: [], gone: [], firstAsked: [] }),
  }
}

/** A line per operation, under the parser and the format: a table of nine columns cuts the names of parsers at 80 columns. */
function printResults(results: readonly CompatResult[], output: Output): void {
  const pairOf = ({ parser, format }: CompatResult): string => `${parser} with ${format}`
  for (const pair of new Set(results.map(pairOf))) {
    output.line(inert(pair))
    for (const result of results.filter((each) => pairOf(each) === pair)) {
      const { skipped = 0, synthetic = 0 } = result.counts
      const unasked = skipped + synthetic === 0 ? '' : `, ${skipped + synthetic} not asked`
      output.line(`  ${OPERATIONS[result.operation].padEnd(9)}  ${tallyText([result])}${unasked}`)
    }
  }
  const wrong = results.flatMap(({ cases }) => Object.entries(cases).filter(([, [verdict]]) => isWrong(verdict)))
  const topics = new Map<string, number>()
  for (const [id] of wrong) topics.set(topicIn(id), (topics.get(topicIn(id)) ?? 0) + 1)
  const listed = [...topics].toSorted(([, one], [, other]) => other - one).map(([topic, count]) => `${topic} ${count}`)
  if (listed.length > 0) for (const line of wrapItems('Wrong, by topic: ', listed, output)) output.line(inert(line))
  else output.line('Wrong: 0')
}

function printWrong(results: readonly CompatResult[], output: Output): void {
  for (const { parser, format, operation, cases } of results) {
    const wrong = Object.entries(cases).filter(([, [verdict]]) => isWrong(verdict))
    if (wrong.length === 0) continue
    output.line(inert(`\n${parser} with ${format}, ${operation}`))
    for (const [id, [verdict]] of wrong) output.line(inert(`  ${verdict.padEnd(8)} ${id}`))
  }
}

function printChanges(
  changes: CompatChanges | null,
  { before, output }: { readonly before: CompatVersion | undefined; readonly output: Output },
): void {
  output.line()
  if (changes === null || before === undefined) {
    output.line('No version before it was asked.')
    return
  }
  const since = `since ${before.version} of ${before.date}`
  printList(`New ${since}`, changes.fresh, output)
  printList(`Gone ${since}`, changes.gone, output)
  if (changes.firstAsked.length > 0)
    output.line(
      inert(
        `Asked for the first time: ${changes.firstAsked.map(({ parser, format }) => `${parser} with ${format}`).join(', ')}`,
      ),
    )
}

function printList(title: string, changes: readonly CompatChange[], output: Output): void {
  output.line(`${title}: ${changes.length}`)
  for (const { parser, id, before, after } of changes.slice(0, SHOWN))
    output.line(inert(`  ${parser}: ${id}: ${before}, now ${after}`))
  if (changes.length > SHOWN) output.line(`  and ${changes.length - SHOWN} more: --json lists all`)
}
