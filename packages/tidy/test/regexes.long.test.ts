import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { parseAst } from 'rolldown/parseAst'
import { expect, it } from 'vitest'
import { ACCEPTED_REGEXES } from './accepted-regexes.ts'

// `recheck` decides for each regular expression of the sources whether some text makes it take more than linear time.
// `.ci/run` installs it into the folder that CALLSPEC_RECHECK names.

const ROOT = resolve(import.meta.dirname, '../../..')
const { CALLSPEC_RECHECK: folder } = process.env

interface Verdict {
  readonly status: 'safe' | 'vulnerable' | 'unknown'
  readonly checker: 'automaton' | 'fuzz'
  readonly complexity?: { readonly type: string; readonly summary: string }
}

type Check = (
  source: string,
  flags: string,
  options: { readonly timeout: number; readonly randomSeed: number },
) => Promise<Verdict>

it.skipIf(folder !== undefined)(
  'regular expressions are not checked: CALLSPEC_RECHECK names no folder with recheck',
  () => {
    expect(folder).toBeUndefined()
  },
)

it.runIf(folder !== undefined)(
  'a regular expression takes linear time, or accepted-regexes.ts says what bounds its text',
  { timeout: 900_000 },
  async () => {
    const { check } = createRequire(join(folder ?? '', 'x.js'))('recheck') as { readonly check: Check }
    const literals = regexLiterals()
    const queue = [...literals.keys()]
    const slow = new Map<string, string>()

    const work = async (): Promise<void> => {
      for (let text = queue.pop(); text !== undefined; text = queue.pop()) {
        const end = text.lastIndexOf('/')
        const { status, complexity, checker } = await check(text.slice(1, end), text.slice(end + 1), {
          timeout: 10_000,
          randomSeed: 1,
        })
        if (status !== 'vulnerable') continue
        // What it finds by trying texts differs from seed to seed below exponential time.
        if (checker === 'automaton' || complexity?.type === 'exponential')
          slow.set(text, `${complexity?.summary ?? status} in ${literals.get(text) ?? ''}`)
      }
    }
    await Promise.all([work(), work()])

    expect(literals.size).toBeGreaterThan(500)
    expect([...slow].filter(([text]) => !ACCEPTED_REGEXES.has(text))).toEqual([])
    expect([...ACCEPTED_REGEXES.keys()].filter((text) => !literals.has(text))).toEqual([])
  },
)

/** Every regular expression in the sources as it is written, with the first file that has it. */
function regexLiterals(): ReadonlyMap<string, string> {
  const listed = execFileSync('git', ['ls-files', 'packages/*.ts'], { cwd: ROOT, encoding: 'utf8' })
  const found = new Map<string, string>()
  for (const file of listed.split('\n').filter((path) => /^packages\/[^/]+\/(?:.*\/)?(?:src|page)\//.test(path))) {
    const visit = (node: unknown): void => {
      if (Array.isArray(node)) node.forEach(visit)
      if (typeof node !== 'object' || node === null) return
      if ('regex' in node && isRegex(node.regex)) {
        const text = `/${node.regex.pattern}/${node.regex.flags}`
        if (!found.has(text)) found.set(text, file)
      }
      Object.values(node).forEach(visit)
    }
    visit(parseAst(readFileSync(join(ROOT, file), 'utf8'), { lang: 'ts' }))
  }
  return found
}

function isRegex(value: unknown): value is { readonly pattern: string; readonly flags: string } {
  return typeof value === 'object' && value !== null && 'pattern' in value && 'flags' in value
}
