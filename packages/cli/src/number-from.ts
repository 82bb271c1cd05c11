import { UsageError } from './usage-error.ts'

/**
 * The number that a text of the caller means.
 *
 * @param label what the caller wrote it under, such as `--limit`
 * @throws UsageError for anything else, or a number outside the limits
 */
export function numberFrom(
  label: string,
  text: string,
  limits: { readonly min?: number; readonly max?: number; readonly whole: boolean },
): number {
  const value = Number(text)
  const min = limits.min ?? -Infinity
  const max = limits.max ?? Infinity
  const wellFormed = limits.whole ? /^[+-]?\d+$/.test(text) : text.trim() !== '' && Number.isFinite(value)
  if (wellFormed && value >= min && value <= max) return value
  const kind = limits.whole ? 'a whole number' : 'a number'
  const range = min === -Infinity && max === Infinity ? '' : ` ${rangeText(min, max)}`
  throw new UsageError(`${label} must be ${kind}${range}, got "${text}"`)
}

function rangeText(min: number, max: number): string {
  if (max === Infinity) return `of at least ${min}`
  return min === -Infinity ? `of at most ${max}` : `from ${min} to ${max}`
}
