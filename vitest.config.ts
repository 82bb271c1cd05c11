import { defineConfig } from 'vitest/config'
import { costReporter } from './packages/tidy/test/cost/cost-reporter.ts'
import { V8_OPTIONS } from './packages/tidy/test/v8-options.ts'

/** Tests read the sources of the workspace's packages, users read what was built. */
const conditions = ['@callspec/source']

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions: [...conditions, 'module', 'node', 'development|production'] } },
  test: {
    // Left alone, vitest keeps one processor for itself; of two that is half.
    maxWorkers: '100%',
    // A busy machine is no failure; what must be fast is measured by counting, or in the benchmarks.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Test files share a process, and all of them one set of loaded modules, which halves the time; so each puts back
    // what it changes there.
    isolate: false,
    execArgv: V8_OPTIONS,
    setupFiles: ['packages/tidy/test/cost/measure-file.ts'],
    reporters: ['default', costReporter(import.meta.dirname)],
    include: ['packages/*/test/**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/*.long.test.ts'],
    benchmark: { include: ['packages/*/bench/**/*.bench.ts'] },
  },
})
