import { stat } from 'node:fs/promises'
import { addResults, builtInCases, findCaseFiles, readCases } from '@callspec/conformance'
import type { Case, Compared } from '@callspec/conformance'
import { readLines } from '@callspec/eval'
import { systemCode, UsageError } from '../usage-error.ts'

/**
 * Adds the results of files that `conformance run --json` wrote.
 *
 * @throws UsageError or InputError that names file and line
 */
export async function addResultFiles(
  compared: Compared,
  { paths, cases }: { readonly paths: readonly string[]; readonly cases: readonly string[] },
): Promise<void> {
  if (paths.length === 0) return
  const known = new Map<string, Case>()
  for await (const item of readCases(await findCaseFiles([await builtInCases(), ...cases]))) known.set(item.id, item)
  for (const path of paths)
    await addResults(compared, { path, lines: linesOf(path), date: await dayOf(path), cases: known })
}

async function dayOf(path: string): Promise<string | null> {
  try {
    return (await stat(path)).mtime.toISOString().slice(0, 10)
  } catch {
    // A file that cannot be read is reported when it is read.
    return null
  }
}

async function* linesOf(path: string): AsyncGenerator<string> {
  try {
    yield* readLines(path)
  } catch (error) {
    const code = systemCode(error)
    if (code === null) throw error
    const what = { ENOENT: 'no such file', EISDIR: 'is a folder' }[code] ?? `cannot be read (${code})`
    throw new UsageError(`${path}: ${what}. Give a file that \`callspec conformance run --json\` wrote.`)
  }
}
