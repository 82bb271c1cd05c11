import { InputError } from '@callspec/core'
import { isAboutMeaning } from '../comparison/normal-form.ts'
import type { PyDict, PyValue } from '@callspec/python'
import { dumps, isDict, isList, toPlain } from '@callspec/python'
import type { FileContent } from './case-file.ts'
import { joinFixture } from './case-file.ts'
import type { CaseFile } from './case-store.ts'
import { readCases, readFixture, readGolden } from './case-store.ts'
import type { Case } from './case.ts'
import { fileViolation } from '../protocol/messages.ts'
import type { Gap, Taxonomy, TaxonomyTopic } from './taxonomy.ts'

/** What a set of cases is compared with. */
export interface LintRules {
  readonly taxonomy: Taxonomy
  readonly retired: ReadonlySet<string>
  /** Whether a whole set is looked at, or a part: then only what concerns the given files. Default: all. */
  readonly asks?: 'all' | 'given'
}

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

/** What is wrong with one fixture and its golden twin, and the cases that they make where nothing much is. */
export interface CheckedFile {
  readonly findings: readonly Finding[]
  readonly cases: readonly Case[]
}

/** Checks a fixture and its golden twin (null if it has no twin) against their schemas and against each other. */
export function checkFile(fixture: FileContent, golden: FileContent | null): CheckedFile {
  const { file, value } = fixture
  const violation = fileViolation(isTopicFile(value) ? 'topic-file' : 'suite-file', withoutBodies(value, 'cases'))
  if (violation !== null) return { findings: [{ where: file, what: violation }], cases: [] }
  if (golden === null) return { findings: [{ where: file, what: 'has no golden twin.' }], cases: [] }
  const answers = fileViolation('golden-file', withoutBodies(golden.value, 'answers'))
  if (answers !== null) return { findings: [{ where: golden.file, what: answers }], cases: [] }
  try {
    const cases = joinFixture(fixture, golden)
    return { findings: [...wrongIds(fixture), ...wrongSources(golden, cases)], cases }
  } catch (error) {
    if (error instanceof InputError) return { findings: [findingOf(error)], cases: [] }
    throw error
  }
}

/** The same as a finding: its message begins with the place. */
export function findingOf({ where, message }: InputError): Finding {
  return { where, what: message.slice(where.length + 2) }
}

/** Whether a fixture is about one topic of a format, not recorded cases about a function. */
export function isTopicFile(value: PyDict): boolean {
  return value.has('topic') || value.has('format')
}

/** The file without inputs and answers: they may be large, and the schema only looks whether they are maps. */
function withoutBodies(value: PyDict, key: 'cases' | 'answers'): unknown {
  const items = value.get(key)
  if (!isList(items)) return toPlain(value)
  const light = items.map((item) => (isDict(item) ? new Map([...item].map(lightMember)) : item))
  return toPlain(new Map<string, PyValue>(value).set(key, light))
}

function lightMember([key, value]: readonly [string, PyValue]): readonly [string, PyValue] {
  return ['input', 'expected', 'error'].includes(key) && isDict(value) ? [key, new Map()] : [key, value]
}

/** The id of a case about a topic begins with the path of its file. */
function wrongIds({ file, value }: FileContent): readonly Finding[] {
  if (!isTopicFile(value)) return []
  const path = ['format', 'op', 'topic'].map((key) => String(value.get(key))).join('/')
  const findings = file.replaceAll('\\', '/').endsWith(`${path}.json`)
    ? []
    : [{ where: file, what: `is about ${path}, so it must be called ${path}.json.` }]
  const cases = value.get('cases')
  const ids = (isList(cases) ? cases : []).map((item) => (isDict(item) ? String(item.get('id')) : ''))
  const wrong = ids.filter((id) => !id.startsWith(`${path}#`))
  return [...findings, ...wrong.map((id) => ({ where: file, what: `the id "${id}" must begin with "${path}#".` }))]
}

/** A golden file says of every answer where it comes from: a document, or a version of a program. */
function wrongSources({ file, value }: FileContent, cases: readonly Case[]): readonly Finding[] {
  const recorded = value.get('recordedFrom')
  const versions = isDict(recorded) ? recorded.get('versions') : null
  const known = isDict(versions) ? versions : new Map<string, PyValue>()
  const profiles = new Map(cases.map(({ profile, format }) => [profile, format]))
  const silent = [...profiles.keys()].filter((profile) => {
    const isWritten = isAboutMeaning(profile, profiles.get(profile))
    return isWritten ? !value.has('writtenFor') : !known.has(profile) && !known.has(profile.replace(/^metagpt@/, ''))
  })
  return silent.map((profile) => ({
    where: file,
    what: `does not say where the answers under "${profile}" come from: under "writtenFor" or "recordedFrom.versions".`,
  }))
}

