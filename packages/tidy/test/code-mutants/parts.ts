import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'

const ROOT = resolve(import.meta.dirname, '../../../..')

/** A part of our code, and the tests that concern it. Paths from the root. */
export interface MutatedPart {
  readonly files: readonly string[]
  readonly tests: readonly string[]
}

/** TypeScript files of a folder, those of its folders too. */
function sourcesIn(folder: string, isMeant: (path: string) => boolean = () => true): readonly string[] {
  return readdirSync(resolve(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && isMeant(path))
    .map((path) => `${folder}/${path}`)
    .toSorted()
}

/** Test files that take no hours, and that a bundle can hold. */
function testsIn(folder: string, isMeant: (path: string) => boolean = () => true): readonly string[] {
  const isQuick = (path: string): boolean => path.endsWith('.test.ts') && !path.endsWith('.long.test.ts')
  const tests = sourcesIn(folder, (path) => isQuick(path) && isMeant(path))
  // What a bundle cannot hold: modules that are chosen while it runs.
  return tests.filter((path) => !/\bimport\(/.test(readFileSync(resolve(ROOT, path), 'utf8')))
}

/** The code of which the rest is made: a mistake there makes every figure wrong. */
export const PARTS: Readonly<Record<'readers' | 'judging' | 'statistics', MutatedPart>> = {
  readers: {
    files: [
      ...sourcesIn('packages/core/src/grammar', (path) => !/index/.test(path)),
      ...sourcesIn('packages/core/src/formats', (path) =>
        /^(?:nous|qwen|react)\/(?:parse|read-call|strict|scan|agent-tool)[^/]*\.ts$/.test(path),
      ),
    ],
    tests: [
      ...testsIn('packages/core/test/grammar'),
      ...testsIn('packages/core/test/formats'),
      // Without what tries long texts in every format: too dear to be run for each mutant.
      ...testsIn('packages/core/test/stream', (path) => !/linear|hostile|splits/.test(path)),
      'packages/conformance/test/golden.test.ts',
    ],
  },
  judging: {
    files: ['packages/eval/src/judging/score-episode.ts', ...sourcesIn('packages/eval/src/score')],
    tests: testsIn('packages/eval/test', (path) =>
      /^(?:answer|cut-call|flags|foreign-calls|forged-|label-|longest-common|match-calls|pieces|plain-line|quotes|read-reply|reply-spans|score-|strict-reading|usable|verdict|every-trace|prompt-gaps|role-react|native|cause-items)[^/]*$/.test(
        path,
      ),
    ),
  },
  statistics: {
    files: sourcesIn('packages/eval/src/statistics'),
    tests: [
      ...testsIn('packages/eval/test/statistics'),
      ...testsIn('packages/eval/test/compare'),
      ...testsIn('packages/eval/test/gates'),
    ],
  },
}
