import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

import type { EngineOperation, EngineRow } from '../engine/src/engine-file.ts'
import { ADAPTERS, pairsOf, readEngines, rowsOf } from '../engine/src/engine-file.ts'
import { pythonPath, wordsOf } from '../engine/src/engine-report.ts'
import { callspec } from '../engine/src/program.ts'

const ROOT = resolve(import.meta.dirname, '../../..')
/** Where `pnpm engines` has installed rows. */
const INSTALLED = process.env['CALLSPEC_ENGINES'] ?? join(ROOT, '.engines')
const SAMPLE = 30

/** A case that has not passed, as a report names it. */
interface Published {
  readonly parser: string
  readonly format: string
  readonly id: string
  readonly verdict: string
}

/** Verdicts that `conformance run --id` prints as a wrong answer. */
const WRONG = new Set(['id', 'number', 'cut', 'refused', 'failed'])

/** Every n-th of the failures, so that all formats are met. */
function sampleOf(row: EngineRow): readonly Published[] {
  const file = join(ROOT, 'reports/engines', `${row.engine.name}@${row.version.version}.json`)
  if (!existsSync(file)) return []
  const { deviations } = JSON.parse(readFileSync(file, 'utf8')) as { readonly deviations: readonly Published[] }
  const failures = deviations.filter(({ verdict }) => WRONG.has(verdict))
  const step = Math.max(1, Math.floor(failures.length / SAMPLE))
  return failures.filter((_, at) => at % step === 0).slice(0, SAMPLE)
}

/** Asks the case again as `pnpm engines --only --id` does. Whether the answer is wrong again. */
async function repeats(row: EngineRow, { parser, format, id }: Published): Promise<boolean> {
  const pair = pairsOf(row).find((each) => each.parser === parser && each.format === format)
  if (pair === undefined) return false
  const isCut = / ~[a-z]+(?:-\d)?$/.test(id)
  const op: EngineOperation = isCut ? 'cut' : (id.split('/')[1] as EngineOperation)
  const words = [...wordsOf(row, pair, op), '--id', isCut ? id.replace(/ ~[^~]*$/, '') : id]
  const { code, stdout } = await callspec(words, row.folder, pythonPath(row))
  // Long ids are printed with a gap in the middle.
  return code === 1 && stdout.includes(`✗ ${id.slice(0, 30)}`)
}

describe.each(['vllm', 'sglang'])('failures of reports/engines/%s', (name) => {
  const engines = readEngines(ADAPTERS)
  const [row] = rowsOf(engines, [name], { adapters: ADAPTERS, installed: INSTALLED })
  const isThere = row !== undefined && existsSync(row.folder)

  it.skipIf(!isThere)(
    `repeat by their command: ${String(SAMPLE)} of them (needs the row: pnpm engines ${name})`,
    async () => {
      if (row === undefined) return
      const sample = sampleOf(row)
      expect(sample.length).toBeGreaterThan(0)
      const lost: string[] = []
      for (const each of sample) if (!(await repeats(row, each))) lost.push(`${each.parser}: ${each.id}`)
      expect(lost).toEqual([])
    },
    3_600_000,
  )
})
