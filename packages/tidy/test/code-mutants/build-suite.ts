import { mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'
import { findLoops } from './find-mutants.ts'
import type { CodeMutant } from './find-mutants.ts'
import { instrumented } from './instrument.ts'
import type { MutatedPart } from './parts.ts'

const ROOT = resolve(import.meta.dirname, '../../../..')
const SHIM = resolve(import.meta.dirname, 'vitest-shim.mjs')
const SHIMS: ReadonlyMap<string, string> = new Map([
  ['vitest', SHIM],
  ['@fast-check/vitest', resolve(import.meta.dirname, 'fast-check-shim.mjs')],
])
const ENTRY = '\0callspec-suite'

/**
 * Bundles test files of a part with the sources that they test, with every mutant in it, switched off.
 *
 * @returns the path of a module that exports `declared`, the tests
 */
export async function buildSuite({ files, tests }: MutatedPart, mutants: readonly CodeMutant[]): Promise<string> {
  const counted = new Set(files.map((file) => resolve(ROOT, file)))
  const numbered = mutants.map((mutant, number) => ({ ...mutant, number }))
  const build = await rolldown({
    input: ENTRY,
    platform: 'node',
    resolve: { conditionNames: ['@callspec/source', 'node', 'import'] },
    external: [/^node:/, /^file:/],
    logLevel: 'silent',
    // The packages say that they have no side effects; tests are nothing else.
    treeshake: false,
    plugins: [
      {
        name: 'callspec-suite',
        resolveId: (id) => (id === ENTRY || id === 'callspec:expect' ? id : (SHIMS.get(id) ?? null)),
        load: (id) => {
          if (id === ENTRY) return entryOf(tests)
          if (id === 'callspec:expect') return EXPECT
          if (!id.startsWith(ROOT) || id.includes('node_modules') || !id.endsWith('.ts')) return null
          const own = numbered.filter(({ file }) => resolve(ROOT, file) === id)
          const source = readFileSync(id, 'utf8')
          const loops = counted.has(id) ? findLoops(source) : []
          return { code: placed(instrumented(source, { mutants: own, loops }), id), moduleType: 'ts' }
        },
      },
    ],
  })
  const { output } = await build.generate({ format: 'esm', codeSplitting: false })
  await build.close()
  const path = join(mkdtempSync(join(tmpdir(), 'callspec-mutants-')), 'suite.mjs')
  writeFileSync(path, output[0].code)
  return path
}

/** Test files read their fixtures from beside themselves. */
function placed(source: string, path: string): string {
  return source
    .replaceAll('import.meta.dirname', () => JSON.stringify(dirname(path)))
    .replaceAll('import.meta.url', () => JSON.stringify(pathToFileURL(path).href))
}

function entryOf(tests: readonly string[]): string {
  const imports = tests.map((test) => `import ${JSON.stringify(resolve(ROOT, test))}`)
  return [...imports, `export { declared } from ${JSON.stringify(SHIM)}`].join('\n')
}

/** The real `expect`, without the runner that it is part of. */
const EXPECT = ((): string => {
  const vitest = createRequire(realpathSync(resolve(ROOT, 'node_modules/vitest/package.json')))
  const path = vitest.resolve('@vitest/expect')
  const href = (file: string): string => JSON.stringify(pathToFileURL(file).href)
  return `import { JestAsymmetricMatchers, JestChaiExpect, JestExtend, addCustomEqualityTesters } from ${href(path)}
import * as chai from ${href(createRequire(path).resolve('chai'))}
export const expect = chai.expect
export function prepare() {
  chai.use(JestExtend)
  chai.use(JestChaiExpect)
  chai.use(JestAsymmetricMatchers)
  return Object.assign((value, message) => chai.expect(value, message), chai.expect)
}
void addCustomEqualityTesters
`
})()
