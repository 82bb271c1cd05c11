import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { formatNamed } from '@callspec/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import { builtInImplementation } from '../src/built-in/implementation.ts'
import { findCaseFiles, lintCases, readCases, readTaxonomy, runSuite } from '../src/index.ts'
import { readRetiredIds, reasonOf } from '../src/index.ts'
import type { Case, Taxonomy } from '../src/index.ts'
import { REPOSITORY } from './helpers/cases.ts'
import { fewOf } from '../../tidy/test/share.ts'

let root = ''
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'callspec-case-set-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const ID = 'acme/parse/calls#one call'
const CASE = {
  id: ID,
  profile: 'strict',
  about: 'One call.',
  evidence: ['https://example.org/1'],
  input: { text: 'x' },
}
const FIXTURE = { op: 'parse', format: 'acme', topic: 'calls', about: 'Calls of tools.', cases: [CASE] }
const ANSWER = { id: ID, expected: { items: [] } }
const GOLDEN = { writtenFor: 'README.md', answers: [ANSWER] }
const TAXONOMY: Taxonomy = {
  casesVersion: '1.0.0',
  formats: { acme: { about: 'A format.', traits: [] } },
  topics: [{ topic: 'calls', about: 'Calls.', hurts: 'They are lost.', required: ['parse'] }],
  gaps: [],
  notCases: [],
}

interface Given {
  readonly fixture?: object
  readonly golden?: object | null
  readonly path?: string
  readonly taxonomy?: Partial<Taxonomy>
  readonly retired?: readonly string[]
}

/** What lint says of a set of one file. */
async function findings({ fixture = FIXTURE, golden = GOLDEN, path, taxonomy, retired }: Given): Promise<string[]> {
  put(`fixtures/${path ?? 'acme/parse/calls.json'}`, fixture)
  if (golden !== null) put(`golden/${path ?? 'acme/parse/calls.json'}`, golden)
  const report = await lintCases(await findCaseFiles([join(root, 'fixtures')]), {
    taxonomy: { ...TAXONOMY, ...taxonomy },
    retired: new Set(retired),
  })
  return report.findings.map(({ where, what }) => `${where.split(/[\\/]/).slice(-1).join('')}: ${what}`)
}

function put(path: string, value: object): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), JSON.stringify(value))
}

/** A prompt of somebody's template, or of a format whose prompts callspec does not write. */
function isOfOthers({ op, profile, format }: Case): boolean {
  const writesPrompts = format === undefined || formatNamed(format)?.prompt !== null
  return op === 'render' && (profile.startsWith('chat-template@') || !writesPrompts)
}

describe('the cases of this repository', () => {
  it('have the form, the answers, the ids and the topics that they should have', async () => {
    const files = await findCaseFiles([resolve(REPOSITORY, 'fixtures')])

    const report = await lintCases(files, { taxonomy: readTaxonomy(), retired: readRetiredIds() })

    expect(report.findings).toEqual([])
    expect(report.files).toBeGreaterThan(200)
  })

  it.each(fewOf(Object.keys(readTaxonomy().formats), 6))(
    'about %s are answered as expected by the built-in implementation',
    async (format) => {
      const cases = readCases(await findCaseFiles([resolve(REPOSITORY, 'fixtures', format)]))
      const problems: string[] = []
      let passed = 0

      for await (const { case: item, verdict } of runSuite(cases, builtInImplementation())) {
        if (verdict.kind === 'passed') passed += 1
        // The prompts of other people's templates are theirs: callspec claims those that it writes.
        else if (verdict.kind === 'skipped' && verdict.isUnclaimed === true && isOfOthers(item)) continue
        else problems.push(`${verdict.kind} ${item.id}: ${reasonOf(verdict)}`)
      }

      expect(problems).toEqual([])
      expect(passed).toBeGreaterThan(100)
    },
  )

  it('are described by the schemas that are shipped, which name their own version', () => {
    for (const name of ['case-file', 'golden-file', 'taxonomy']) {
      const path = resolve(import.meta.dirname, `../schemas/${name}.schema.json`)
      const schema = JSON.parse(readFileSync(path, 'utf8')) as { readonly $id: string }

      expect(schema.$id).toBe(`urn:callspec:${name}:1`)
    }
  })
})

