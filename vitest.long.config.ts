import { defineConfig } from 'vitest/config'
import { partlyRunFiles } from './packages/tidy/test/partly-run.ts'

const conditions = ['@callspec/source']

/** Checks that take minutes: run before a release, not on every change. */
export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions: [...conditions, 'module', 'node', 'development|production'] } },
  test: {
    include: ['packages/*/test/**/*.long.test.ts', ...partlyRunFiles()],
    env: { LONG_TESTS: '1' },
    // Left alone, vitest keeps one processor for itself; of two that is half.
    maxWorkers: '100%',
    testTimeout: 600_000,
    hookTimeout: 600_000,
  },
})
