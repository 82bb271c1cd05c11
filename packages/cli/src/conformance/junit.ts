import { differenceLine, reasonOf } from '@callspec/conformance'
import type { CaseResult, ResultOrigin } from '@callspec/conformance'
import { xmlText } from '../xml.ts'

/** Begins a JUnit file. Readers count the cases themselves: the totals are not known before the end. */
export function junitStart({ cases, implementation }: ResultOrigin): string {
  const properties = [
    ...(cases === null ? [] : [['cases', cases] as const]),
    ['implementation', implementation] as const,
  ]
  return [
    '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="callspec conformance">\n<testsuite name="conformance">',
    '<properties>',
    ...properties.map(([name, value]) => `<property name="${name}" value="${xmlText(value)}"/>`),
    '</properties>',
  ].join('\n')
}

/** Ends a JUnit file. */
export const JUNIT_END = '</testsuite>\n</testsuites>'

/** One case: the operation is the class, the id the name. A known failure that passed is a failure here. */
export function junitCase(result: CaseResult): string {
  const { case: item, fixed } = result
  const open = `<testcase classname="${xmlText(`${item.op} ${item.profile}`)}" name="${xmlText(item.id)}"`
  if (fixed !== undefined) return `${open}><failure message="passes, but is listed as a known failure"/></testcase>`
  const inside = insideOf(result)
  return inside === null ? `${open}/>` : `${open}>${inside}</testcase>`
}

function insideOf({ verdict }: CaseResult): string | null {
  const message = `message="${xmlText(reasonOf(verdict) ?? '')}"`
  switch (verdict.kind) {
    case 'passed':
      return null
    case 'failed':
      return `<failure ${message}>${xmlText(differenceLine(verdict.difference))}</failure>`
    case 'errored':
      return `<error ${message}/>`
    case 'skipped':
      return `<skipped ${message}/>`
  }
}
