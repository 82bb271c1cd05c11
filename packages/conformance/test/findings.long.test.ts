import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

import { REPOSITORY } from './helpers/cases.ts'
import { HAS_PYTHON, installedEngine } from './helpers/python-engine.ts'

const PROGRAM = resolve(import.meta.dirname, 'helpers/run_findings.py')
const ADAPTERS = resolve(import.meta.dirname, '../adapters')

/** A report of a page: the code that shows it, and what it prints. */
interface Finding {
  readonly code: string
  readonly printed: string
}

function pageOf(engine: string): string {
  return readFileSync(join(REPOSITORY, 'reports/findings', `${engine}.md`), 'utf8')
}

/** The code in front of all reports, and the reports. */
function findingsIn(page: string): { readonly before: string; readonly findings: readonly Finding[] } {
  const blocks = [...page.matchAll(/^```(?<kind>python|text)\n(?<text>.*?)^```$/gms)]
  const [before = '', ...codes] = textsOf(blocks, 'python')
  const prints = textsOf(blocks, 'text')
  return { before, findings: codes.map((code, at) => ({ code, printed: prints[at] ?? '' })) }
}

function textsOf(blocks: readonly RegExpMatchArray[], kind: string): readonly string[] {
  return blocks.flatMap(({ groups }) => (groups?.['kind'] === kind ? [groups['text'] ?? ''] : []))
}

const ENGINES = [
  ['vllm', '0.33.0'],
  ['sglang', '0.5.23'],
] as const

describe.each(ENGINES)('reports/findings/%s.md', (engine, version) => {
  it('has at most ten reports, each with what it prints, whether it is known, and the release', () => {
    const page = pageOf(engine)
    const { findings } = findingsIn(page)

    expect(findings.length).toBeGreaterThan(0)
    expect(findings.length).toBeLessThanOrEqual(10)
    for (const { printed } of findings) expect(printed).not.toBe('')
    for (const line of ['- Right: ', '- Known: ', `- Release: ${version}`])
      expect(page.split(`\n${line}`)).toHaveLength(findings.length + 1)
  })

  it.skipIf(!HAS_PYTHON || installedEngine(engine, [version]) === null)(
    `prints what it says (needs CALLSPEC_ENGINES with a folder ${engine}@${version})`,
    () => {
      const { before, findings } = findingsIn(pageOf(engine))
      const ended = spawnSync('python3', ['-W', 'ignore', PROGRAM, join(ADAPTERS, engine, 'engine.json')], {
        input: JSON.stringify([before, ...findings.map(({ code }) => code)]),
        encoding: 'utf8',
        env: { ...process.env, PYTHONPATH: installedEngine(engine, [version]) ?? '', PYTHONDONTWRITEBYTECODE: '1' },
      })

      expect(ended.stderr).toBe('')
      expect((JSON.parse(ended.stdout) as readonly string[]).slice(1)).toEqual(findings.map(({ printed }) => printed))
    },
    600_000,
  )
})
