import { expect, it } from 'vitest'
import { costText } from './cost-reporter.ts'

it('the dearest package comes first, and a file above five seconds is named', () => {
  const files = [
    { path: 'packages/core/test/a.test.ts', seconds: 1 },
    { path: 'packages/cli/test/b.test.ts', seconds: 5 },
    { path: 'packages/cli/test/eval/c.test.ts', seconds: 5.06 },
  ]

  expect(costText(files)).toBe(
    ' CPU of the tests  11.1 s: cli 10.1 s, core 1.0 s\n above 5 s         packages/cli/test/eval/c.test.ts 5.1 s',
  )
})
