import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { REPOSITORY } from './helpers/cases.ts'
import { runClient } from '../src/clients/index.ts'

/** A folder with `client-openai` and others, as `pnpm clients --into FOLDER` installs them. */
const INSTALLED = process.env['CALLSPEC_CLIENTS'] ?? ''
const ADAPTERS = resolve(import.meta.dirname, '../adapters/clients')

interface Listed {
  readonly clients: readonly {
    readonly name: string
    readonly version: string
    readonly row: string
    readonly command: string
  }[]
}

interface Report {
  readonly faults: readonly { readonly api: string; readonly change: string; readonly fault: string }[]
}

const { clients } = JSON.parse(readFileSync(join(ADAPTERS, 'clients.json'), 'utf8')) as Listed

/** Faults of unchanged streams, and of some changes, in the order of their names. */
const CHANGES = ['plain', 'ends-early', 'interleaved-calls', 'error-and-more', 'final-text-differs']

describe('the clients that are installed (set CALLSPEC_CLIENTS)', () => {
  it.each(clients)(
    '$name reads as its report says',
    async ({ name, version, row, command }) => {
      const folder = join(INSTALLED, `client-${row}`)
      if (INSTALLED === '' || !existsSync(folder)) {
        process.stderr.write(`${name}: skipped, there is no client-${row} in CALLSPEC_CLIENTS\n`)
        return
      }
      const path = join(REPOSITORY, `reports/clients/${name}@${version}.json`)
      const report = JSON.parse(readFileSync(path, 'utf8')) as Report
      const { findings } = await runClient({
        ...{ apis: [], seed: 0, recorded: null, timeLimit: 20_000, version: '0' },
        ids: CHANGES.map((change) => `*/${change}`),
        command: command.replaceAll('{adapter}', ADAPTERS).replaceAll('{row}', folder),
      })
      const faultsOf = (all: Report['faults']): readonly string[] =>
        all
          .filter(({ change }) => CHANGES.includes(change))
          .map((each) => `${each.api} ${each.change} ${each.fault}`)
          .toSorted()
      const found = findings.map(({ item: { api, change }, verdict: { fault } }) => ({ api, change: change.id, fault }))

      expect(faultsOf(found)).toEqual(faultsOf(report.faults))
    },
    120_000,
  )
})
