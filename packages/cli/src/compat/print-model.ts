import { parsersFor, topicsOf } from '@callspec/compat-data'
import type { AskedParser, CompatData, CompatRow } from '@callspec/compat-data'
import { modelAnswer } from '@callspec/inspect'
import type { Evidence } from '@callspec/inspect'
import type { Invocation } from '../command.ts'
import { readModel } from '../models/read-model.ts'
import { inert, quotedLine } from '../output.ts'
import type { Output } from '../output.ts'
import { UsageError } from '../usage-error.ts'
import type { ChosenRow } from './chosen-row.ts'
import { chooseRow, OPERATIONS, tallyText } from './chosen-row.ts'

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
  const answers = formats
    .flatMap((format) => askedNames(chosen.row, format, evidence))
    .map((format) => ({ format, pairs: parsersFor(chosen.engine, chosen.row, format) }))
  if (options.flag('json')) {
    const { name } = chosen.engine
    const found = answers.map(({ format, pairs }) => ({
      format,
      parsers: pairs.map(pairJson),
    }))
    output.line(JSON.stringify({ model, sure, engine: name, version: chosen.version.version, formats: found }, null, 2))
    return
  }
  output.line(`${quotedLine(model)} writes ${formats.join(' or ')} (${sure}).`)
  for (const { format, pairs } of answers) printFormat(chosen, { format, pairs, data, output })
}

/**
 * What of a model's format the engine was asked: where the model is prompted in a version and the engine was asked that, the version, and
 * the format itself only if the same parser reads it.
 */
function askedNames({ results }: CompatRow, format: string, evidence: readonly Evidence[]): readonly string[] {
  const version = evidence.find((each) => each.version !== undefined && each.formats.includes(format))?.version
  const parsersOf = (name: string): readonly string[] =>
    results.filter((result) => result.format === name).map(({ parser }) => parser)
  const name = `${format}@${version ?? 'strict'}`
  const own = parsersOf(name)
  if (own.length === 0) return [format]
  return parsersOf(format).some((parser) => own.includes(parser)) ? [name, format] : [name]
}

function pairJson({ parser, flags, results, wrong }: AskedParser): object {
  const counts = results.map(({ operation, counts: each }) => [operation, each] as const)
  return { parser, flags, counts: Object.fromEntries(counts), wrong }
}

function printFormat(
  { version, row }: ChosenRow,
  {
    format,
    pairs,
    data,
    output,
  }: {
    readonly format: string
    readonly pairs: readonly AskedParser[]
    readonly data: CompatData
    readonly output: Output
  },
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
    if (pair.flags.length > 0) output.line(inert(`  flags      ${pair.flags.join(' ')}`))
    for (const result of pair.results)
      output.line(`  ${OPERATIONS[result.operation].padEnd(9)}  ${tallyText([result])}`)
    printBroken(pair, { format, data, output })
  }
}

function printBroken(
  pair: AskedParser,
  { format, data, output }: { readonly format: string; readonly data: CompatData; readonly output: Output },
): void {
  const topics = topicsOf(pair.wrong)
  if (topics.length === 0) {
    output.line('  nothing is known to break')
    return
  }
  output.line('  known to break')
  const about = aboutById(data.cases(format))
  for (const {
    topic,
    ids: [first, ...more],
  } of topics.slice(0, SHOWN)) {
    const says = about.get(first.replace(/ ~[a-z]+(?:-\d)?$/, '')) ?? ''
    output.line(inert(`    ${topic} ${more.length + 1}: ${first}${says === '' ? '' : `: ${says}`}`))
  }
  if (topics.length > SHOWN) output.line(`    and ${topics.length - SHOWN} more topics: --json lists the cases`)
}

function aboutById(lines: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    lines.map((line) => {
      const { id, about = '' } = JSON.parse(line) as { readonly id: string; readonly about?: string }
      return [id, about]
    }),
  )
}