/** A file of cases about one topic, as far as the taxonomy goes. */
export interface TopicFile {
  readonly file: string
  readonly format: string
  readonly op: string
  readonly topic: string
  /** Whether one of its cases names a report. */
  readonly hasEvidence: boolean
  /** Whether it was named itself, and not met in a folder. */
  readonly named: boolean
}

export interface Finding {
  readonly where: string
  readonly what: string
}

/**
 * What the taxonomy asks for and the files lack, and what they have and it does not know.
 *
 * @param asks `all` that the taxonomy asks for; or of a part of a set only what concerns it: every topic of the operations that a
 *   format has in a folder, and of a file that was named itself nothing
 */
export function findGaps(
  files: readonly TopicFile[],
  { taxonomy, asks }: { readonly taxonomy: Taxonomy; readonly asks: 'all' | 'given' },
): readonly Finding[] {
  const present = new Map(files.map((file) => [placeName(file), file]))
  const given = new Set(files.filter(({ named }) => !named).map(operationOf))
  const concerns = (place: string): boolean =>
    asks === 'all' || present.has(place) || given.has(place.slice(0, place.lastIndexOf('/')))
  const excused = new Set(taxonomy.gaps.map(placeName))
  const needed = taxonomy.topics.flatMap((topic) => placesOf(topic, taxonomy).map((place) => ({ topic, place })))
  const places = new Set(needed.map(({ place }) => place))
  return [
    ...files.flatMap((file) => unknownNames(file, taxonomy)),
    ...needed
      .filter(({ place }) => concerns(place))
      .flatMap(({ topic, place }) => missingAt(place, topic, present.get(place), excused)),
    ...taxonomy.gaps.filter((gap) => concerns(placeName(gap))).flatMap((gap) => pointlessGap(gap, present, places)),
  ]
}

function operationOf({ format, op }: Pick<Gap, 'format' | 'op'>): string {
  return `${format}/${op}`
}

function placeName({ format, op, topic }: Pick<Gap, 'format' | 'op' | 'topic'>): string {
  return `${format}/${op}/${topic}`
}

function placesOf({ topic, required, appliesIf = [] }: TaxonomyTopic, { formats }: Taxonomy): readonly string[] {
  const wanting = Object.entries(formats).filter(([, { traits }]) => appliesIf.every((trait) => traits.includes(trait)))
  return wanting.flatMap(([format, { operations }]) =>
    required.filter((op) => operations?.includes(op) ?? true).map((op) => placeName({ format, op, topic })),
  )
}

function unknownNames({ file, format, topic }: TopicFile, { formats, topics }: Taxonomy): readonly Finding[] {
  const findings: Finding[] = []
  if (!Object.hasOwn(formats, format))
    findings.push({ where: file, what: `the taxonomy has no format "${format}"; add it with its traits.` })
  if (!topics.some((known) => known.topic === topic))
    findings.push({ where: file, what: `the taxonomy has no topic "${topic}"; add it, or choose one that is there.` })
  return findings
}

function missingAt(
  place: string,
  { hurts }: TaxonomyTopic,
  file: TopicFile | undefined,
  excused: ReadonlySet<string>,
): readonly Finding[] {
  if (file === undefined) {
    const what = 'has no cases. Add some, or say why not under "gaps" of the taxonomy.'
    return excused.has(place) ? [] : [{ where: place, what }]
  }
  if (hurts === undefined || file.hasEvidence) return []
  return [{ where: file.file, what: 'has no case with "evidence": a URL of a report of what hurts.' }]
}

function pointlessGap(
  gap: Gap,
  present: ReadonlyMap<string, TopicFile>,
  needed: ReadonlySet<string>,
): readonly Finding[] {
  const place = placeName(gap)
  if (present.has(place)) return [{ where: place, what: 'is excused under "gaps", and has cases.' }]
  return needed.has(place) ? [] : [{ where: place, what: 'is listed under "gaps", but no rule asks for it.' }]
}
