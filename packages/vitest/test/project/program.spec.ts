import { describeConformance } from '@callspec/vitest'
import { describe } from 'vitest'

describe('a program', () => {
  describeConformance({ command: 'node program.mjs' }, { format: 'nous', operations: ['parse', 'stream'] })
})

describe('a broken program', () => {
  describeConformance(
    { command: 'node program.mjs broken', timeLimit: 300 },
    { format: 'nous', cases: ['cases.jsonl'] },
  )
})
