import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openCompatData } from '@callspec/compat-data'
import type { Case } from '@callspec/conformance'
import { findCaseFiles, readCases } from '@callspec/conformance'
import { afterAll, describe, expect, it } from 'vitest'

import { caseAddress } from '../src/compat/addresses.ts'
import { readyReports } from '../src/compat/engine-page.ts'
import { compatSite } from '../src/compat/site.ts'
import type { CompatSite } from '../src/compat/site.ts'
import { SYMPTOMS, symptomOf } from '../src/compat/symptoms.ts'
import { HOSTILE } from './helpers/reports.ts'

const home = mkdtempSync(join(tmpdir(), 'callspec-compat-site-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))

const ID = (name: string): string => `nous/parse/escapes#${name}`
const EXPECTED = { items: [{ type: 'call', name: 'f', arguments: '{"q": 1}' }] }

/** Cases a to d; the text of a is hostile. */
async function madeCases(): Promise<readonly Case[]> {
  const lines = ['a', 'b', 'c', 'd'].map((name) =>
    JSON.stringify({
      ...{
        id: ID(name),
        op: 'parse',
        format: 'nous',
        profile: 'strict',
        about: HOSTILE,
        evidence: ['javascript:alert(1)'],
      },
      ...{ input: { text: name === 'a' ? ` ${HOSTILE}\n` : 'x' }, expected: EXPECTED },
    }),
  )
  writeFileSync(join(home, 'nous.jsonl'), `${lines.join('\n')}\n`)
  const cases: Case[] = []
  for await (const item of readCases(await findCaseFiles([join(home, 'nous.jsonl')]))) cases.push(item)
  return cases
}

function writeData(): string {
  const folder = join(home, 'data')
  for (const name of ['engines', 'answers']) mkdirSync(join(folder, name), { recursive: true })
  const version = (number: string, date: string): object => ({
    ...{ version: number, date, commit: null, ran: date, casesVersion: '1.0.0' },
  })
  const row = (number: string, date: string, cases: object): void => {
    const head = { compatData: 1, engine: 'acme', title: 'Acme', what: HOSTILE, dated: 'x', stubs: ['torch'] }
    const counts = { passed: 2, failed: 1, cut: 1 }
    const results = [{ parser: 'p', format: 'nous', operation: 'parse', counts, asked: 'all', cases }]
    const rest = {
      notAsked: [{ parser: 'q', why: HOSTILE }],
      commands: { repeat: "run '{parser}/{format}' --id '{case}'" },
      results,
    }
    writeFileSync(
      join(folder, `engines/acme@${number}.json`),
      JSON.stringify({ ...head, ...version(number, date), ...rest }),
    )
  }
  row('2', '2026-10-01', { [ID('a')]: ['failed', 'x'], [ID('b')]: ['cut', 'y'] })
  row('1', '2026-09-01', { [ID('b')]: ['cut', 'y'], [ID('c')]: ['refused', 'x'] })
  const versions = [
    { ...version('2', '2026-10-01'), file: 'engines/acme@2.json' },
    { ...version('1', '2026-09-01'), file: 'engines/acme@1.json' },
  ]
  const engines = [{ name: 'acme', title: 'Acme', what: 'x', flags: [], answers: 'answers/acme.json', versions }]
  writeFileSync(join(folder, 'index.json'), JSON.stringify({ compatData: 1, casesVersion: '1.0.0', engines }))
  writeFileSync(join(folder, 'answers/acme.json'), JSON.stringify({ x: HOSTILE, y: '{"content":"<tool_call>"}' }))
  writeFileSync(join(folder, 'asked.json'), JSON.stringify({ all: ['a', 'b', 'c', 'd'].map(ID) }))
  writeFileSync(join(folder, 'contested.json'), JSON.stringify({ [ID('b')]: 'readers do not agree' }))
  return folder
}

async function filesOf(more: Partial<CompatSite> = {}): Promise<ReadonlyMap<string, string>> {
  const redirects = new Map([
    ['nous/parse/old#a', ID('a')],
    ['nous/parse/old#d', ID('d')],
  ])
  const reports = new Map([['acme', `# Acme\n\n## 1. It drops a call\n\n${HOSTILE}\n`]])
  const site = {
    data: openCompatData(writeData()),
    cases: await madeCases(),
    redirects,
    reports,
    repository: '',
    base: '',
    ...more,
  }
  return new Map(Array.from(compatSite(site), ({ path, text }) => [path, text]))
}

describe('the compatibility site', () => {
  it('has a page for every case on which a shown version differs, and leads old ids to it', async () => {
    const files = await filesOf()

    expect(['a', 'b', 'c', 'd'].map((name) => files.has(caseAddress(ID(name))))).toEqual([true, true, true, false])
    expect(files.get(caseAddress('nous/parse/old#a'))).toContain(`../../../${caseAddress(ID('a'))}`)
    expect(files.get(caseAddress('nous/parse/old#d'))).toContain('case.html#nous%2Fparse%2Fescapes%23d')
    expect(files.get('data/nous.jsonl')?.split('\n')).toHaveLength(5)
  })

  it('shows texts of models, engines and reports as texts', async () => {
    for (const [path, text] of await filesOf()) {
      if (!path.endsWith('.html')) continue
      expect(text, path).not.toContain('<script>window')
      expect(text, path).not.toContain('<img src=x')
      expect(text, path).not.toContain('href="javascript:')
    }
  })

  it('says what is wrong by version, what is contested, and the command that repeats it', async () => {
    const files = await filesOf()
    const [wrong = '', contested = ''] = ['a', 'b'].map((name) => files.get(caseAddress(ID(name))))

    expect(wrong).toContain(`run &#39;p/nous&#39; --id &#39;${ID('a')}&#39;`)
    expect(wrong).toContain('<th scope="row">2 (2026-10-01)</th>')
    expect(contested).toContain('<th scope="row">2 (2026-10-01), 1 (2026-09-01)</th>')
    expect(wrong).toContain('<i>␣</i>')
    expect(contested).toContain('readers do not agree')
  })

  it('says on the page of an engine what is new, what is gone, and what can be filed', async () => {
    const page = (await filesOf()).get('engines/acme.html') ?? ''

    expect(page).toContain('Since 1: 1 new wrong cases, 1 gone.')
    expect(page).toContain('<summary>1. It drops a call</summary>')
    expect(page).toContain('src="../badges/acme/nous.svg"')
  })

  it('has a feed, and badges with more than a rate', async () => {
    const files = await filesOf({ base: 'https://example.org/compat/' })
    const feed = JSON.parse(files.get('feed.json') ?? '') as { readonly items: readonly object[] }

    expect(feed).toMatchObject({
      version: 'https://jsonfeed.org/version/1.1',
      feed_url: 'https://example.org/compat/feed.json',
    })
    expect(feed.items).toMatchObject([
      { id: 'acme@2', title: 'Acme 2: 1 new, 1 gone since 1', url: 'https://example.org/compat/engines/acme.html' },
    ])
    expect(JSON.parse(files.get('badges/acme/nous.json') ?? '')).toEqual({
      ...{ schemaVersion: 1, label: 'Acme 2 · nous', message: '2/4 · 1 cut by policy', color: 'red' },
    })
    expect(files.get('badges/acme/nous.svg')).toContain('2/4 · 1 cut by policy')
  })

  it('fails with links that lead nowhere', async () => {
    const data = openCompatData(writeData())
    const cases = (await madeCases()).filter(({ id }) => id !== ID('a'))

    await expect(filesOf({ data, cases })).rejects.toThrow(
      `links that lead nowhere:\nengines/acme.html: ${caseAddress(ID('a'))}`,
    )
  })
})

describe('symptoms', () => {
  const call = (name: string, given: string): object => ({ name, arguments: given })
  const expected = { content: 'Hi.', calls: [call('f', '{"a": 1, "b": 2}')] }
  const symptom = (given: object | string, operation = 'parse'): string =>
    symptomOf('failed', typeof given === 'string' ? given : JSON.stringify(given), { operation, expected })

  it.each([
    [{ content: 'Hi.<tool_call>', calls: [] }, 'call-in-content'],
    [{ content: 'Hi.', calls: [] }, 'call-missing'],
    [{ content: 'Hi.', calls: [call('f', '{}')] }, 'arguments-empty'],
    [{ content: 'Hi.', calls: [call('f', '{"a": "1", "b": 2}')] }, 'arguments-differ'],
    [{ content: 'Hi.', calls: [call('g', '{}')] }, 'name-differs'],
    [{ content: 'Hi.', calls: [call('f', '{}'), call('f', '{}')] }, 'call-too-many'],
    [{ content: '', calls: [call('f', '{"b": 2, "a": 1}')] }, 'text-lost'],
    [{ content: 'Hi.', reasoning: 'x', calls: [call('f', '{"b": 2, "a": 1}')] }, 'reasoning-differs'],
    ['{"content": "cut off', 'other'],
  ])('%j is %s', (given, name) => {
    expect(symptom(given)).toBe(name)
    expect(SYMPTOMS[name]).toBeDefined()
  })

  it('folds deltas, and names what a stream lacks', () => {
    const deltas = [
      { delta: { content: 'Hi' } },
      { delta: { content: '.', calls: [{ index: 0, name: 'f', arguments: '{"a": 1,' }] } },
    ]

    expect(symptom({ deltas: [{ delta: { content: 'Hi.' } }] }, 'stream')).toBe('stream-lacks-call')
    expect(
      symptom({ deltas: [...deltas, { delta: { calls: [{ index: 0, arguments: ' "b": 3}' }] } }] }, 'stream'),
    ).toBe('arguments-differ')
  })
})

describe('ready reports', () => {
  it('are the parts of a file of Markdown, at most ten', () => {
    expect(readyReports('# Acme\n\nx\n\n## One\n\ntext\n\n### More\n## Two')).toEqual([
      { title: 'One', text: 'text\n\n### More' },
      { title: 'Two', text: '' },
    ])
    expect(readyReports('## x\n'.repeat(12))).toHaveLength(10)
  })
})
