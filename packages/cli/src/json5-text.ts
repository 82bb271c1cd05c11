import type { PyValue } from '@callspec/python'
import { loadsJson5, Raise } from '@callspec/python'
import type { SourceText } from './source-text.ts'
import { UsageError } from './usage-error.ts'

/**
 * Reads JSON5, and so JSON, without loss.
 *
 * @param holds what the text should hold, for the message about an empty one: `an object with "tasks"`
 * @throws UsageError with file, line and column for anything else
 */
export function parseJson5(source: SourceText, holds: string): PyValue {
  try {
    return loadsJson5(source.text)
  } catch (error) {
    if (!(error instanceof Raise)) throw error
    throw new UsageError(syntaxError(source, { message: error.message, holds }))
  }
}

/** `<string>:3 Unexpected "x" at column 7` becomes `FILE:3:7: Unexpected "x"`. */
function syntaxError(
  source: SourceText,
  { message, holds }: { readonly message: string; readonly holds: string },
): string {
  const found = /^<string>:(\d+) (.*?) at column (\d+)$/s.exec(message)
  if (found !== null) return `${source.name}:${found[1]}:${found[3]}: ${found[2]}. This is not JSON5.`
  if (source.text.trim() === '') return `${source.name}: the file is empty. It must hold ${holds}.`
  return `${source.name}: ${message}`
}
