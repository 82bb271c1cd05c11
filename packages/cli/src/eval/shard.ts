import type { Shard } from '@callspec/eval'
import { UsageError } from '../usage-error.ts'

/**
 * Reads `2/8`: the second of eight parts.
 *
 * @throws UsageError for anything else
 */
export function shardFrom(text: string): Shard {
  const [, part = '', of = ''] = /^(\d{1,6})\/(\d{1,6})$/.exec(text) ?? []
  const [number, parts] = [Number(part), Number(of)]
  if (part !== '' && number >= 1 && number <= parts) return { of: parts, parts: [number] }
  throw new UsageError(`--shard must be I/N with I from 1 to N, such as 2/8, got "${text}"`)
}
