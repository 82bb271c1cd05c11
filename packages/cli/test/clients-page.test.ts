import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { apiOf } from '@callspec/apis'
import type { ClientList } from '../engine/src/client-report.ts'
import { KINDS, readClientReports } from '../engine/src/client-report.ts'
import { clientPages } from '../engine/src/clients-page.ts'

const ROOT = resolve(import.meta.dirname, '../../..')
const FOLDER = join(ROOT, 'packages/conformance/adapters/clients')
const LIST = JSON.parse(readFileSync(join(FOLDER, 'clients.json'), 'utf8')) as ClientList

describe('the reports of clients', () => {
  const reports = readClientReports(join(ROOT, 'reports/clients'), LIST)

  it('make the tables of docs/clients.md, and reports/clients/smallest.md (UPDATE_PAGES=1 writes them)', () => {
    for (const [path, text] of clientPages(ROOT, LIST)) {
      if (process.env['UPDATE_PAGES'] === '1') writeFileSync(join(ROOT, path), text)
      expect(readFileSync(join(ROOT, path), 'utf8')).toBe(text)
    }
  })

  it('are of the versions that clients.json lists, each of which has its adapter and its packages', () => {
    const names = LIST.clients.map(({ name, version }) => `${name}@${version}`)

    expect(reports.map(({ client, version }) => `${client}@${version}`)).toEqual(names)
    for (const { row, command } of LIST.clients) {
      const [, file = ''] = /\{adapter\}\/([\w.-]+)/.exec(command) ?? []
      expect(existsSync(join(FOLDER, file)), command).toBe(true)
      expect(LIST.rows[row]?.packages.length, row).toBeGreaterThan(0)
    }
  })

  it('have streams for each kind of change, none that was not answered, and a stream for each fault', () => {
    for (const { client, counts, faults } of reports) {
      for (const [api, kinds] of Object.entries(counts)) {
        expect(Object.keys(kinds).toSorted(), `${client} ${api}`).toEqual([...KINDS].toSorted())
        for (const kind of KINDS) expect(kinds[kind], `${client} ${api} ${kind}`).not.toHaveProperty('errored')
      }
      for (const { api, text } of faults) expect(apiOf(text) ?? api, client).toBe(api)
    }
  })

  it('show what is known of the makers’ clients', () => {
    const reasons = (client: string, change: string): string =>
      reports
        .filter((report) => report.client === client)
        .flatMap(({ faults }) => faults.filter((fault) => fault.change === change))
        .map(({ reason }) => reason)
        .join('\n')

    // Reasoning is replaced by each delta, cut arguments become {}, the last event is believed.
    expect(reasons('openai', 'plain')).toMatch(/^gave reasoning "/m)
    expect(reasons('anthropic', 'plain')).toMatch(
      /^gave call get_weather \{\} \(call_a1\) instead of call get_weather \{"city": "Os/m,
    )
    expect(reasons('openai', 'final-text-differs')).toMatch(/^gave text "Another text\."/m)
  })
})
