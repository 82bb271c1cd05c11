import { formatNamed } from '@callspec/core'
import type { Format } from '@callspec/core'
import { plural } from '@callspec/eval/plural'
import type { Invocation } from '../../command.ts'
import { EXIT } from '../../exit-codes.ts'
import type { ExitCode } from '../../exit-codes.ts'
import { FORMAT_NAMES } from '../../formats.ts'
import { didYouMean } from '../../nearest.ts'
import { sourceLines } from '../../score/source-lines.ts'
import { UsageError } from '../../usage-error.ts'
import { openSide } from '../diff/side.ts'
import { variableSettings } from '../render/variables.ts'
import { checkSample } from './check-sample.ts'
import { createTurnChooser } from './choose-turns.ts'
import { createDatasetTemplate } from './dataset-template.ts'
import type { DatasetFinding, DatasetRule, Tally, Unit } from './finding.ts'
import { datasetJson, printDataset } from './print-dataset.ts'
import { readSample } from './sample.ts'

/** So many examples of each rule are kept. */
const EXAMPLES = 3

/** `callspec template dataset`. */
export async function runDataset(invocation: Invocation): Promise<ExitCode> {
  const { positionals, options, output } = invocation
  const [path, data] = positionals
  if (path === undefined || data === undefined)
    throw new UsageError('callspec template dataset needs a SOURCE and a file of JSON lines with "messages".')
  const source = await openSide(path, invocation)
  if (source.kind === 'server')
    throw new UsageError(`${source.name}: does not show its template. Give the template's file instead.`)
  const format = formatOf(options.text('format'))
  const template = await createDatasetTemplate(source, variableSettings(options), format)
  const chooser = createTurnChooser({ everyTurn: options.flag('every-turn') })
  const { tally, seen, counts, examples } = createTally()
  let number = 0
  for await (const line of sourceLines(data)) {
    number += 1
    if (line.trim() === '') continue
    checkSample(readSample(line, `${data === '-' ? 'stdin' : data}:${number}`), { template, chooser, tally })
    output.progress(plural(number, 'conversation'))
  }
  output.progressDone()
  if (!seen.has('conversations')) throw new UsageError(`${data}: holds no conversation.`)
  const result = { source: source.name, data, seen, counts, examples }
  if (options.flag('json')) output.write(`${JSON.stringify(datasetJson(result), null, 2)}\n`)
  else printDataset(result, output)
  return counts.size === 0 ? EXIT.ok : EXIT.disagreement
}

function formatOf(name: string | null): Format | null {
  if (name === null) return null
  const format = formatNamed(name)
  if (format !== null) return format
  throw new UsageError(
    `Unknown format "${name}".${didYouMean(name, FORMAT_NAMES)} Known formats: ${FORMAT_NAMES.join(', ')}.`,
  )
}

interface KeptTally {
  readonly tally: Tally
  readonly seen: ReadonlyMap<Unit, number>
  readonly counts: ReadonlyMap<DatasetRule, number>
  readonly examples: ReadonlyMap<DatasetRule, readonly DatasetFinding[]>
}

function createTally(): KeptTally {
  const seen = new Map<Unit, number>()
  const counts = new Map<DatasetRule, number>()
  const examples = new Map<DatasetRule, DatasetFinding[]>()
  const tally: Tally = {
    saw: (unit, count = 1) => {
      seen.set(unit, (seen.get(unit) ?? 0) + count)
    },
    found: (finding) => {
      const { rule } = finding
      counts.set(rule, (counts.get(rule) ?? 0) + 1)
      const kept = examples.get(rule) ?? []
      if (kept.length < EXAMPLES) examples.set(rule, [...kept, finding])
    },
  }
  return { tally, seen, counts, examples }
}
