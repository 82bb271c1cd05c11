import { defineConfig } from 'vitest/config'

/** Tests read the sources of the workspace's packages, users read what was built. */
const conditions = ['@callspec/source']

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions: [...conditions, 'module', 'node', 'development|production'] } },
  test: {
    projects: ['core', 'tokenizer-qwen', 'conformance', 'eval', 'cli', 'tidy'].map((name) => ({
      extends: true as const,
      test: {
        name,
        root: `./packages/${name}`,
        include: ['test/**/*.test.ts'],
        exclude: ['test/**/*.long.test.ts'],
        benchmark: { include: ['bench/**/*.bench.ts'] },
      },
    })),
  },
})
