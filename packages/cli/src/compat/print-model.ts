import { isWrong } from '@callspec/compat-data'
import type { CompatData, CompatEngine, CompatResult } from '@callspec/compat-data'
import type { Invocation } from '../command.ts'
import { modelAnswer, readModel } from '../models/read-model.ts'
import { inert, quotedLine } from '../output.ts'
import type { Output } from '../output.ts'
import { UsageError } from '../usage-error.ts'
import type { ChosenRow } from './chosen-row.ts'
import { chooseRow, OPERATIONS, tallyText, topicIn } from './chosen-row.ts'

/** Topics that are listed of one parser. */
const SHOWN = 8

/** Prints whether an engine reads the tool calls of a model, with which flags, and what is known to break. */
export async function printModelOn(
  data: CompatData,
  { model, engine: named }: { readonly model: string; readonly engine: string },
  invocation: Invocation,
): Promise<void> {
  const { output, options } = invocation
  const chosen = chooseRow(data, named)
  const { formats, sure, evidence } = modelAnswer(await readModel(model, invocation))
  if (formats.length === 0) {
    const because = evidence[0] === undefined ? 'is not a known model' : `is known, but callspec cannot read its format`
    throw new UsageError(
      `"${quotedLine(model)}" ${because}. callspec identify finds the format of replies or of a chat template.`,
    )
  }
  const answers = formats.map((format) => ({ format, pairs: pairsOf(chosen, format) }))
  if (options.flag('json')) {
    const { name } = chosen.engine
    const found = answers.map(({ format, pairs }) => ({
      format,
      parsers: pairs.map((pair) => pairJson(chosen.engine, pair)),
    }))
    output.line(JSON.stringify({ model, sure, engine: name, version: chosen.version.version, formats: found }, null, 2))
    return
  }
  output.line(`${quotedLine(model)} writes ${formats.join(' or ')} (${sure}).`)
  for (const { format, pairs } of answers) printFormat(chosen, { format, pairs, data, output })
}

interface Pair {
  readonly parser: string
  readonly results: readonly CompatResult[]
}

/** The parsers that were asked this format, the one with the fewest wrong cases first. */
function pairsOf({ row }: ChosenRow, format: string): readonly Pair[] {
  const results = row.results.filter((result) => result.format === format)
  const parsers = [...new Set(results.map(({ parser }) => parser))]
  const pairs = parsers.map((parser) => ({ parser, results: results.filter((result) => result.parser === parser) }))
  return pairs.toSorted((one, other) => wrongCases(one).length - wrongCases(other).length)
}

function wrongCases({ results }: Pair): readonly string[] {
  return results.flatMap(({ cases }) =>
    Object.entries(cases).flatMap(([id, [verdict]]) => (isWrong(verdict) ? [id] : [])),
  )
}

/** The words by which a user chooses a parser such as `hermes+qwen3`. */
function flagsOf({ flags }: CompatEngine, parser: string): readonly string[] {
  const [tool = '', reasoning] = parser.split('+')
  return flags.flatMap((flag) => {
    if (!flag.includes('{reasoning}')) return [flag.replaceAll('{tool}', () => tool)]
    return reasoning === undefined ? [] : [flag.replaceAll('{reasoning}', () => reasoning)]
  })
}

function pairJson(engine: CompatEngine, pair: Pair): object {
  const counts = pair.results.map(({ operation, counts: each }) => [operation, each] as const)
  return {
    parser: pair.parser,
    flags: flagsOf(engine, pair.parser),
    counts: Object.fromEntries(counts),
    wrong: wrongCases(pair),
  }
}

function printFormat(
  { engine, version, row }: ChosenRow,
  {
    format,
    pairs,
    data,
    output,
  }: { readonly format: string; readonly pairs: readonly Pair[]; readonly data: CompatData; readonly output: Output },
): void {
  output.line()
  const title = `${row.title} ${version.version} of ${version.date}`
  if (pairs.length === 0) {
    const why = row.notAsked.find((each) => each.format === format)
    output.line(inert(`${title} was not asked ${format}${why === undefined ? '' : `: ${why.parser}: ${why.why}`}.`))
    return
  }
  for (const pair of pairs) {
    output.line(output.paint('bold', inert(`${title} reads ${format} with ${pair.parser}`)))
    const flags = flagsOf(engine, pair.parser)
    if (flags.length > 0) output.line(inert(`  flags      ${flags.join(' ')}`))
    for (const result of pair.results)
      output.line(`  ${OPERATIONS[result.operation].padEnd(9)}  ${tallyText([result])}`)
    printBroken(pair, { format, data, output })
  }
}

function printBroken(
  pair: Pair,
  { format, data, output }: { readonly format: string; readonly data: CompatData; readonly output: Output },
): void {
  const topics = new Map<string, string[]>()
  for (const id of wrongCases(pair)) {
    const topic = topicIn(id)
    const ids = topics.get(topic)
    if (ids === undefined) topics.set(topic, [id])
    else ids.push(id)
  }
  if (topics.size === 0) {
    output.line('  nothing is known to break')
    return
  }
  output.line('  known to break')
  const about = aboutById(data.cases(format))
  const listed = [...topics].toSorted(([, one], [, other]) => other.length - one.length)
  for (const [topic, [first = '', ...more]] of listed.slice(0, SHOWN)) {
    const says = about.get(first.replace(/ ~[a-z]+(?:-\d)?$/, '')) ?? ''
    output.line(inert(`    ${topic} ${more.length + 1}: ${first}${says === '' ? '' : `: ${says}`}`))
  }
  if (listed.length > SHOWN) output.line(`    and ${listed.length - SHOWN} more topics: --json lists the cases`)
}

function aboutById(lines: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    lines.map((line) => {
      const { id, about = '' } = JSON.parse(line) as { readonly id: string; readonly about?: string }
      return [id, about]
    }),
  )
}