describe('lint', () => {
  it('finds nothing in a set without mistakes', async () => {
    expect(await findings({})).toEqual([])
  })

  it('finds an unknown member, of a file, a case and an answer', async () => {
    const inFile = await findings({ fixture: { ...FIXTURE, sort: 1 } })
    const inCase = await findings({ fixture: { ...FIXTURE, cases: [{ ...CASE, evidense: [] }] } })
    const inAnswer = await findings({ golden: { ...GOLDEN, answers: [{ ...ANSWER, expcted: {} }] } })

    expect(inFile.join()).toMatch(/^calls\.json: sort: /)
    expect(inCase.join()).toMatch(/^calls\.json: cases\/0\/evidense: /)
    expect(inAnswer.join()).toMatch(/^calls\.json: answers\/0\/expcted: /)
  })

  it('finds a case without profile, and one without a word about it', async () => {
    const { profile: _profile, ...unprofiled } = CASE
    const { about: _about, ...silent } = CASE

    expect((await findings({ fixture: { ...FIXTURE, cases: [unprofiled] } })).length).toBe(1)
    expect((await findings({ fixture: { ...FIXTURE, cases: [silent] } })).join()).toContain('about')
  })

  it('finds a missing golden file, a missing answer, and an answer without case', async () => {
    expect(await findings({ golden: null })).toEqual(['calls.json: has no golden twin.'])
    expect((await findings({ golden: { ...GOLDEN, answers: [{ ...ANSWER, id: 'other' }] } })).join()).toContain(
      `has no answer: `,
    )
    expect((await findings({ golden: { ...GOLDEN, answers: [ANSWER, { ...ANSWER, id: 'other' }] } })).join()).toContain(
      'answers the id "other"',
    )
  })

  it('finds an id that is used twice, in one file or in two, and one that was retired', async () => {
    const twice = await findings({ fixture: { ...FIXTURE, cases: [CASE, CASE] } })
    put('fixtures/more.jsonl', { id: ID, op: 'parse', input: {}, expected: {} })
    const inTwoFiles = await findings({})
    const retired = await findings({ retired: [ID] })

    expect(twice.join()).toContain(`uses the id "${ID}" a second time`)
    expect(inTwoFiles.join()).toMatch(/uses the id "acme\/parse\/calls#one call", as .*calls\.json/)
    expect(retired.join()).toContain('which was retired')
  })

  it('finds a case that asks the same as another one', async () => {
    const id = `${ID} again`
    const cases = [CASE, { ...CASE, id }]
    const golden = { ...GOLDEN, answers: [ANSWER, { ...ANSWER, id }] }

    const found = await findings({ fixture: { ...FIXTURE, cases }, golden })
    const other = await findings({
      fixture: { ...FIXTURE, cases: [CASE, { ...CASE, id, input: { text: 'b' } }] },
      golden,
    })

    expect(found).toEqual([`calls.json: cases[1]: "${id}" asks the same as "${ID}".`])
    expect(other).toEqual([])
  })

  it('finds a retired id also with the profiles of a case', async () => {
    const { profile: _profile, ...rest } = CASE
    const profiles = ['qwen-agent@main', 'qwen-agent@v0.0.26']
    const recordedFrom = { program: 'p', versions: { main: { version: '1' }, 'v0.0.26': { version: '1' } } }

    const found = await findings({
      fixture: { ...FIXTURE, cases: [{ ...rest, profiles }] },
      golden: { ...GOLDEN, recordedFrom },
      retired: [ID],
    })

    expect(found.length).toBe(2)
    expect(found.join()).toContain('which was retired')
  })

  it('finds an id that belongs to another file, and a file in the wrong place', async () => {
    const id = 'acme/parse/other#one call'
    const fixture = { ...FIXTURE, cases: [{ ...CASE, id }] }

    expect(await findings({ fixture, golden: { ...GOLDEN, answers: [{ ...ANSWER, id }] } })).toEqual([
      `calls.json: the id "${id}" must begin with "acme/parse/calls#".`,
    ])
    expect(await findings({ path: 'acme/calls.json' })).toContain(
      'calls.json: is about acme/parse/calls, so it must be called acme/parse/calls.json.',
    )
  })

  it('finds answers without a source', async () => {
    const recordedFrom = { program: 'p', versions: { main: { version: '1' } } }

    expect((await findings({ golden: { recordedFrom, answers: [ANSWER] } })).join()).toContain('under "strict"')
  })

  it('finds a gap without a reason, and accepts one with a reason', async () => {
    const topics = [...TAXONOMY.topics, { topic: 'thoughts', about: 'Thoughts.', required: ['parse' as const] }]
    const gap = { format: 'acme', op: 'parse', topic: 'thoughts', because: 'It has no thoughts.' }

    expect((await findings({ taxonomy: { topics } })).join()).toContain('thoughts: has no cases.')
    expect(await findings({ taxonomy: { topics, gaps: [gap] } })).toEqual([])
  })

  it('asks a format only for what applies to it', async () => {
    const topic = { topic: 'thoughts', about: 'Thoughts.', required: ['parse' as const], appliesIf: ['thinks'] }
    const topics = [...TAXONOMY.topics, topic]
    const formats = { acme: { about: 'A format.', traits: ['thinks'] } }

    expect(await findings({ taxonomy: { topics } })).toEqual([])
    expect((await findings({ taxonomy: { topics, formats } })).join()).toContain('thoughts: has no cases.')
  })

  it('asks of a part of a set only what concerns it: nothing for a file, its own operations for a folder', async () => {
    put('fixtures/acme/parse/calls.json', FIXTURE)
    put('golden/acme/parse/calls.json', GOLDEN)
    const thoughts = { topic: 'thoughts', about: 'Thoughts.', required: ['parse' as const, 'stop' as const] }
    const gaps = ['acme', 'other'].map((format) => ({ format, op: 'loop', topic: 'calls', because: 'None.' }))
    const formats = { ...TAXONOMY.formats, other: { about: 'Another one.', traits: [] } }
    const taxonomy = { ...TAXONOMY, formats, topics: [...TAXONOMY.topics, thoughts], gaps }
    const places = async (path: string, asks: 'all' | 'given'): Promise<readonly string[]> => {
      const files = await findCaseFiles([join(root, path)])
      const { findings: found } = await lintCases(files, { taxonomy, retired: new Set(), asks })
      return found.map(({ where }) => where)
    }

    const all = ['acme/stop/thoughts', 'other/parse/calls', 'other/parse/thoughts', 'other/stop/thoughts']
    const excused = ['acme/loop/calls', 'other/loop/calls']
    expect((await places('fixtures', 'all')).toSorted()).toEqual(['acme/parse/thoughts', ...all, ...excused].toSorted())
    expect(await places('fixtures', 'given')).toEqual(['acme/parse/thoughts'])
    expect(await places('fixtures/acme/parse/calls.json', 'given')).toEqual([])
  })

  it('finds an excuse that is not needed', async () => {
    const gap = { format: 'acme', op: 'parse', topic: 'calls', because: 'Nobody got around to it.' }

    expect(await findings({ taxonomy: { gaps: [gap] } })).toEqual(['calls: is excused under "gaps", and has cases.'])
    expect(await findings({ taxonomy: { gaps: [{ ...gap, op: 'stop' }] } })).toEqual([
      'calls: is listed under "gaps", but no rule asks for it.',
    ])
  })

  it('finds a topic and a format that the taxonomy does not know', async () => {
    expect((await findings({ taxonomy: { topics: [] } })).join()).toContain('has no topic "calls"')
    expect((await findings({ taxonomy: { formats: {} } })).join()).toContain('has no format "acme"')
  })

  it('finds a topic that hurts, and no report of it', async () => {
    const { evidence: _evidence, ...bare } = CASE

    expect((await findings({ fixture: { ...FIXTURE, cases: [bare] } })).join()).toContain('no case with "evidence"')
  })

  it('goes on after a file that is no JSON', async () => {
    mkdirSync(join(root, 'fixtures'))
    writeFileSync(join(root, 'fixtures/broken.json'), '{"op": "parse", "cases": [')

    const found = await findings({ retired: [ID] })

    expect(found.length).toBe(2)
    expect(found.join()).toContain('is not JSON')
    expect(found.join()).toContain('which was retired')
  })
})
