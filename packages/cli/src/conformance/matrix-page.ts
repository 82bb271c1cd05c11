import { join } from 'node:path'
import { builtInCases, findCaseFiles, printJson, readCases, scoreboardFileName } from '@callspec/conformance'
import type { Case, Scoreboard } from '@callspec/conformance'
import { fromPlain, isDict } from '@callspec/python'
import { loads } from '@callspec/python/outcome'
import type { PyDict, PyValue } from '@callspec/python'
import { readLines } from '@callspec/eval'
import { renderConformance, renderScoreBadge } from '@callspec/report'
import type { FailedCase, PageLanguage } from '@callspec/report'
import type { Invocation } from '../command.ts'
import { pageLanguage } from '../page-language.ts'
import { makeFolders } from '../make-folders.ts'
import { messageOf, systemCode, UsageError } from '../usage-error.ts'
import { writeFileAtomically } from '../write-file.ts'

/** So many failing cases are shown of one file; more make no page better. */
const MOST = 500

/** Writes page and badges, as far as they are asked for. */
export async function writeMatrixFiles(
  scoreboards: readonly Scoreboard[],
  { options, output, environment }: Pick<Invocation, 'options' | 'output' | 'environment'>,
): Promise<void> {
  const html = options.text('html')
  const badges = options.text('badges')
  const results = options.list('results')
  if (html === null && results.length > 0) throw new UsageError('--results belongs to --html FILE')
  if (html !== null) {
    const language: PageLanguage = pageLanguage(environment)
    await writeFileAtomically(html, renderConformance({ scoreboards, failures: await failuresIn(results), language }))
    output.note(`page: ${html}`)
  }
  if (badges === null) return
  await makeFolders(badges)
  for (const scoreboard of scoreboards) {
    const path = join(badges, scoreboardFileName(scoreboard.implementation).replace(/\.json$/, '.svg'))
    await writeFileAtomically(path, renderScoreBadge(scoreboard))
    output.note(`badge: ${path}`)
  }
}

async function failuresIn(paths: readonly string[]): Promise<readonly FailedCase[]> {
  if (paths.length === 0) return []
  const cases = new Map<string, Case>()
  for await (const item of readCases(await findCaseFiles([await builtInCases()]))) cases.set(item.id, item)
  const found: FailedCase[] = []
  for (const path of paths) {
    let [line, taken] = [0, 0]
    for await (const text of linesOf(path)) {
      line += 1
      if (text.trim() === '') continue
      const read = loads(text)
      const result = read.kind === 'returned' && isDict(read.value) ? read.value : null
      if (result === null || !result.has('verdict'))
        throw new UsageError(
          `${path}:${line}: is no result. Give a file that \`callspec conformance run --json\` wrote.`,
        )
      const failed = failedCase(result, cases)
      if (failed === null || taken >= MOST) continue
      taken += 1
      found.push(failed)
    }
  }
  return found
}

async function* linesOf(path: string): AsyncGenerator<string> {
  try {
    yield* readLines(path)
  } catch (error) {
    throw systemCode(error) === null ? error : new UsageError(`${path}: cannot be read (${messageOf(error)})`)
  }
}

function failedCase(result: PyDict, cases: ReadonlyMap<string, Case>): FailedCase | null {
  const verdict = result.get('verdict')
  if (verdict !== 'failed' && verdict !== 'errored') return null
  const id = textAt(result, 'id')
  const known = cases.get(id)
  const got = result.get('actual') ?? result.get('error')
  return {
    implementation: textAt(result, 'implementation'),
    id,
    op: textAt(result, 'op'),
    format: known?.format ?? null,
    profile: textAt(result, 'profile'),
    verdict,
    reason: textAt(result, 'reason'),
    input: known === undefined ? null : printJson(known.input),
    expected: known === undefined ? null : printJson(expectedOf(known)),
    got: got === undefined ? null : printJson(got),
  }
}

function expectedOf({ expected }: Case): PyValue {
  return expected.kind === 'returned' ? expected.value : fromPlain({ error: expected.error })
}

function textAt(result: PyDict, key: string): string {
  const value = result.get(key)
  return typeof value === 'string' ? value : ''
}
