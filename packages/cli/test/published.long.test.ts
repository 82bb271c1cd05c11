import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'

import { ADAPTERS, readEngines, rowsOf } from '../engine/src/engine-file.ts'
import type { EngineRow } from '../engine/src/engine-file.ts'
import { askAgain } from '../engine/src/engine-report.ts'
import type { Deviation } from '../engine/src/engine-report.ts'
import { readReports } from '../engine/src/report-files.ts'
import { folderWith } from './helpers/folder.ts'

const ROOT = resolve(import.meta.dirname, '../../..')
/** Where `pnpm engines` has installed rows. */
const INSTALLED = process.env['CALLSPEC_ENGINES'] ?? join(ROOT, '.engines')
const SAMPLE = 30

const engines = readEngines(ADAPTERS)
const rows = rowsOf(
  engines,
  engines.map(({ name }) => name),
  { adapters: ADAPTERS, installed: INSTALLED },
).filter(({ folder }) => existsSync(folder))

/** Failures of the installed rows: of each row as many, spread over its report. */
function sample(): readonly { readonly row: EngineRow; readonly published: Deviation }[] {
  const share = Math.ceil(SAMPLE / Math.max(1, rows.length))
  const reports = readReports(join(ROOT, 'reports/engines'))
  return rows.flatMap((row) => {
    const own = reports.find(({ engine, version }) => engine === row.engine.name && version === row.version.version)
    const failures = (own?.deviations ?? []).filter(
      ({ verdict }) => !['skipped', 'synthetic', 'errored'].includes(verdict),
    )
    const step = Math.max(1, Math.floor(failures.length / share))
    return failures
      .filter((_, at) => at % step === Math.floor(step / 2))
      .slice(0, share)
      .map((published) => ({ row, published }))
  })
}

const asked = sample()

it.skipIf(asked.length === 0)(
  `failures that were published repeat: ${asked.length} of ${rows.length} installed rows (pnpm engines NAME installs one; CALLSPEC_ENGINES names another folder)`,
  async () => {
    const scratch = folderWith({})
    for (const { row, published } of asked) {
      const again = await askAgain(row, published, scratch)
      const { verdict, gave } = again ?? { verdict: 'not asked', gave: '' }
      const place = `${row.engine.name}@${row.version.version} ${published.parser} ${published.id}`
      expect([place, verdict, gave.slice(0, 200)]).toEqual([place, published.verdict, published.gave.slice(0, 200)])
    }
  },
  600_000,
)
