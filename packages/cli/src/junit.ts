import { xmlText } from './xml.ts'

/** How a JUnit file begins. */
export const JUNIT_HEAD = '<?xml version="1.0" encoding="UTF-8"?>'

/** The properties of a test suite, a line each. */
export function junitProperties(properties: readonly (readonly [name: string, value: string])[]): readonly string[] {
  return [
    '<properties>',
    ...properties.map(([name, value]) => `<property name="${xmlText(name)}" value="${xmlText(value)}"/>`),
    '</properties>',
  ]
}

/** What went wrong in a test case. */
export interface JunitOutcome {
  readonly kind: 'failure' | 'error' | 'skipped'
  readonly message: string
  readonly type?: string
  readonly body?: string
}

/** A test case; one without an outcome passed. */
export function junitTestCase(
  { className, name }: { readonly className: string; readonly name: string },
  outcome: JunitOutcome | null,
): string {
  const open = `<testcase classname="${xmlText(className)}" name="${xmlText(name)}"`
  if (outcome === null) return `${open}/>`
  const { kind, message, type, body } = outcome
  const inside = `<${kind}${type === undefined ? '' : ` type="${xmlText(type)}"`} message="${xmlText(message)}"`
  return `${open}>${body === undefined ? `${inside}/>` : `${inside}>${xmlText(body)}</${kind}>`}</testcase>`
}
