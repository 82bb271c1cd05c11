import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'

const LIST = resolve(import.meta.dirname, '../../../../reports/scoreboard/known/llama.cpp.txt')

/** The ids that llama.cpp is known to fail, among lines of another kind. */
export const KNOWN: ReadonlySet<string> = new Set(readFileSync(LIST, 'utf8').split('\n'))

/** Of lines `id: why` those whose id is not known. */
export function unknown(wrong: readonly string[]): readonly string[] {
  return wrong.filter((line) => !KNOWN.has(idOf(line)))
}

/** An id may hold a colon, but none before its #. */
export function idOf(line: string): string {
  const known = [...KNOWN].find((id) => id !== '' && line.startsWith(`${id}: `))
  return known ?? line
}
