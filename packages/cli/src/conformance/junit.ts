import { differenceLine, rawOf, reasonOf } from '@callspec/conformance'
import type { CaseResult, ResultOrigin } from '@callspec/conformance'
import { JUNIT_HEAD, junitProperties, junitTestCase } from '../junit.ts'
import type { JunitOutcome } from '../junit.ts'

/** Begins a JUnit file. Readers count the cases themselves: the totals are not known before the end. */
export function junitStart({ cases, implementation }: ResultOrigin): string {
  const properties = [
    ...(cases === null ? [] : [['cases', cases] as const]),
    ['implementation', implementation] as const,
  ]
  return [
    `${JUNIT_HEAD}\n<testsuites name="callspec conformance">\n<testsuite name="conformance">`,
    ...junitProperties(properties),
  ].join('\n')
}

/** Ends a JUnit file. */
export const JUNIT_END = '</testsuite>\n</testsuites>'

/** One case: the operation is the class, the id the name. A known failure that passed is a failure here. */
export function junitCase(result: CaseResult): string {
  const { case: item, fixed } = result
  const outcome: JunitOutcome | null =
    fixed === undefined ? outcomeOf(result) : { kind: 'failure', message: 'passes, but is listed as a known failure' }
  return junitTestCase({ className: `${item.op} ${item.profile}`, name: item.id }, outcome)
}

function outcomeOf({ verdict, reply }: CaseResult): JunitOutcome | null {
  const message = reasonOf(verdict) ?? ''
  const raw = rawOf({ reply, verdict })
  const sent = raw === null ? [] : [`raw: ${raw}`]
  switch (verdict.kind) {
    case 'passed':
      return null
    case 'failed':
      return { kind: 'failure', message, body: [differenceLine(verdict.difference), ...sent].join('\n') }
    case 'errored':
      return { kind: 'error', message, ...(sent.length === 0 ? {} : { body: sent.join('\n') }) }
    case 'skipped':
      return { kind: 'skipped', message }
  }
}
