import { UsageError } from './usage-error.ts'

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }

/**
 * Milliseconds that a text means: `1.5` (seconds), `500ms`, `90s`, `2m`, `1h`.
 *
 * @param label what the caller wrote it under, such as `--timeout`
 * @throws UsageError for anything else, or what is outside the limits (in milliseconds)
 */
export function durationFrom(
  label: string,
  text: string,
  { min, max }: { readonly min: number; readonly max: number },
): number {
  const [, number = '', unit = 's'] = /^(\d+(?:\.\d+)?)\s*(ms|s|m|h)?$/.exec(text.trim()) ?? []
  const value = Number(number) * (UNITS[unit] ?? NaN)
  if (number !== '' && value >= min && value <= max) return value
  throw new UsageError(
    `${label} must be a time from ${textOf(min)} to ${textOf(max)} such as 90s or 500ms, got "${text}"`,
  )
}

function textOf(ms: number): string {
  const [unit = 'ms', size = 1] = Object.entries(UNITS).findLast(([, each]) => ms >= each && ms % each === 0) ?? []
  return `${ms / size}${unit}`
}
