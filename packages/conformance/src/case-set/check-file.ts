import { InputError } from '@callspec/core'
import { isDict, isList, toPlain } from '@callspec/python'
import type { PyDict, PyValue } from '@callspec/python'

import { joinFixture } from '../case-file.ts'
import type { FileContent } from '../case-file.ts'
import type { Case } from '../case.ts'
import { fileViolation } from '../protocol/schemas.ts'
import type { Finding } from './gaps.ts'

/** What is wrong with one fixture and its golden twin, and the cases that they make where nothing much is. */
export interface CheckedFile {
  readonly findings: readonly Finding[]
  readonly cases: readonly Case[]
}

/** Checks a fixture and its golden twin (null: there is none) against their schemas and against each other. */
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
  const profiles = [...new Set(cases.map(({ profile }) => profile))]
  const silent = profiles.filter((profile) => {
    const isWritten = profile === 'strict' || profile.startsWith('lenient:')
    return isWritten ? !value.has('writtenFor') : !known.has(profile) && !known.has(profile.replace(/^metagpt@/, ''))
  })
  return silent.map((profile) => ({
    where: file,
    what: `does not say where the answers under "${profile}" come from: under "writtenFor" or "recordedFrom.versions".`,
  }))
}
