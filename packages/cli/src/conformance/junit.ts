import { differenceLine, reasonOf } from '@callspec/conformance'
import type { CaseResult, ResultOrigin } from '@callspec/conformance'
import { inert } from '../terminal.ts'

/** Begins a JUnit file. Readers count the cases themselves: the totals are not known before the end. */
export function junitStart({ cases, implementation }: ResultOrigin): string {
  const properties = [
    ...(cases === null ? [] : [['cases', cases] as const]),
    ['implementation', implementation] as const,
  ]
  return [
    '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="callspec conformance">\n<testsuite name="conformance">',
    '<properties>',
    ...properties.map(([name, value]) => `<property name="${name}" value="${escaped(value)}"/>`),
    '</properties>',
  ].join('\n')
}

/** Ends a JUnit file. */
export const JUNIT_END = '</testsuite>\n</testsuites>'

/** One case: the operation is the class, the id the name. A known failure that passed is a failure here. */
export function junitCase(result: CaseResult): string {
  const { case: item, fixed } = result
  const open = `<testcase classname="${escaped(`${item.op} ${item.profile}`)}" name="${escaped(item.id)}"`
  if (fixed !== undefined) return `${open}><failure message="passes, but is listed as a known failure"/></testcase>`
  const inside = insideOf(result)
  return inside === null ? `${open}/>` : `${open}>${inside}</testcase>`
}

function insideOf({ verdict }: CaseResult): string | null {
  const message = `message="${escaped(reasonOf(verdict) ?? '')}"`
  switch (verdict.kind) {
    case 'passed':
      return null
    case 'failed':
      return `<failure ${message}>${escaped(differenceLine(verdict.difference))}</failure>`
    case 'errored':
      return `<error ${message}/>`
    case 'skipped':
      return `<skipped ${message}/>`
  }
}

const MARKUP: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** XML has no way to write most control characters, so they are shown as `\uXXXX`; so are U+FFFE and U+FFFF. */
function escaped(text: string): string {
  return inert(text)
    .replace(/[\uFFFE\uFFFF]/g, (character) => `\\u${character.charCodeAt(0).toString(16)}`)
    .replace(/[&<>"]/g, (character) => MARKUP[character] ?? character)
    .replace(/\n/g, () => '&#10;')
    .replace(/\t/g, () => '&#9;')
}
