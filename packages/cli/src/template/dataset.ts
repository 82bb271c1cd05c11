import { FORMAT_IDS } from '@callspec/core/formats'
import { closeSync, openSync, realpathSync, renameSync, rmSync, writeSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Format } from '@callspec/core'
import { formatNamed } from '@callspec/core'
import { plural } from '@callspec/eval/text'
import type { DatasetDetail, DatasetResult, DatasetRule, DatasetUnit } from '@callspec/template/check'
import { createDatasetChecker, createDatasetTemplate, DATASET_RULES, escapeMarkers } from '@callspec/template/check'
import type { ExitCode, Invocation } from '../command.ts'
import { EXIT } from '../command.ts'
import type { Output } from '../output.ts'
import { inert, quotedLine, visibleWhiteSpace } from '../output.ts'
import { readShare, sourceLines } from '../score/run.ts'
import { didYouMean, messageOf, systemCode, UsageError } from '../usage-error.ts'
import { workProgress } from '../work-progress.ts'
import { openCompiledSource, variableSettings } from './source.ts'

export async function runDataset(invocation: Invocation): Promise<ExitCode> {
  const { positionals, options, output } = invocation
  const [path, data] = positionals
  if (path === undefined || data === undefined)
    throw new UsageError('callspec template dataset needs a SOURCE and a file of JSON lines with "messages".')
  const source = await openCompiledSource(path, invocation)
  if (source.kind === 'server')
    throw new UsageError(`${source.name}: does not show its template. Give the template's file instead.`)
  const format = chosenFormat(options.text('format'))
  const template = await createDatasetTemplate(source, variableSettings(options), format)
  const copy = openCopy(options.text('fix'), data)
  const checker = createDatasetChecker(template, { everyTurn: options.flag('every-turn') })
  const progress = workProgress({ output, noun: 'conversation' })
  const { onRead, share } = readShare(data)
  let number = 0
  try {
    for await (const line of sourceLines(data, onRead)) {
      number += 1
      copy?.write(line.trim() === '' ? line : escapeMarkers(line, template.markers))
      if (line.trim() === '') continue
      checker.check(line, `${data === '-' ? 'stdin' : data}:${number}`)
      progress.step(number, share())
    }
  } catch (error) {
    copy?.drop()
    throw error
  }
  output.progressDone()
  copy?.done()
  const { result } = checker
  if (!result.seen.has('conversations')) throw new UsageError(`${data}: contains no conversation.`)
  const names = { source: source.name, data }
  if (options.flag('json')) output.write(`${JSON.stringify(datasetJson(result, names), null, 2)}\n`)
  else printDataset(result, names, output)
  return result.counts.size === 0 ? EXIT.ok : EXIT.disagreement
}

/** A copy of a data set, written line by line; it gets its name when all of it is there. */
interface DatasetCopy {
  write(line: string): void
  done(): void
  /** Removes what was written. */
  drop(): void
}

/** @throws UsageError for the data set itself, and for a file that cannot be written */
function openCopy(path: string | null, data: string): DatasetCopy | null {
  if (path === null) return null
  if (data !== '-' && realPath(path) === realPath(data))
    throw new UsageError(`--fix ${path}: is the data set itself, which is never changed. Name another file.`)
  const partial = `${path}.partial`
  try {
    const file = openSync(partial, 'w')
    return {
      write: (line) => void writeSync(file, `${line}\n`),
      done: () => {
        closeSync(file)
        renameSync(partial, path)
      },
      drop: () => {
        closeSync(file)
        rmSync(partial, { force: true })
      },
    }
  } catch (error) {
    throw new UsageError(`--fix ${path}: cannot be written (${systemCode(error) ?? messageOf(error)}).`)
  }
}

function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return resolve(path)
  }
}

function chosenFormat(name: string | null): Format | null {
  if (name === null) return null
  const format = formatNamed(name)
  if (format !== null) return format
  throw new UsageError(`Unknown format "${name}".${didYouMean(name, FORMAT_IDS)} callspec formats lists all.`)
}

interface Names {
  readonly source: string
  readonly data: string
}

/** Prints a rate for every rule with findings, and the first examples. */
function printDataset({ seen, counts, examples }: DatasetResult, { source, data }: Names, output: Output): void {
  const count = (unit: DatasetUnit): number => seen.get(unit) ?? 0
  output.line(
    inert(
      `${data} under ${source}: ${plural(count('conversations'), 'conversation')}, ${plural(count('all turns'), 'turn')} of the model`,
    ),
  )
  output.line(
    `checked: the prompts of ${plural(count('turns'), 'turn')}, ${plural(count('calls'), 'call')}, ${plural(count('messages'), 'message')}`,
  )
  for (const rule of rulesWith(counts)) {
    const { of, about } = DATASET_RULES[rule]
    const found = counts.get(rule) ?? 0
    output.line()
    output.line(
      `${output.paint('red', '✗')} ${rule}  ${found} of ${plural(count(of), of === 'replies' ? 'reply' : of.slice(0, -1), of)} (${rateText(found, count(of))}): ${about}`,
    )
    for (const { where, message, detail } of examples.get(rule) ?? [])
      output.line(inert(`  ${where}${message === null ? '' : ` messages[${message}]`}  ${detailText(detail)}`))
  }
  if (rulesWith(counts).length === 0) output.line('nothing found')
}

function rulesWith(counts: DatasetResult['counts']): readonly DatasetRule[] {
  return [...counts.keys()].toSorted((left, right) => order(left) - order(right))
}

function order(rule: DatasetRule): number {
  return Object.keys(DATASET_RULES).indexOf(rule)
}

function rateText(part: number, whole: number): string {
  return whole === 0 ? '-' : `${((100 * part) / whole).toFixed(1)} %`
}

/** The evidence of a finding, in one line. */
function detailText(detail: DatasetDetail): string {
  switch (detail.kind) {
    case 'raise':
      return `${detail.error.type}: ${quotedLine(detail.error.message, 120)}`
    case 'difference':
      return `from character ${detail.at} on: ${visibleWhiteSpace(detail.before)} | ${visibleWhiteSpace(detail.after)}`
    case 'call':
      return `${detail.name === null ? 'a call' : quotedLine(detail.name)} in "${quotedLine(detail.reply, 100)}"`
    case 'message':
      return `${detail.role === null ? 'message' : quotedLine(detail.role, 20)}: "${quotedLine(detail.text)}"`
    default:
      return `"${quotedLine(detail.text)}"`
  }
}

function datasetJson({ seen, counts, examples }: DatasetResult, { source, data }: Names): object {
  return {
    template: source,
    data,
    looked_at: Object.fromEntries(seen),
    findings: rulesWith(counts).map((rule) => ({
      rule,
      count: counts.get(rule) ?? 0,
      of: seen.get(DATASET_RULES[rule].of) ?? 0,
      unit: DATASET_RULES[rule].of,
      examples: (examples.get(rule) ?? []).map(({ where, message, detail }) => ({
        where,
        message,
        detail: detailText(detail),
      })),
    })),
  }
}
