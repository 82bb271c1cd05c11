import { it } from 'vitest'
import { formats } from '../src/index.ts'
import { checkSettled, checkSnapshots } from './stream/laws.ts'
it.each(['main', 'v0.0.26'] as const)('%s', (profile) => {
  checkSettled({ format: formats.nous, profile, runs: 150_000 })
  checkSnapshots({ format: formats.nous, profile, runs: 50_000 })
}, 600_000)
