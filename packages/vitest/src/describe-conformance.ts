import {
  builtInCases,
  caseProfile,
  currentId,
  findCaseFiles,
  functionsImplementation,
  matches,
  openSession,
  readCases,
  readKnownFailures,
  runSuite,
  smokeTest,
  STRICT,
} from '@callspec/conformance'
import type { Case, ConformanceFunctions, Implementation, KnownFailures } from '@callspec/conformance'
import { afterAll, beforeAll, describe, it } from 'vitest'

import { failureText } from './explain.ts'

/** A program that speaks the protocol in a session (`docs/protocol.md`). Run by `sh -c` in the current folder. */
export interface ConformanceProgram {
  readonly command: string
  /** For one case, in milliseconds. Default 5000. */
  readonly timeLimit?: number
}

/** Which cases are run, and what is known about them. */
export interface ConformanceSuite {
  /** Such as `nous`. */
  readonly format: string
  /** Default `strict`: well-formed texts with one right answer. Else a version, such as `qwen-agent@main`. */
  readonly profile?: string
  /** Only these, such as `['parse']`. Default: all that the implementation offers. */
  readonly operations?: readonly string[]
  /** A file of ids below `#` lines with the reason, or the reasons by id. A listed case that passes fails. */
  readonly knownFailures?: string | Readonly<Record<string, string>>
  /** Files, folders or globs of cases instead of the built-in ones. */
  readonly cases?: readonly string[]
}

/**
 * Declares a suite with one test for every case of the format, each named by the id of its case. An implementation that
 * cannot answer trivial questions fails the suite as a whole; what it does not claim is skipped, with the reason.
 */
export function describeConformance(
  given: ConformanceFunctions | ConformanceProgram | Implementation,
  suite: ConformanceSuite,
): void {
  const { format, profile = STRICT } = suite
  describe(`conformance: ${format}, profile ${profile}`, async () => {
    const cases = await selectCases(given, suite)
    const known = await readKnown(suite.knownFailures)
    let opened: Implementation | null = null
    beforeAll(async () => {
      opened = await openImplementation(given, suite)
      await smokeTest(opened, { mustAccept: isFunctions(given) })
    })
    afterAll(async () => {
      await opened?.close?.()
    })
    for (const item of cases) {
      it(item.id, async ({ skip }) => {
        if (opened === null) throw new Error('the implementation was not opened')
        const reason = await failureOfCase(item, opened, known)
        if (reason !== null) skip(reason)
      })
    }
  })
}

/** null when the case passed, the reason when it was skipped. @throws Error that says what is wrong with the answer */
async function failureOfCase(item: Case, implementation: Implementation, known: KnownFailures): Promise<string | null> {
  const kindOf = ({ id }: Case): string | null => known.entry(id)?.kind ?? null
  for await (const result of runSuite([item], implementation, { knownFailure: known.reason, kindOf })) {
    const failure = failureText(result)
    if (failure !== null) throw withoutStack(new Error(failure))
    if (result.verdict.kind === 'skipped') return result.verdict.reason
  }
  return null
}

/** Where this package throws says nothing about the parser under test. */
function withoutStack(error: Error): Error {
  error.stack = `${error.name}: ${error.message}`
  return error
}

async function selectCases(
  given: ConformanceFunctions | ConformanceProgram | Implementation,
  { format, profile = STRICT, operations, cases }: ConformanceSuite,
): Promise<readonly Case[]> {
  const wanted = operations ?? (isFunctions(given) ? Object.keys(given) : ['*'])
  const selected: Case[] = []
  for await (const item of readCases(await findCaseFiles(cases ?? [await builtInCases()]))) {
    const isProfile = matches([caseProfile(profile)], item.profile)
    if (item.format === format && isProfile && matches(wanted, item.op)) selected.push(item)
  }
  if (selected.length > 0) return selected
  throw new Error(
    `describeConformance: no case is about the format "${format}" under the profile "${profile}" with an operation of ` +
      `${wanted.join(', ')}. \`callspec conformance list\` prints what there is.`,
  )
}

function openImplementation(
  given: ConformanceFunctions | ConformanceProgram | Implementation,
  { format, profile = STRICT }: ConformanceSuite,
): Implementation | Promise<Implementation> {
  if ('about' in given) return given
  if (!isFunctions(given)) return openSession(given.command, { timeLimit: given.timeLimit ?? 5000, version: '1' })
  const options = { name: 'this implementation', version: 'unknown', formats: [format], profiles: [profile] }
  return functionsImplementation(given, options)
}

function isFunctions(given: ConformanceFunctions | ConformanceProgram | Implementation): given is ConformanceFunctions {
  return !('command' in given) && !('about' in given)
}

async function readKnown(known: ConformanceSuite['knownFailures']): Promise<KnownFailures> {
  if (known === undefined || typeof known === 'string') return readKnownFailures(known ?? null)
  const reasons = new Map(Object.entries(known).map(([id, reason]) => [currentId(id), reason]))
  const reasonOf = (id: string): string | null => reasons.get(id) ?? null
  return {
    reason: ({ id }) => reasonOf(id),
    entry: (id) => {
      const reason = reasonOf(id)
      return reason === null ? null : { kind: 'unverified', reason }
    },
    unused: () => [],
  }
}
