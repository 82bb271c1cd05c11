import { readLines, readText } from '@callspec/eval'
import { messageOf, systemCode, UsageError } from '../usage-error.ts'

/** So many unreadable lines are named; all are counted. */
export const NAMED_LINES = 10

/**
 * The lines of a file that the user named, packed or not; `-` is standard input.
 *
 * @throws UsageError when it is not there, is a folder, or its packed data is damaged
 */
export function sourceLines(path: string): AsyncGenerator<string> {
  return named(path, readLines)
}

/** The text of such a file, piece by piece; throws the same. */
export function sourceText(path: string): AsyncGenerator<string> {
  return named(path, readText)
}

async function* named(path: string, read: (path: string) => AsyncGenerator<string>): AsyncGenerator<string> {
  try {
    yield* read(path)
  } catch (error) {
    const code = systemCode(error)
    if (code === null) throw error
    if (code === 'ENOENT') throw new UsageError(`${path}: no such file. Give a file, or - for standard input.`)
    if (code === 'EISDIR') throw new UsageError(`${path}: this is a folder. Give a file, or - for standard input.`)
    throw new UsageError(
      code.startsWith('Z_')
        ? `${path}: the packed data is damaged (${messageOf(error)})`
        : `${path}: cannot be read (${messageOf(error)})`,
    )
  }
}
