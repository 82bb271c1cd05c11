import { defineConfig } from 'vitest/config'
import { partlyRunFiles } from './packages/tidy/test/partly-run.ts'
import { V8_OPTIONS } from './packages/tidy/test/v8-options.ts'

const conditions = ['@callspec/source']

/** What compares times asks V8 for the machine code that users get, and lets no other test warm or spoil it. */
const SPEED = 'packages/*/test/**/speed.long.test.ts'

/** Checks that take minutes: run before a release, not on every change. */
export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions: [...conditions, 'module', 'node', 'development|production'] } },
  test: {
    // Left alone, vitest keeps one processor for itself; of two that is half.
    maxWorkers: '100%',
    env: { LONG_TESTS: '1' },
    testTimeout: 600_000,
    hookTimeout: 600_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'long',
          include: ['packages/*/test/**/*.long.test.ts', ...partlyRunFiles()],
          exclude: ['**/node_modules/**', SPEED],
          // As in vitest.config.ts.
          isolate: false,
          execArgv: V8_OPTIONS,
        },
      },
      { extends: true, test: { name: 'speed', include: [SPEED] } },
    ],
  },
})
