import { toPlain } from '@callspec/python'
import { lineOf } from './json5-location.ts'
import type { Path } from './json5-location.ts'
import { parseJson5 } from './json5-text.ts'
import type { SourceText } from './source-text.ts'
import { UsageError } from './usage-error.ts'

/** Plain data and where it stands. */
export interface DataFile {
  /** As errors speak of the file. */
  readonly name: string
  readonly value: unknown
  /** `FILE:LINE` of a place in the value. */
  place(path: Path): string
}

/**
 * Reads JSON5, and so JSON.
 *
 * @param holds what the text should hold, for the message about an empty one
 * @throws UsageError with file, line and column for text that is neither
 */
export function readDataFile(source: SourceText, holds: string): DataFile {
  const value = toPlain(parseJson5(source, holds))
  return { name: source.name, value, place: (path) => `${source.name}:${lineOf(source.text, path)}` }
}

/**
 * Reads JSON Lines; the value is the list of the lines' values. Blank lines are skipped.
 *
 * @throws UsageError with file and line for a line that is no JSON
 */
export function readDataLines({ name, text }: SourceText): DataFile {
  const lines = text.split(/\r?\n/).flatMap((line, index) => (line.trim() === '' ? [] : [{ line, number: index + 1 }]))
  const value = lines.map(({ line, number }) => {
    try {
      return JSON.parse(line) as unknown
    } catch {
      throw new UsageError(`${name}:${number}: this line is no JSON. Every line must be one value.`)
    }
  })
  return { name, value, place: ([index]) => `${name}:${typeof index === 'number' ? (lines[index]?.number ?? 1) : 1}` }
}
