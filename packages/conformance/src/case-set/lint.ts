import { InputError } from '@callspec/core'
import { dumps, isDict, isList } from '@callspec/python'

import type { FileContent } from '../case-file.ts'
import { readCases, readFixture, readGolden } from '../case-store.ts'
import type { CaseFile } from '../case-store.ts'
import type { Case } from '../case.ts'
import { checkFile, findingOf, isTopicFile } from './check-file.ts'
import { findGaps } from './gaps.ts'
import type { Finding, TopicFile } from './gaps.ts'
import type { Taxonomy } from './taxonomy.ts'

/** What a set of cases is held against. */
export interface LintRules {
  readonly taxonomy: Taxonomy
  readonly retired: ReadonlySet<string>
  /** Whether a whole set is looked at, or a part: then only what concerns the given files. Default: all. */
  readonly asks?: 'all' | 'given'
}

/** What was found, and how much was looked at. */
export interface LintReport {
  readonly findings: readonly Finding[]
  readonly files: number
  readonly cases: number
}

/**
 * Looks at a whole set of cases: the form of every file, golden twins, ids that are used twice or were retired, and what
 * the taxonomy asks for. Goes on after a finding; nothing is judged.
 */
export async function lintCases(
  files: readonly CaseFile[],
  { taxonomy, retired, asks = 'all' }: LintRules,
): Promise<LintReport> {
  const findings: Finding[] = []
  const topics: TopicFile[] = []
  const seen = new Map<string, string>()
  const asked = new Map<string, string>()
  let looked = 0
  for (const file of files) {
    const { fixture, found, cases } = await lintFile(file)
    if (fixture === null && cases.length === 0 && found.length === 0) continue
    looked += 1
    findings.push(...found, ...cases.flatMap((item) => wrongId(item, { seen, retired })))
    if (fixture === null || !isTopicFile(fixture.value)) continue
    topics.push(topicOf(fixture, file.named))
    findings.push(...cases.flatMap((item) => askedTwice(item, asked)))
  }
  findings.push(...findGaps(topics, { taxonomy, asks }))
  return { findings, files: looked, cases: seen.size }
}

interface LintedFile {
  readonly fixture: FileContent | null
  readonly found: readonly Finding[]
  readonly cases: readonly Case[]
}

async function lintFile(file: CaseFile): Promise<LintedFile> {
  try {
    const fixture = file.path.endsWith('.json') ? await readFixture(file.path) : null
    if (fixture !== null) {
      const { findings, cases } = checkFile(fixture, await readGolden(file.path))
      return { fixture, found: findings, cases }
    }
    // JSON Lines, or another file, of which a run would complain as well.
    const cases: Case[] = []
    for await (const item of readCases([file])) cases.push(item)
    return { fixture, found: [], cases }
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    return { fixture: null, found: [findingOf(error)], cases: [] }
  }
}

function wrongId(
  { id, where }: Case,
  { seen, retired }: { readonly seen: Map<string, string>; readonly retired: ReadonlySet<string> },
): readonly Finding[] {
  const first = seen.get(id)
  const base = id.replace(/@[^#]*$/, '')
  if (retired.has(id) || retired.has(base)) return [{ where, what: `uses the id "${id}", which was retired.` }]
  if (first !== undefined) return [{ where, what: `uses the id "${id}", as ${first} does.` }]
  seen.set(id, where)
  return []
}

/** Two cases about topics that ask the same: one of them says nothing. */
function askedTwice(
  { id, op, format = '', profile, input, plain = [], where }: Case,
  asked: Map<string, string>,
): readonly Finding[] {
  const question = JSON.stringify([op, format, profile, plain, dumps(input)])
  const first = asked.get(question)
  if (first !== undefined) return [{ where, what: `"${id}" asks the same as "${first}".` }]
  asked.set(question, id)
  return []
}

function topicOf({ file, value }: FileContent, named: boolean): TopicFile {
  const [format = '', op = '', topic = ''] = ['format', 'op', 'topic'].map((key) => String(value.get(key)))
  const cases = value.get('cases')
  const hasEvidence = isList(cases) && cases.some((item) => isDict(item) && item.has('evidence'))
  return { file, format, op, topic, hasEvidence, named }
}
