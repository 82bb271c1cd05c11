import type { Check } from './check.ts'

/** What every fixture came to, for programs. Texts stay in their files. */
export function goldenJson(checks: readonly Check[], stale: readonly string[]): object {
  return { fixtures: checks.map(checkJson), stale }
}

function checkJson(check: Check): object {
  const { kind, fixture } = check
  const common = { fixture: fixture.path, golden: fixture.golden, status: kind }
  if (check.kind === 'failed') return { ...common, reason: check.reason }
  if (check.kind !== 'drifted') return common
  const { offset, line, column } = check.drift
  return { ...common, drift: { offset, line, column } }
}
