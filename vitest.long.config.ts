import { defineConfig } from 'vitest/config'

const conditions = ['@callspec/source']

/** Checks that take minutes: run before a release, not on every change. */
export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions: [...conditions, 'module', 'node', 'development|production'] } },
  test: { include: ['packages/*/test/**/*.long.test.ts'], testTimeout: 600_000, hookTimeout: 600_000 },
})
