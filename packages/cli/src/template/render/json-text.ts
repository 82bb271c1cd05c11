import { attempt, loads } from '@callspec/python'
import type { PyValue } from '@callspec/python'
import { quoted } from '../../terminal.ts'
import { UsageError } from '../../usage-error.ts'
import { sentence } from '../../sentence.ts'

/** No conversation comes near it, and what is made of one text must stay shorter than the longest text. */
const MAX_JSON: number = 64 * 1024 * 1024

/**
 * Reads JSON without loss.
 *
 * @param where how the error speaks of the text: `request.json`, or `--set x`
 * @throws UsageError, one line, with line and column
 */
export function readLossless(text: string, where: string): PyValue {
  if (text.length > MAX_JSON)
    throw new UsageError(`${where}: ${text.length} characters of JSON are no conversation. At most 64 MB are read.`)
  const outcome = attempt(() => loads(text.startsWith('\ufeff') ? text.slice(1) : text))
  if (outcome.kind === 'returned') return outcome.value
  throw new UsageError(`${where}: is no JSON: ${sentence(quoted(outcome.error.message, 120))}`)
}
