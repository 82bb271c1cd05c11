import { InputError } from '@callspec/python'
import type { PyValue } from '@callspec/python'
import { loads } from '@callspec/python/outcome'

/** Longer texts are not conversations. In UTF-16 units. */
const MAX_JSON: number = 64 * 1024 * 1024

/**
 * Reads JSON without loss.
 *
 * @param where the text's name in messages: `request.json`, or `--set x`
 * @throws InputError, one line, with line and column
 */
export function readJson(text: string, where: string): PyValue {
  if (text.length > MAX_JSON)
    throw new InputError(where, `${text.length} characters of JSON are too many. At most 64 MB are read.`)
  if (text.trim() === '') throw new InputError(where, 'is empty. It must contain JSON.')
  const outcome = loads(text.startsWith('\ufeff') ? text.slice(1) : text)
  if (outcome.kind === 'returned') return outcome.value
  throw new InputError(where, `is not JSON: ${outcome.error.message}.`)
}
